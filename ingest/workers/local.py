"""Checks of many sources in one process on SQLite: a sweep, or for as long as the worker runs."""

import threading
import time
from collections.abc import Callable
from datetime import timedelta
from typing import Final

from ingest.pipeline.ingestion import Ingestion
from ingest.pipeline.store import CheckReport
from ingest.workers.common import (
    ProgressMeter,
    Summary,
    going_on,
    log_progress,
    log_report,
    spread_overdue,
)
from ingest.workers.pool import CheckPool, Conditions
from storage.scheduling.due import is_due

POLL: Final = timedelta(milliseconds=250)  # between two tests of whether to stop
SPREAD_EVERY: Final = timedelta(minutes=10)


def sweep_local(
    ingestion: Ingestion,
    conditions: Conditions,
    *,
    threads: int,
    on_report: Callable[[CheckReport], None],
) -> Summary:
    """Check every source that fulfils the conditions once; return the counts.

    The conditions must fail for a source that was checked, or the sweep would not end.
    Raises DBAPIError when the database cannot be written.
    """
    summary = Summary()
    pool = CheckPool(ingestion, conditions, threads=threads)
    try:
        while True:
            for report in pool.advance():
                summary.add(report)
                on_report(report)
            if pool.exhausted:
                return summary
            pool.wait(POLL if not pool.idle else timedelta(0))
    finally:
        pool.stop()


def run_local(
    ingestion: Ingestion,
    stop: threading.Event,
    *,
    threads: int,
    on_report: Callable[[CheckReport], None],
) -> None:
    """Check what is due until ``stop`` is set; call ``on_report`` for every check.

    A database that cannot be used is logged and tried again, and stops nothing.
    """
    pool = CheckPool(ingestion, [], threads=threads)
    progress = ProgressMeter()
    spread_at = float("-inf")
    try:
        while not stop.is_set():
            with going_on(stop):
                if time.monotonic() - spread_at >= SPREAD_EVERY.total_seconds():
                    spread_at = time.monotonic()
                    spread_overdue(ingestion, now=ingestion.now())
                for report in pool.advance([is_due(ingestion.now())]):
                    progress.add(report)
                    on_report(report)
                    log_report(report)
                if (summary := progress.take()) is not None:
                    log_progress(ingestion, summary)
            pool.wait(POLL)
    finally:
        for report in pool.stop():
            on_report(report)
            log_report(report)
