"""Many workers on PostgreSQL: what is due goes into a queue that all of them take from.

The queue is Procrastinate's. The table of fetch facts stays the truth about what is due: any
worker puts it into the queue every few seconds, once for a source (a queueing lock), so a job that
is lost costs no more than that. A host has two locks, so that two of its sources are checked at a
time, by however many workers. When a worker dies, its jobs are dropped and its leases ended a
quarter of a minute later, and the sources are due again.
"""

import asyncio
import threading
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from typing import Final, TypeVar

import psycopg
import structlog
from procrastinate import App, PsycopgConnector
from procrastinate.exceptions import AlreadyEnqueued, ConnectorException
from procrastinate.jobs import DeleteJobCondition, Status
from psycopg_pool import PoolTimeout
from sqlalchemy import URL
from sqlalchemy.exc import DBAPIError

from ingest.pipeline.check_result import CheckReport
from ingest.pipeline.check_source import check_if_due
from ingest.pipeline.ingestion import Ingestion
from ingest.workers.local import ProgressMeter, log_progress, log_report, spread_overdue
from ingest.workers.pool import paused_hosts
from storage.scheduling.due import AT_A_TIME, DueSource, due_sources, end_lease, retry_afters

log = structlog.get_logger(__name__)

CHORES_EVERY: Final = 2  # seconds
SPREAD_EVERY: Final = 600  # seconds
EVERY_TWO_SECONDS: Final = "* * * * * */2"  # croniter has the seconds last
T = TypeVar("T")
LONG_AGO: Final = datetime.min.replace(tzinfo=UTC)
CHECKS, CHORES = "looks", "chores"  # as jobs in databases of before call them
AT_ONCE: Final = 500  # sources put into the queue at a time
PER_HOST: Final = 16  # of these, of one host
POLL: Final = 1.0  # seconds between two polls of an empty queue
HEARTBEAT: Final = 3.0  # seconds
DEAD_AFTER: Final = 15.0  # seconds without a heartbeat
CLOSING: Final = 5.0  # seconds that running checks get to end
RELEASE_TRIES: Final = 200  # the lease ends by itself soon after
ENDED: Final = """
    SELECT job.id FROM procrastinate_jobs job
    JOIN procrastinate_events event ON event.job_id = job.id AND event.type = 'started'
    JOIN fetch_facts facts ON facts.source_id = (job.args ->> 'source_id')::bigint
    WHERE job.status = 'doing' AND event.at < now() - make_interval(secs => %(after)s)
      AND (facts.leased_until IS NULL OR facts.leased_until <= now())
"""
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
    with ThreadPoolExecutor(threads + 2, thread_name_prefix="ingest") as executor:
        while not stop.is_set():
            try:
                asyncio.run(_run(stop, _Queue(ingestion, executor, on_report), threads))
            except TROUBLE as error:
                log.error("the queue cannot be used", reason=_reason(error))
                stop.wait(AFTER_TROUBLE.total_seconds())


def _reason(error: BaseException) -> str:
    """Return the driver's message in one line: the queue's own errors have none."""
    message = str(error.__cause__ or error).strip()
    return message.splitlines()[0] if message else type(error).__name__


