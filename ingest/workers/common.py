"""Shared by the engines of both databases: reports of checks, and checks due after an outage."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import Final

import structlog
from sqlalchemy.exc import DBAPIError

from ingest.pipeline.ingestion import Ingestion, Summary
from ingest.pipeline.report import CheckReport, CheckStatus
from ingest.scheduling.budget import spread
from openapi.vocabulary import Tier
from storage.scheduling.due import (
    DueSource,
    attempted_ahead,
    count_sources_where,
    due_sources,
    is_due,
    postpone,
    reset_future_checks,
)

log = structlog.get_logger(__name__)

AFTER_TROUBLE: Final = timedelta(seconds=5)
WITHOUT_DATABASE_SECONDS: Final = 10.0
PAUSE_SECONDS: Final = 0.05  # about as long as a batch takes: half of the time is left to others
PROGRESS_EVERY: Final = timedelta(minutes=1)
CROWD: Final = 300  # sources due at once that are spread
SPREAD_PER_SECOND: Final = 20.0
SPREAD_PER_HOST: Final = timedelta(milliseconds=250)
HOUR: Final = timedelta(hours=1)
_TIERS: Final = tuple(Tier)


def logging(
    ingestion: Ingestion, on_report: Callable[[CheckReport], None]
) -> Callable[[CheckReport], None]:
    """Return ``on_report`` with a log of each check, and of what was done every minute.

    A check that changed no entries is logged at debug level: failures are counted in the metrics,
    and ``source show`` explains each.
    """
    summary, logged_at = Summary(), float("-inf")

    def report(check: CheckReport) -> None:
        nonlocal summary, logged_at
        on_report(check)
        level = log.info if check.new or check.edited else log.debug
        level("checked", **check.as_fields())
        summary.add(check)
        if time.monotonic() - logged_at >= PROGRESS_EVERY.total_seconds():
            done, summary, logged_at = summary, Summary(), time.monotonic()
            _log_progress(ingestion, done)

    return report


@contextmanager
def going_on(stop: threading.Event) -> Iterator[None]:
    """Log an error of the block and wait a little, unless ``stop`` is set: it ends no worker."""
    try:
        yield
    except DBAPIError as error:
        log.error("the database cannot be used", reason=str(error.orig))
        stop.wait(AFTER_TROUBLE.total_seconds())
    except Exception:  # a bug must not end the worker
        log.exception("unexpected error, ingestion goes on")
        stop.wait(AFTER_TROUBLE.total_seconds())


def spread_overdue(ingestion: Ingestion, *, now: datetime) -> int:
    """Space out the sources that are due, if there are many, as after an outage.

    Returns how many there are. The most overdue come first; one crowded host delays nobody else.
    What was checked by a clock that was ahead is due too, or it would wait for that time.
    """
    _make_due_after_clock_change(ingestion, now=now)
    with ingestion.db.read() as session:
        due = due_sources(session, now=now)
    if len(due) <= CROWD:
        return 0
    hosts = {
        source.source_id: source.host
        for source in sorted(due, key=lambda source: _lateness(source, now=now))
    }
    times = spread(hosts, now=now, per_second=SPREAD_PER_SECOND, host_spacing=SPREAD_PER_HOST)
    with ingestion.db.write() as session:
        postpone(session, times)
    until = max(times.values()).isoformat(timespec="seconds")
    log.info("spread overdue sources", sources=len(due), until=until)
    return len(due)


def _lateness(source: DueSource, *, now: datetime) -> tuple[float, int, str]:
    """Return a key that puts first what is overdue by the largest part of its interval.

    Of those that are so alike, as before the first sweep, what is looked for the likeliest is
    first.
    """
    late = now - (source.due_at or now)
    return -late / (source.interval or HOUR), _TIERS.index(source.tier), source.slug


def _make_due_after_clock_change(ingestion: Ingestion, *, now: datetime) -> None:
    with ingestion.db.read() as session:
        if not count_sources_where(session, attempted_ahead(now)):
            return
    with ingestion.db.write() as session:
        sources = reset_future_checks(session, now=now)
    log.warning("the clock was put back, sources checked ahead of it are due", sources=sources)


def _log_progress(ingestion: Ingestion, summary: Summary) -> None:
    """Log what was done, and how many sources are due now. Raises DBAPIError."""
    with ingestion.db.read() as session:
        due = count_sources_where(session, is_due(ingestion.now()))
    counts = {status.value: summary.checks[status] for status in CheckStatus}
    log.info("progress", **counts, new=summary.new, edited=summary.edited, due=due)


@contextmanager
def in_background(stop: threading.Event, **work: Callable[[], None]) -> Iterator[None]:
    """Run functions in threads, by their names, while the block runs; ``stop`` is set behind it."""
    threads = [threading.Thread(target=function, name=name) for name, function in work.items()]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        stop.set()
        for thread in threads:
            thread.join()
