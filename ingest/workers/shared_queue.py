"""Workers on PostgreSQL: Procrastinate alone decides who checks which hosts.

A job is a host, of which a worker checks all that is due, two sources at a time; the lock of a job
is its host, so no two run for one host. The table of fetch facts stays the truth about what is due:
one of the workers puts its hosts into the queue every few seconds, so a job that is lost costs no
more than that. When a worker dies, its jobs are dropped a quarter of a minute later. ``sweep`` puts
jobs into a queue of its own, which only its own worker takes from.
"""

import asyncio
import os
import threading
import time
from collections.abc import Awaitable, Callable, Collection, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from functools import partial
from typing import Final, TypeVar

import psycopg
import structlog
from procrastinate import App, JobContext, PsycopgConnector
from procrastinate.exceptions import ConnectorException
from procrastinate.jobs import DeleteJobCondition, Job, Status
from procrastinate.worker import Worker
from psycopg_pool import PoolTimeout
from sqlalchemy import ColumnElement
from sqlalchemy.exc import DBAPIError

from ingest.pipeline.check import check_and_store
from ingest.pipeline.ingestion import Ingestion
from ingest.pipeline.report import CheckReport
from ingest.pipeline.source_state import load_sources, paused_hosts
from ingest.workers.common import going_on, spread_overdue
from ingest.workers.package_lookups import has_due_lookups, look_up_due
from storage.engine.database import Database, DatabaseUnavailable
from storage.engine.postgresql import OVER_A_POOLER
from storage.scheduling.due import AT_A_TIME, LONGEST_SWEEP, due_hosts, due_of_host, is_due

log = structlog.get_logger(__name__)

CHORES_SECONDS: Final = 2
SPREAD_SECONDS: Final = 600
EVERY_TWO_SECONDS: Final = "* * * * * */2"  # croniter has the seconds last
CHECKS, CHORES = "checks", "chores"
PACKAGES: Final = "package index"  # in place of a host: look packages up
AFTER_OTHERS: Final = -1  # the priority of a sweep's jobs, which hold up no worker if it is killed
THREADS: Final = 2  # of a worker besides those that check: the chores, and what is due
MOST_JOBS: Final = 256  # running or waiting, of all workers
LONGEST_JOB_SECONDS: Final = 120.0  # after that no check of its host begins; it is due still
CONNECTIONS: Final = 2  # to the queue, besides those of the pool that checks use
POLL_SECONDS: Final = 1.0  # between two polls of an empty queue
HEARTBEAT_SECONDS: Final = 3.0
DEAD_AFTER_SECONDS: Final = 15.0  # without a heartbeat
CLOSING_SECONDS: Final = 5.0  # that running checks get to end
END_STORED_SECONDS: Final = 10.0  # at the latest; looked for as often
AFTER_TROUBLE: Final = timedelta(seconds=1)
TROUBLE: Final = (ConnectorException, psycopg.Error, PoolTimeout, DBAPIError, OSError)
T = TypeVar("T")
Conditions = Callable[[datetime], Sequence[ColumnElement[bool]]]


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
    while not stop.is_set():
        try:
            with ThreadPoolExecutor(threads + THREADS, thread_name_prefix="queue") as executor:
                queue = _Queue(ingestion, executor, on_report, CHECKS, lambda now: [is_due(now)])
                asyncio.run(_run(queue, stop, threads))
        except TROUBLE as error:
            log.error("the queue cannot be used", reason=_reason(error))
            stop.wait(AFTER_TROUBLE.total_seconds())


def sweep_shared(
    ingestion: Ingestion,
    conditions: Sequence[ColumnElement[bool]],
    *,
    threads: int,
    on_report: Callable[[CheckReport], None],
) -> None:
    """Check what fulfils the conditions, once; hosts that a worker is checking are passed over.

    Raises DatabaseUnavailable.
    """
    name = f"sweep {os.getpid()} {time.time()}"
    with ThreadPoolExecutor(threads + THREADS, thread_name_prefix="queue") as executor:
        queue = _Queue(ingestion, executor, on_report, name, lambda _: conditions)
        try:
            asyncio.run(_sweep(queue, threads))
        except TROUBLE as error:
            raise DatabaseUnavailable(f"The queue cannot be used: {_reason(error)}") from error


def _reason(error: BaseException) -> str:
    """Return the driver's message in one line: the queue's own errors have none."""
    message = str(error.__cause__ or error).strip()
    return message.splitlines()[0] if message else type(error).__name__


