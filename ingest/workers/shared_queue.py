"""Many workers on PostgreSQL: what is due goes into a queue that all of them take from.

The queue is Procrastinate's. A job is some hosts, of which a worker checks all that is due; a host
is in one running job, so that two of its sources are checked at a time, by however many workers.
The table of fetch facts stays the truth about what is due: one of the workers puts it into the
queue every few seconds, so a job that is lost costs no more than that. When a worker dies, its
jobs go to another a quarter of a minute later, which ends the leases of the dead one first.
"""

import asyncio
import threading
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Collection, Iterable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from functools import partial
from queue import SimpleQueue
from typing import Final, TypeVar

import psycopg
import structlog
from procrastinate import App, JobContext, PsycopgConnector
from procrastinate.exceptions import ConnectorException
from procrastinate.jobs import DeleteJobCondition, Job, Status
from procrastinate.types import JSONDict, JSONValue
from procrastinate.worker import Worker
from psycopg_pool import PoolTimeout
from sqlalchemy.exc import DBAPIError

from ingest.pipeline.ingestion import Ingestion
from ingest.pipeline.store import CheckReport
from ingest.workers.batches import Batch, batch_of, check_batches
from ingest.workers.local import ProgressMeter, log_progress, log_report, spread_overdue
from ingest.workers.pool import paused_hosts
from storage.engine.database import Database
from storage.engine.postgresql import OVER_A_POOLER
from storage.scheduling.due import DueSource, due_sources, end_leases

log = structlog.get_logger(__name__)

CHORES_EVERY: Final = 2  # seconds
SPREAD_EVERY: Final = 600  # seconds
EVERY_TWO_SECONDS: Final = "* * * * * */2"  # croniter has the seconds last
T = TypeVar("T")
LONG_AGO: Final = datetime.min.replace(tzinfo=UTC)
CHECKS, CHORES = "checks", "chores"
JOBS_OF_A_WORKER: Final = 4  # at a time: one crowded host leaves room for others
THREADS: Final = 3  # of a worker besides those that check: its pool, the chores, ends of leases
MOST_JOBS: Final = 64  # running or waiting, of all workers
BATCH: Final = 100  # sources that a job has, or one host if that has more
CONNECTIONS: Final = 2  # to the queue, besides those of the pool that checks use
POLL: Final = 1.0  # seconds between two polls of an empty queue
HEARTBEAT: Final = 3.0  # seconds
DEAD_AFTER: Final = 15.0  # seconds without a heartbeat
CLOSING: Final = 5.0  # seconds that running checks get to end
END_STORED_AFTER: Final = 10.0  # seconds, at the latest; looked for as often
AFTER_TROUBLE: Final = timedelta(seconds=1)
TROUBLE: Final = (ConnectorException, psycopg.Error, PoolTimeout, DBAPIError, OSError)


def run_shared(
    ingestion: Ingestion,
    stop: threading.Event,
    *,
    threads: int,
    on_report: Callable[[CheckReport], None],
) -> None:
    """Check what is due, together with other workers, until ``stop`` is set.

    A database that does not answer is logged and tried again every second, and stops nothing.
    """
    progress = ProgressMeter()
    while not stop.is_set():
        try:
            with ThreadPoolExecutor(THREADS, thread_name_prefix="queue") as executor:
                queue = _Queue(ingestion, executor, threads, progress, on_report)
                asyncio.run(_run(queue, stop))
        except TROUBLE as error:
            log.error("the queue cannot be used", reason=_reason(error))
            stop.wait(AFTER_TROUBLE.total_seconds())


def _reason(error: BaseException) -> str:
    """Return the driver's message in one line: the queue's own errors have none."""
    message = str(error.__cause__ or error).strip()
    return message.splitlines()[0] if message else type(error).__name__