async def _run(stop: threading.Event, queue: "_Queue", threads: int) -> None:
    async with queue.app.open_async():
        workers = [
            asyncio.create_task(queue.work(CHECKS, threads)),
            asyncio.create_task(queue.work(CHORES, 2)),
        ]
        stopped = asyncio.create_task(_wait_for(stop))
        await asyncio.wait([stopped, *workers], return_when=asyncio.FIRST_COMPLETED)
        if stop.is_set():
            queue.end_checks()
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
    """The queue in one worker: its tasks, and the threads that check."""

    def __init__(
        self,
        ingestion: Ingestion,
        executor: ThreadPoolExecutor,
        on_report: Callable[[CheckReport], None],
    ) -> None:
        self._ingestion = ingestion
        self._executor = executor
        self._on_report = on_report
        self._progress = ProgressMeter()
        self.app = App(connector=_connector(ingestion.db.engine.url))
        self._check = self.app.task(queue=CHECKS, name="look")(self.check)
        for chore in (self.defer_due, self.drop_dead_jobs):
            task = self.app.task(queue=CHORES, name=chore.__name__, queueing_lock=chore.__name__)
            self.app.periodic(cron=EVERY_TWO_SECONDS)(task(chore))

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
        )

    def end_checks(self) -> None:
        """End what is running at once."""
        self._ingestion.client.close()
        self._ingestion.parsers.close()

    async def check(self, source_id: int) -> None:
        """Check a source, if it is still due and not leased."""
        try:
            report = await self._in_thread(check_if_due, self._ingestion, source_id)
        except DBAPIError:
            await self._release(source_id)
            raise
        if report is not None:
            self._progress.add(report)
            self._on_report(report)
            log_report(report)
        if (summary := self._progress.take()) is not None:
            await self._in_thread(log_progress, self._ingestion, summary)

    async def _release(self, source_id: int) -> None:
        """End the lease of a check that lost its database, as soon as there is one again."""
        for _ in range(RELEASE_TRIES):
            try:
                await self._in_thread(_end_lease, self._ingestion, source_id)
            except TROUBLE:
                await asyncio.sleep(POLL)
            else:
                return

    async def defer_due(self, timestamp: int) -> None:
        """Put what is due into the queue, unless it is there."""
        if timestamp % SPREAD_EVERY < CHORES_EVERY:
            await self._in_thread(_spread, self._ingestion)
        for source in await self._in_thread(_due_sources, self._ingestion):
            job = self._check.configure(
                lock=f"{source.host}/{source.source_id % AT_A_TIME}",
                queueing_lock=f"source/{source.source_id}",
            )
            try:
                await job.defer_async(source_id=source.source_id)
            except AlreadyEnqueued:
                continue

    async def drop_dead_jobs(self, timestamp: int) -> None:
        """Drop the jobs of dead workers and end their leases, so that their sources are due.

        Drop those too that have ended without the queue knowing, because the database went away
        before: nobody holds a lease of their source.
        """
        jobs = self.app.job_manager
        await jobs.prune_stalled_workers(DEAD_AFTER)
        for job in await jobs.get_stalled_jobs(seconds_since_heartbeat=DEAD_AFTER):
            source_id = job.task_kwargs.get("source_id")
            if isinstance(source_id, int):
                await self._in_thread(_end_lease, self._ingestion, source_id)
                log.warning("a worker died while it checked a source", source_id=source_id)
            await jobs.finish_job(job, Status.FAILED, delete_job=True)
        for row in await self.app.connector.execute_query_all_async(ENDED, after=DEAD_AFTER):
            await jobs.finish_job_by_id_async(row["id"], Status.FAILED, delete_job=True)

    async def _in_thread(self, function: Callable[..., T], *arguments: object) -> T:
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._executor, function, *arguments)


def _connector(address: URL) -> PsycopgConnector:
    plain = address.set(drivername="postgresql").render_as_string(hide_password=False)
    return PsycopgConnector(conninfo=plain, min_size=1, max_size=4, timeout=5.0)


def _due_sources(ingestion: Ingestion) -> list[DueSource]:
    """Return what is due, the longest due first, few of each host and none of a paused one."""
    now = ingestion.now()
    with ingestion.db.read() as session:
        due = due_sources(session, now=now)
        paused = paused_hosts(retry_afters(session, now=now), now=now)
    chosen: list[DueSource] = []
    of_host: Counter[str] = Counter()
    for source in sorted(due, key=lambda source: source.due_at or LONG_AGO):
        of_host[source.host] += 1
        has_room = of_host[source.host] <= PER_HOST and len(chosen) < AT_ONCE
        if source.host not in paused and has_room:
            chosen.append(source)
    return chosen


def _spread(ingestion: Ingestion) -> None:
    spread_overdue(ingestion, now=ingestion.now())


def _end_lease(ingestion: Ingestion, source_id: int) -> None:
    with ingestion.db.write() as session:
        end_lease(session, source_id)
