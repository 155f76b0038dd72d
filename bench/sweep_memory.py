"""Watch the memory of an ingester with thousands of sources over simulated days.

    python bench/sweep_memory.py [--sources 5000] [--hours 24] [--step 15] [--items 30]

The worker's own parts run with the real fetching, parsing and storing against a server on
loopback; only the clock is simulated. It jumps ``--step`` minutes at a time and everything that
is due by then is checked, so a day takes minutes. One source in ten publishes an item every
simulated hour. Printed are the checks of each hour and the resident memory of the parent, whose
garbage is collected as the command line has it, and never by the measurement.
"""

import json
import multiprocessing
import tempfile
from collections import Counter
from collections.abc import Callable
from contextlib import AbstractContextManager
from datetime import UTC, datetime, timedelta
from pathlib import Path

from command_line import parser_of
from specimen.ingestion import feed_rows, fill, loopback_client, open_filled
from specimen.processes import resident_bytes
from sweeps import addresses, publish, serving

import service.worker  # noqa: F401 - a worker has all of it in its memory
from ingest.pipeline.check_result import CheckReport
from ingest.pipeline.ingestion import Ingestion
from ingest.workers.pool import CheckPool
from openapi.vocabulary import AdapterType
from storage.engine.database import Database
from storage.scheduling.due import any_free, is_due

THREADS = 16
STEP = 10  # one source in so many publishes
FORMATS = (AdapterType.RSS, AdapterType.ATOM)
"""Of the feeds of sweep_feeds, in turn."""


class Clock:
    """A clock that stands still until it is set forward."""

    def __init__(self, now: datetime) -> None:
        self.now = now

    def __call__(self) -> datetime:
        return self.now


def world(
    folder: Path, urls: list[str], clock: Callable[[], datetime]
) -> AbstractContextManager[Ingestion]:
    """Give an ingestion over a new database, which another process has filled."""
    rows = feed_rows(urls, FORMATS)
    filling = multiprocessing.get_context("spawn").Process(target=fill, args=(folder, rows))
    filling.start()
    filling.join()
    return open_filled(folder, loopback_client(), now=clock)


def drained(pool: CheckPool, db: Database, clock: Clock) -> Counter[str]:
    """Check everything that is due by the clock; count the checks by status."""
    checks: Counter[str] = Counter()
    while True:
        reports: list[CheckReport] = pool.advance([is_due(clock.now)])
        checks.update(report.status.value for report in reports)
        if pool.idle:
            with db.read() as session:
                if not any_free(session, is_due(clock.now), now=clock.now):
                    return checks
        pool.wait(timedelta(milliseconds=50))


def watched(
    sources: int, hours: int, step: timedelta, *, items: int, port: int
) -> list[dict[str, float]]:
    """Return, for each simulated hour, the checks and the memory of the parent."""
    clock = Clock(datetime(2026, 1, 11, 8, tzinfo=UTC))
    rows_by_hour = []
    with (
        tempfile.TemporaryDirectory() as folder,
        serving(port, items=items) as server,
        world(Path(folder), addresses(port, sources), clock) as ingestion,
    ):
        pool = CheckPool(ingestion, [], threads=THREADS, exclusive=True)
        for hour in range(hours + 1):
            checks: Counter[str] = Counter()
            end = clock.now + (timedelta(hours=1) if hour else timedelta(0))
            while True:
                checks += drained(pool, ingestion.db, clock)
                if clock.now >= end:
                    break
                clock.now = min(clock.now + step, end)
            publish(server, STEP)
            resident = round(resident_bytes() / 1e6, 1)
            rows_by_hour.append({"hour": hour, **checks, "resident_mb": resident})
            print(json.dumps(rows_by_hour[-1]), flush=True)
        pool.stop()
    return rows_by_hour


def main() -> None:
    """Watch as the command line says."""
    parser = parser_of(__doc__, sources=5_000, hours=24, port=8951)
    parser.add_argument("--step", type=int, default=15, help="minutes")
    parser.add_argument("--items", type=int, default=30, help="of each feed")
    options = parser.parse_args()
    step = timedelta(minutes=options.step)
    hours = watched(options.sources, options.hours, step, items=options.items, port=options.port)
    first, last = hours[1]["resident_mb"], hours[-1]["resident_mb"]
    highest = max(figures["resident_mb"] for figures in hours)
    print(f"after the first hour {first} MB, at the end {last} MB, at most {highest} MB")


if __name__ == "__main__":
    main()