async def _run(queue: "_Queue", stop: threading.Event) -> None:
    async with queue.app.open_async():
        workers = [
            asyncio.create_task(queue.check_batches()),
            asyncio.create_task(queue.work(CHECKS, JOBS_OF_A_WORKER)),
            asyncio.create_task(queue.work(CHORES, 1)),
            asyncio.create_task(queue.end_lost_jobs()),
        ]
        stopped = asyncio.create_task(_wait_for(stop))
        try:
            await asyncio.wait([stopped, *workers], return_when=asyncio.FIRST_COMPLETED)
        finally:
            queue.end_jobs(at_once=stop.is_set())
        for task in (stopped, *workers):
            task.cancel()
        ended = await asyncio.gather(*workers, return_exceptions=True)
    for outcome in ended:
        if isinstance(outcome, Exception):
            raise outcome


async def _wait_for(stop: threading.Event) -> None:
    while not stop.is_set():
        await asyncio.sleep(0.2)


class _Queue:
    """The queue in one worker: its tasks, and the threads that they run in."""

    def __init__(
        self,
        ingestion: Ingestion,
        executor: ThreadPoolExecutor,
        threads: int,
        progress: ProgressMeter,
        on_report: Callable[[CheckReport], None],
    ) -> None:
        self._ingestion = ingestion
        self._executor = executor
        self._threads = threads
        self._progress = progress
        self._on_report = on_report
        self._batches: SimpleQueue[Batch] = SimpleQueue()
        self._ended = threading.Event()
        self._spread = False
        self._jobs_ended: dict[int | None, float] = {}  # by id, with time.monotonic
        self.app = App(connector=_connector(ingestion.db))
        self._check = self.app.task(queue=CHECKS, name="check", pass_context=True)(self.check)
        keep = self.app.task(queue=CHORES, name="keep_queue")(self.keep_queue)
        self.app.periodic(cron=EVERY_TWO_SECONDS)(keep)

    async def work(self, queue: str, concurrency: int) -> None:
        """Take jobs of a queue until cancelled."""
        await self.app.run_worker_async(
            queues=[queue],
            concurrency=concurrency,
            install_signal_handlers=False,
            listen_notify=False,  # polling survives a restart of the server, and a pooler
            fetch_job_polling_interval=POLL,
            update_heartbeat_interval=HEARTBEAT,
            stalled_worker_timeout=DEAD_AFTER,
            shutdown_graceful_timeout=CLOSING,
            delete_jobs=DeleteJobCondition.ALWAYS,
            worker_middleware=[self._note_end],
        )

    async def _note_end(
        self, run: Callable[[], Awaitable[object]], context: JobContext, worker: Worker
    ) -> object:
        try:
            return await run()
        finally:
            self._jobs_ended[context.job.id] = time.monotonic()

    async def end_lost_jobs(self) -> None:
        """End again, until cancelled, jobs of this worker whose end the database did not store.

        It went away at that moment. The hosts of such a job, or the lock of a chore, would be
        taken for as long as the worker lives.
        """
        while True:
            await asyncio.sleep(END_STORED_AFTER)
            ended = dict(self._jobs_ended)
            doing = {job.id: job for job in await self._jobs(status=Status.DOING)}
            for id_, at in ended.items():
                if id_ not in doing:
                    del self._jobs_ended[id_]
                elif time.monotonic() - at > END_STORED_AFTER:
                    log.warning("the end of a job was not stored, it is ended again", job=id_)
                    await self.app.job_manager.finish_job(
                        doing[id_], Status.SUCCEEDED, delete_job=True
                    )

    def end_jobs(self, *, at_once: bool) -> None:
        """Begin no check any more; end what is running ``at_once`` if the worker stops for good."""
        self._ended.set()
        if at_once:
            self._ingestion.client.close()
            self._ingestion.parsers.close()

    async def check(self, context: JobContext, hosts: list[str]) -> None:
        """Check what is due of some hosts, those apart that another running job has.

        Two jobs may have a host when two workers share out at a time, or one is killed while its
        jobs are stored. What both leave out is due still.
        """
        running = await self._jobs(CHECKS, Status.DOING)
        taken = {host for job in running if job.id != context.job.id for host in _hosts_of(job)}
        hosts = [host for host in hosts if host not in taken]
        if context.job.attempts:
            log.warning("checks of a worker that died are done by another", hosts=len(hosts))
            await self._in_thread(_end_leases, self._ingestion, hosts)
        batch = batch_of(hosts, now=self._ingestion.now())
        self._batches.put(batch)
        await asyncio.wrap_future(batch.over)

    async def check_batches(self) -> None:
        """Check what jobs have put into batches until no check is to begin any more."""
        checking = partial(check_batches, threads=self._threads, on_report=self._report)
        await self._in_thread(checking, self._ingestion, self._batches, self._ended)

    def _report(self, report: CheckReport) -> None:
        self._on_report(report)
        log_report(report)
        self._progress.add(report)
        if (summary := self._progress.take()) is not None:
            log_progress(self._ingestion, summary)

    async def keep_queue(self, timestamp: int) -> None:
        """Give the jobs of dead workers to others, then put what is due into the queue."""
        await self._retry_dead_jobs()
        await self._defer_due(timestamp)

    async def _defer_due(self, timestamp: int) -> None:
        """Put the hosts of what is due into the queue, those apart that it has already."""
        if not self._spread or timestamp % SPREAD_EVERY < CHORES_EVERY:
            await self._in_thread(_spread, self._ingestion)
            self._spread = True
        jobs = await self._jobs(CHECKS)
        queued = {host for job in jobs for host in _hosts_of(job)}
        due = await self._in_thread(_due_sources, self._ingestion)
        batches = batches_of(
            (source for source in due if source.host not in queued), most=MOST_JOBS - len(jobs)
        )
        if batches:
            arguments: list[JSONDict] = [{"hosts": [*hosts]} for hosts in batches]
            await self._check.batch_defer_async(*arguments)

    async def _retry_dead_jobs(self) -> None:
        """Give the jobs of dead workers to others, and end the chores that they had begun."""
        manager = self.app.job_manager
        await manager.prune_stalled_workers(DEAD_AFTER)
        for job in await manager.get_stalled_jobs(seconds_since_heartbeat=DEAD_AFTER):
            if job.queue == CHECKS:
                await manager.retry_job(job)
            else:
                await manager.finish_job(job, Status.FAILED, delete_job=True)

    async def _jobs(self, queue: str | None = None, status: Status | None = None) -> list[Job]:
        chosen = status and status.value
        return [*await self.app.job_manager.list_jobs_async(queue=queue, status=chosen)]

    async def _in_thread(self, function: Callable[..., T], *arguments: object) -> T:
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._executor, function, *arguments)


