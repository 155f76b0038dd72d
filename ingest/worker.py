"""Many sources: claims what is due, looks at each in a pool of threads, stops cleanly.

Fair to hosts: the claim never takes more sources of a host than may be asked at a time, so that
one crowded host cannot fill the pool.
"""

import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from datetime import datetime, timedelta

import structlog
from sqlalchemy import ColumnElement

from ingest.client import ClientClosed
from ingest.pipeline import Ingestion, Look, Report, look_at
from ingest.schedule import Asking, host_pause
from storage.due import Claim, Wish, claim, is_due, release, wishes

log = structlog.get_logger(__name__)

CONNECTIONS_PER_HOST = 2
IDLE = timedelta(seconds=2)
Conditions = Callable[[datetime], Sequence[ColumnElement[bool]]]


@dataclass(slots=True)
class Summary:
    """What a sweep did, in numbers."""

    looks: Counter[Look] = field(default_factory=Counter)
    new: int = 0
    edited: int = 0

    def add(self, report: Report) -> None:
        """Count one more source."""
        self.looks[report.look] += 1
        self.new += report.new
        self.edited += report.edited


class Pool:
    """Threads that look at claimed sources, and the claims they work on."""

    def __init__(self, ingestion: Ingestion, *, threads: int) -> None:
        self.ingestion = ingestion
        self.threads = threads
        self._executor = ThreadPoolExecutor(threads, thread_name_prefix="ingest")
        self._under_way: dict[Future[Report], Claim] = {}

    @property
    def idle(self) -> bool:
        """Tell whether nothing is under way."""
        return not self._under_way

    def fill(self, conditions: Sequence[ColumnElement[bool]], *, now: datetime) -> None:
        """Claim as many sources as there are free threads, and start on them."""
        free = self.threads - len(self._under_way)
        if free <= 0:
            return
        busy = Counter(each.host for each in self._under_way.values())
        with self.ingestion.db.write() as session:
            full = {host for host, count in busy.items() if count >= CONNECTIONS_PER_HOST}
            avoid = full | paused_hosts(wishes(session, now=now), now=now)
            claims = claim(
                session,
                *conditions,
                now=now,
                most=free,
                per_host=CONNECTIONS_PER_HOST,
                avoid=avoid,
            )
        for each in claims:
            future = self._executor.submit(look_at, self.ingestion, each.source_id)
            self._under_way[future] = each

    def finished(self, timeout: timedelta) -> Iterator[Report]:
        """Yield the reports of looks that have ended, waiting a while for the first."""
        if not self._under_way:
            return
        done, _ = wait(
            self._under_way, timeout=timeout.total_seconds(), return_when=FIRST_COMPLETED
        )
        for future in done:
            taken = self._under_way.pop(future)
            error = future.exception()
            if error is None:
                yield future.result()
            elif not isinstance(error, ClientClosed):
                log.error("look failed", slug=taken.slug, exc_info=error)
                yield Report(taken.slug, Look.FAILED, message="an error of ours, see the log")

    def stop(self) -> None:
        """End what is under way at once and give back what was not stored."""
        if self._under_way:
            self.ingestion.client.close()
        self._executor.shutdown(wait=True, cancel_futures=True)
        unfinished = [
            each.source_id
            for future, each in self._under_way.items()
            if future.cancelled() or future.exception() is not None
        ]
        if unfinished:
            with self.ingestion.db.write() as session:
                release(session, unfinished)


def paused_hosts(asked: Sequence[Wish], *, now: datetime) -> set[str]:
    """Return the hosts that several of their addresses asked to leave alone."""
    return {
        host
        for host in {each.host for each in asked}
        if host_pause(
            [Asking(each.url, each.asked_at, each.until) for each in asked if each.host == host],
            now=now,
        )
    }


def sweep(
    ingestion: Ingestion,
    conditions: Sequence[ColumnElement[bool]],
    *,
    threads: int,
    on_report: Callable[[Report], None],
) -> Summary:
    """Look once at every source that fulfils the conditions; return the counts.

    The conditions must fail for a source that was looked at, or the sweep would not end.
    """
    summary, pool = Summary(), Pool(ingestion, threads=threads)
    try:
        while True:
            pool.fill(conditions, now=ingestion.now())
            if pool.idle:
                return summary
            for report in pool.finished(IDLE):
                summary.add(report)
                on_report(report)
    finally:
        pool.stop()


def work(ingestion: Ingestion, stop: threading.Event, *, threads: int) -> None:
    """Look at what is due until told to stop."""
    pool = Pool(ingestion, threads=threads)
    try:
        while not stop.is_set():
            now = ingestion.now()
            pool.fill([is_due(now)], now=now)
            if pool.idle:
                stop.wait(IDLE.total_seconds())
            for report in pool.finished(IDLE):
                log.info("looked", **report.as_fields())
    finally:
        pool.stop()
