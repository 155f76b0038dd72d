"""Who checks which hosts: Procrastinate on PostgreSQL, leases in one process on SQLite."""

import threading
import time
from collections.abc import Callable
from contextlib import closing
from datetime import timedelta
from functools import partial
from importlib import import_module
from typing import Final

from ingest.pipeline.ingestion import Ingestion
from ingest.pipeline.report import CheckReport
from ingest.workers.common import going_on, in_background, logging, spread_overdue
from ingest.workers.package_lookups import look_up_until_stopped
from ingest.workers.pool import CheckPool, Conditions
from storage.engine.database import on_postgresql
from storage.scheduling.due import is_due

POLL: Final = timedelta(milliseconds=250)  # between two tests of whether to stop
SPREAD_EVERY: Final = timedelta(minutes=10)
SHARED: Final = "ingest.workers.shared_queue"  # loads what only PostgreSQL needs


def check_due(
    ingestion: Ingestion,
    stop: threading.Event,
    *,
    threads: int,
    on_report: Callable[[CheckReport], None],
) -> None:
    """Check what is due until ``stop`` is set, on PostgreSQL together with other workers.

    A database that cannot be used is logged and tried again, and stops nothing.
    """
    report = logging(ingestion, on_report)
    run = import_module(SHARED).run_shared if on_postgresql(ingestion.db.engine) else run_local
    run(ingestion, stop, threads=threads, on_report=report)


def sweep(
    ingestion: Ingestion,
    conditions: Conditions,
    *,
    threads: int,
    on_report: Callable[[CheckReport], None],
) -> None:
    """Check every source that fulfils the conditions once.

    Hosts that a worker is checking are passed over. The conditions must fail for a source that was
    checked, or the sweep would not end. Raises DBAPIError when the database cannot be written.
    """
    if on_postgresql(ingestion.db.engine):
        shared = import_module(SHARED)
        shared.sweep_shared(ingestion, conditions, threads=threads, on_report=on_report)
        return
    pool = CheckPool(ingestion, conditions, threads=threads)
    try:
        while True:
            for report in pool.advance():
                on_report(report)
            if pool.exhausted:
                return
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
    """Check on SQLite what is due, and look packages up, until ``stop`` is set."""
    look_up = partial(look_up_until_stopped, ingestion, stop)
    with in_background(stop, packages=look_up), closing(ingestion.client):
        _check_local(ingestion, stop, threads=threads, on_report=on_report)


def _check_local(
    ingestion: Ingestion,
    stop: threading.Event,
    *,
    threads: int,
    on_report: Callable[[CheckReport], None],
) -> None:
    pool = CheckPool(ingestion, [], threads=threads)
    spread_at = float("-inf")
    try:
        while not stop.is_set():
            with going_on(stop):
                if time.monotonic() - spread_at >= SPREAD_EVERY.total_seconds():
                    spread_at = time.monotonic()
                    spread_overdue(ingestion, now=ingestion.now())
                for report in pool.advance([is_due(ingestion.now())]):
                    on_report(report)
            pool.wait(POLL)
    finally:
        for report in pool.stop():
            on_report(report)