def _connector(database: Database) -> PsycopgConnector:
    address = database.engine.url.set(drivername="postgresql")
    return PsycopgConnector(
        conninfo=address.render_as_string(hide_password=False),
        min_size=1,
        max_size=CONNECTIONS,
        timeout=5.0,
        kwargs=OVER_A_POOLER if database.connections.pooler else {},
    )


def _hosts_of(job: Job) -> list[JSONValue]:
    hosts = job.task_kwargs["hosts"]
    return hosts if isinstance(hosts, list) else []


def batches_of(due: Iterable[DueSource], *, most: int) -> list[list[str]]:
    """Share the hosts of sources out into at most so many batches, the longest due first.

    A batch has about ``BATCH`` sources; a host with more has a batch of its own.
    """
    crowds = Counter(source.host for source in due)
    batches: list[list[str]] = []
    room = 0
    for host, sources in crowds.items():
        if sources > room or not batches:
            if len(batches) == most:
                break
            batches.append([])
            room = BATCH
        batches[-1].append(host)
        room -= sources
    return batches


def _due_sources(ingestion: Ingestion) -> list[DueSource]:
    """Return what is due, the longest due first, and nothing of a paused host."""
    now = ingestion.now()
    with ingestion.db.read() as session:
        due = due_sources(session, now=now)
        paused = paused_hosts(session, now=now)
    longest_first = sorted(due, key=lambda source: source.due_at or LONG_AGO)
    return [source for source in longest_first if source.host not in paused]


def _spread(ingestion: Ingestion) -> None:
    spread_overdue(ingestion, now=ingestion.now())


def _end_leases(ingestion: Ingestion, hosts: Collection[str]) -> None:
    with ingestion.db.write() as session:
        end_leases(session, hosts)
