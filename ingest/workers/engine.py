"""Who checks which hosts: Procrastinate on PostgreSQL, leases on SQLite."""

import threading
from collections.abc import Callable

from ingest.pipeline.ingestion import Ingestion
from ingest.pipeline.store import CheckReport
from ingest.workers.common import Summary
from ingest.workers.local import run_local, sweep_local
from ingest.workers.pool import Conditions
from ingest.workers.shared_queue import run_shared, sweep_shared
from storage.engine.database import on_postgresql


def check_due(
    ingestion: Ingestion,
    stop: threading.Event,
    *,
    threads: int,
    on_report: Callable[[CheckReport], None],
) -> None:
    """Check what is due until ``stop`` is set, on PostgreSQL together with other workers."""
    run = run_shared if on_postgresql(ingestion.db.engine) else run_local
    run(ingestion, stop, threads=threads, on_report=on_report)


def sweep(
    ingestion: Ingestion,
    conditions: Conditions,
    *,
    threads: int,
    on_report: Callable[[CheckReport], None],
) -> Summary:
    """Check every source that fulfils the conditions once; return the counts.

    Hosts that a worker is checking are passed over. The conditions must fail for a source that was
    checked, or the sweep would not end. Raises DBAPIError when the database cannot be written.
    """
    run = sweep_shared if on_postgresql(ingestion.db.engine) else sweep_local
    return run(ingestion, conditions, threads=threads, on_report=on_report)
