"""Measure sweeps over many sources: time and processor time a source, commits, who waits.

    python bench/sweep.py [--sources 2000] [--crowded 0.87] [--profile FILE]

``--crowded`` is the share of sources on one host, as GitHub's in the catalog; the others are
on hosts of their own. The first sweep reads every feed, the second gets 304 for every feed.
"""

import cProfile
import tempfile
import time
from collections.abc import Sequence
from contextlib import AbstractContextManager
from datetime import UTC, datetime, timedelta
from pathlib import Path

from command_line import parser_of
from specimen.ingestion import DEADLINE, feed_rows, loopback_client, open_ingestion
from sqlalchemy import event, update
from vendors import running

from ingest.fetching.room import give_memory_back
from ingest.pipeline.ingestion import Ingestion
from ingest.workers.local import sweep
from storage.engine.database import Database
from storage.models import FetchFacts
from storage.scheduling.due import not_attempted_since


def ingestion(
    folder: Path, addresses: Sequence[str], *, parsers: int = 2, deadline: timedelta = DEADLINE
) -> AbstractContextManager[Ingestion]:
    """Give an ingestion over a new database, every name leading to loopback."""
    give_memory_back()
    client = loopback_client(resolver=lambda *_: ["127.0.0.1"], deadline=deadline)
    return open_ingestion(folder, feed_rows(addresses), client, parsers=parsers)


def counted(database: Database) -> list[int]:
    """Return a list that grows with every commit and every statement."""
    counts = [0, 0]
    event.listen(database.engine, "commit", lambda _: counts.__setitem__(0, counts[0] + 1))
    event.listen(
        database.engine,
        "before_cursor_execute",
        lambda *_: counts.__setitem__(1, counts[1] + 1),
    )
    return counts


def measured(world: Ingestion, name: str, sources: int, counts: list[int]) -> None:
    """Sweep once over everything and print the figures."""
    start = datetime.now(UTC)
    with world.db.write() as session:
        session.execute(update(FetchFacts).values(next_check_at=start))
    counts[:] = [0, 0]
    began, used = time.monotonic(), time.process_time()
    summary = sweep(world, [not_attempted_since(start)], threads=16, on_report=lambda _: None)
    took, used = time.monotonic() - began, time.process_time() - used
    checks = {status.value: count for status, count in summary.checks.items()}
    print(
        f"{name}: {checks} of {sources}, {summary.new} new; {took:.1f} s, "
        f"{1000 * took / sources:.1f} ms and {1000 * used / sources:.1f} ms of processor a source, "
        f"{counts[0]} commits, {counts[1] / sources:.1f} statements a source"
    )


def main() -> None:
    """Measure as the command line says."""
    parser = parser_of(__doc__, sources=2000, crowded=0.87, port=8931)
    parser.add_argument("--profile", type=Path)
    options = parser.parse_args()
    crowd = int(options.sources * options.crowded)
    with tempfile.TemporaryDirectory() as folder, running(options.port) as port:
        addresses = [
            f"http://{'crowd' if number < crowd else f'h{number}'}.example{port}/feed/{number}"
            for number in range(options.sources)
        ]
        with ingestion(Path(folder), addresses) as world:
            counts = counted(world.db)
            measured(world, "first", options.sources, counts)
            profile = cProfile.Profile() if options.profile else None
            measured(world, "again, all 304", options.sources, counts)
            if profile is not None:
                profile.runcall(measured, world, "profiled", options.sources, counts)
                profile.dump_stats(options.profile)


if __name__ == "__main__":
    main()