async def _run(queue: "_Queue", stop: threading.Event, threads: int) -> None:
    async with queue.app.open_async():
        queue.keep_in_background()
        workers = [
            asyncio.create_task(queue.work(CHECKS, threads)),
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


async def _sweep(queue: "_Queue", threads: int) -> None:
    async with queue.app.open_async():
        await queue.defer_all()
        worker = asyncio.create_task(queue.work(queue.name, threads, wait=False))
        try:
            await asyncio.shield(worker)  # what is running ends at once when this is interrupted
        finally:
            queue.end_jobs(at_once=not worker.done())
            await asyncio.gather(worker, return_exceptions=True)


class _Queue:
    """The queue in one worker: its tasks, and the threads that they run in."""

    def __init__(
        self,
        ingestion: Ingestion,
        executor: ThreadPoolExecutor,
        on_report: Callable[[CheckReport], None],
        name: str,
        conditions: Conditions,
    ) -> None:
        self.name = name
        self._ingestion = ingestion
        self._executor = executor
        self._on_report = on_report
        self._reporting = threading.Lock()
        self._conditions = conditions
        self._ended = threading.Event()
        self._spread = False
        self._jobs_ended: dict[int | None, float] = {}  # by id, with time.monotonic
        self.app = App(connector=_connector(ingestion.db))
        self._check = self.app.task(queue=name, name="check")(self.check)

    def keep_in_background(self) -> None:
        """Put what is due into the queue every two seconds, in one of the workers."""
        keep = self.app.task(queue=CHORES, name="keep_queue")(self.keep_queue)
        self.app.periodic(cron=EVERY_TWO_SECONDS)(keep)

    async def work(self, queue: str, concurrency: int, *, wait: bool = True) -> None:
        """Take jobs of a queue until cancelled, or until there are none and ``wait`` is false."""
        await self.app.run_worker_async(
            queues=[queue],
            concurrency=concurrency,
            wait=wait,
            install_signal_handlers=False,
            listen_notify=False,  # polling survives a restart of the server, and a pooler
            fetch_job_polling_interval=POLL_SECONDS,
            update_heartbeat_interval=HEARTBEAT_SECONDS,
            stalled_worker_timeout=DEAD_AFTER_SECONDS,
            shutdown_graceful_timeout=CLOSING_SECONDS if wait else LONGEST_SWEEP.total_seconds(),
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

        It went away at that moment. The host of such a job would be locked for as long as the
        worker lives.
        """
        while True:
            await asyncio.sleep(END_STORED_SECONDS)
            ended = dict(self._jobs_ended)
            doing = {job.id: job for job in await self._jobs(status=Status.DOING)}
            for id_, at in ended.items():
                if id_ not in doing:
                    del self._jobs_ended[id_]
                elif time.monotonic() - at > END_STORED_SECONDS:
                    log.warning("the end of a job was not stored, it is ended again", job=id_)
                    await self.app.job_manager.finish_job(
                        doing[id_], Status.SUCCEEDED, delete_job=True
                    )

    def end_jobs(self, *, at_once: bool) -> None:
        """Begin no more checks; ``at_once`` also cuts off those that are running."""
        self._ended.set()
        if at_once:
            self._ingestion.client.close()
            self._ingestion.parsers.close()

    async def check(self, host: str) -> None:
        """Check what is due of a host, or look packages up."""
        if host == PACKAGES:
            await self._in_thread(self._look_up)
        else:
            await self._in_thread(self._check_host, host)

    def _look_up(self) -> None:
        with going_on(self._ended):
            look_up_due(self._ingestion, self._ended)

    def _check_host(self, host: str) -> None:
        """Check sources of a host, two at a time; the rest is due still when something ends it."""
        ingestion, now = self._ingestion, self._ingestion.now()
        is_sweep, last = self.name != CHECKS, time.monotonic() + LONGEST_JOB_SECONDS

        def check_next(source_id: int) -> None:
            if self._ended.is_set() or not (is_sweep or time.monotonic() < last):
                return
            with ingestion.db.read() as session:
                is_paused = host in paused_hosts(session, now=ingestion.now())
                sources = [] if is_paused else load_sources(session, [source_id])
            for source in sources:  # none if it was removed meanwhile
                if (report := check_and_store(ingestion, source)) is not None:
                    with self._reporting:
                        self._on_report(report)

        with going_on(self._ended):
            with ingestion.db.read() as session:
                source_ids = due_of_host(session, host, *self._conditions(now), now=now)
            with ThreadPoolExecutor(AT_A_TIME, thread_name_prefix="ingest") as threads:
                for _ in threads.map(check_next, source_ids):
                    pass

    async def keep_queue(self, timestamp: int) -> None:
        """Drop the jobs of dead workers, then put what is due into the queue."""
        await self._end_dead_jobs()
        if not self._spread or timestamp % SPREAD_SECONDS < CHORES_SECONDS:
            now = self._ingestion.now()
            await self._in_thread(partial(spread_overdue, self._ingestion, now=now))
            self._spread = True
        jobs = await self._jobs(CHECKS)
        queued = {job.lock for job in jobs}
        due = [host for host in await self._in_thread(self._due_hosts) if host not in queued]
        await self._defer(due[: max(MOST_JOBS - len(jobs), 0)])

    async def defer_all(self) -> None:
        """Put all hosts of what is to be checked into the queue, in place of jobs that wait."""
        await self._end_dead_jobs()
        hosts = await self._in_thread(self._due_hosts)
        for job in await self._jobs(status=Status.TODO):
            if job.lock in hosts and job.id is not None:
                await self.app.job_manager.cancel_job_by_id_async(job.id, delete_job=True)
        await self._defer(hosts, priority=AFTER_OTHERS)

    async def _defer(self, hosts: Collection[str], *, priority: int = 0) -> None:
        if hosts:
            jobs = [
                self._check.configure(lock=host, priority=priority).make_new_job(host=host)
                for host in hosts
            ]
            await self.app.job_manager.batch_defer_jobs_async(jobs)

    def _due_hosts(self) -> list[str]:
        """Return the hosts of what is due, the longest due first, without those that are paused."""
        now = self._ingestion.now()
        with self._ingestion.db.read() as session:
            paused = paused_hosts(session, now=now)
            hosts = due_hosts(session, *self._conditions(now), now=now)
        packages = [PACKAGES] * (self.name == CHECKS and has_due_lookups(self._ingestion))
        return [*packages, *(host for host in hosts if host not in paused)]

    async def _end_dead_jobs(self) -> None:
        """End the jobs of workers that died: what they had of a host is due still."""
        manager = self.app.job_manager
        await manager.prune_stalled_workers(DEAD_AFTER_SECONDS)
        for job in await manager.get_stalled_jobs(seconds_since_heartbeat=DEAD_AFTER_SECONDS):
            log.warning("the job of a worker that died is dropped", host=job.lock)
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
