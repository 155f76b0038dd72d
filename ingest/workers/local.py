"""Looking at many sources: once in a sweep, or for as long as the ingester runs."""

import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final

import structlog
from sqlalchemy.exc import DBAPIError

from ingest.pipeline.ingestion import Ingestion
from ingest.pipeline.store import Look, Report
from ingest.scheduling.schedule import Overdue, spread
from ingest.workers.pool import Conditions, Pool
from storage.scheduling.due import (
    attempted_ahead,
    call_back,
    count_sources_where,
    due_sources,
    is_due,
    postpone,
)

log = structlog.get_logger(__name__)

GLANCE: Final = timedelta(milliseconds=250)  # between two glances at whether to stop
AFTER_TROUBLE: Final = timedelta(seconds=5)
PROGRESS_EVERY: Final = timedelta(minutes=1)
SPREAD_EVERY: Final = timedelta(minutes=10)
CROWD: Final = 300  # sources due at once that are spread
SPREAD_PER_SECOND: Final = 20.0
SPREAD_PER_HOST: Final = timedelta(milliseconds=250)


@dataclass(slots=True)
class Summary:
    """What was done, in numbers."""

    looks: Counter[Look] = field(default_factory=Counter)
    new: int = 0
    edited: int = 0

    def add(self, report: Report) -> None:
        """Count one more source."""
        self.looks[report.look] += 1
        self.new += report.new
        self.edited += report.edited


class Minutes:
    """What is done, minute by minute."""

    def __init__(self) -> None:
        self._summary = Summary()
        self._told_at = float("-inf")

    def add(self, report: Report) -> None:
        """Count one more source."""
        self._summary.add(report)

    def over(self) -> Summary | None:
        """Return what was done since this was last asked; None within a minute, or if nothing."""
        since = time.monotonic() - self._told_at
        if not self._summary.looks or since < PROGRESS_EVERY.total_seconds():
            return None
        done, self._summary = self._summary, Summary()
        self._told_at = time.monotonic()
        return done


def sweep(
    ingestion: Ingestion,
    conditions: Conditions,
    *,
    threads: int,
    on_report: Callable[[Report], None],
) -> Summary:
    """Look once at every source that fulfils the conditions; return the counts.

    The conditions must fail for a source that was looked at, or the sweep would not end.
    Raises DBAPIError when the database cannot be written.
    """
    summary, pool = Summary(), Pool(ingestion, conditions, threads=threads, exclusive=False)
    try:
        while True:
            for report in pool.turn():
                summary.add(report)
                on_report(report)
            if pool.exhausted:
                return summary
            pool.wait(GLANCE if not pool.idle else timedelta(0))
    finally:
        pool.stop()


def work(
    ingestion: Ingestion,
    stop: threading.Event,
    *,
    threads: int,
    on_report: Callable[[Report], None],
) -> None:
    """Look at what is due until told to stop; ``on_report`` hears of every look.

    A database that cannot be used stops nothing: it is tried again and again, and said.
    """
    pool = Pool(ingestion, [], threads=threads, exclusive=True)
    minutes = Minutes()
    spread_at = float("-inf")
    try:
        while not stop.is_set():
            try:
                if time.monotonic() - spread_at >= SPREAD_EVERY.total_seconds():
                    spread_at = time.monotonic()
                    spread_overdue(ingestion, now=ingestion.now())
                for report in pool.turn([is_due(ingestion.now())]):
                    minutes.add(report)
                    on_report(report)
                    tell(report)
                if (done := minutes.over()) is not None:
                    tell_progress(ingestion, done)
            except DBAPIError as error:
                log.error("the database cannot be used", reason=str(error.orig))  # noqa: TRY400 - the reason is enough
                stop.wait(AFTER_TROUBLE.total_seconds())
            except Exception:  # an error of ours must not end what is to run for years
                log.exception("ingestion stumbled and goes on")
                stop.wait(AFTER_TROUBLE.total_seconds())
            pool.wait(GLANCE)
    finally:
        for report in pool.stop():
            on_report(report)
            tell(report)


def spread_overdue(ingestion: Ingestion, *, now: datetime) -> int:
    """Space out the sources that are due, if there are many, as after an outage.

    Returns how many there are. The latest come first; one crowded host delays nobody else. What
    was looked at by a clock that was ahead is due too, or it would wait for that time.
    """
    _call_back(ingestion, now=now)
    with ingestion.db.read() as session:
        due = due_sources(session, now=now)
    if len(due) <= CROWD:
        return 0
    overdue = [
        Overdue(each.slug, each.host, each.due_at or now, each.interval or timedelta(hours=1))
        for each in due
    ]
    times = spread(overdue, now=now, per_second=SPREAD_PER_SECOND, host_spacing=SPREAD_PER_HOST)
    with ingestion.db.write() as session:
        postpone(session, {each.source_id: times[each.slug] for each in due})
    log.info("spread what is overdue", sources=len(due))
    return len(due)


def _call_back(ingestion: Ingestion, *, now: datetime) -> None:
    with ingestion.db.read() as session:
        if not count_sources_where(session, attempted_ahead(now)):
            return
    with ingestion.db.write() as session:
        sources = call_back(session, now=now)
    log.warning("the clock was put back, what it looked at ahead is due", sources=sources)


def tell(report: Report) -> None:
    """Log a look: what brought nothing is for those who want every detail.

    Failures are counted in ``progress`` and in the metrics, and ``source show`` explains each.
    """
    level = log.info if report.new or report.edited else log.debug
    level("looked", **report.as_fields())


def tell_progress(ingestion: Ingestion, done: Summary) -> None:
    """Log what was done, and how many sources are due now. Raises DBAPIError."""
    with ingestion.db.read() as session:
        due = count_sources_where(session, is_due(ingestion.now()))
    counts = {look.value: done.looks[look] for look in Look}
    log.info("progress", **counts, new=done.new, edited=done.edited, due=due)
