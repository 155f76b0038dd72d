"""What looks that bring nothing cost, by part: milliseconds of processor each.

    python bench/sweep_looks.py [--sources 1000] [--rounds 3] [--profile FILE]

Sources on addresses of their own are read once; then all are looked at one after the other in
this process, and answered 304. The server is a process of its own, and not counted.
"""

import argparse
import cProfile
import tempfile
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from time import process_time

from sweep_memory import world
from sweeps import addresses, serving

from ingest.pipeline.check_source import check
from ingest.pipeline.ingestion import Ingestion
from ingest.pipeline.source_state import load_sources
from ingest.pipeline.store import store_all
from ingest.workers.local import sweep
from ingest.workers.pool import LEASED_AHEAD
from service.ingestion import THREADS
from storage.scheduling.due import claim_sources, not_attempted_since


def now() -> datetime:
    """Return the time."""
    return datetime.now(UTC)


def looked(ingestion: Ingestion, profile: cProfile.Profile | None) -> Counter[str]:
    """Look at everything once; return the seconds of each part, and the looks."""
    spent: Counter[str] = Counter()
    begun = now()
    while True:
        at = process_time()
        with ingestion.db.write() as session:
            most = LEASED_AHEAD * THREADS
            claims = claim_sources(
                session, not_attempted_since(begun), now=now(), most=most, per_host=most
            )
            sources = load_sources(session, [each.source_id for each in claims])
        spent["claiming"] += process_time() - at
        if not sources:
            return spent
        at = process_time()
        if profile is not None:
            profile.enable()
        results = [check(ingestion, source) for source in sources]
        if profile is not None:
            profile.disable()
        spent["asking"] += process_time() - at
        at = process_time()
        with ingestion.db.write() as session:
            store_all(session, results)
        spent["storing"] += process_time() - at
        spent["looks"] += len(sources)


def main() -> None:
    """Measure as the command line says."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sources", type=int, default=1_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--port", type=int, default=8961)
    parser.add_argument("--profile", type=Path)
    asked = parser.parse_args()
    profile = cProfile.Profile() if asked.profile else None
    urls = addresses(asked.port, asked.sources)
    with (
        tempfile.TemporaryDirectory() as folder,
        serving(asked.port, items=1),
        world(Path(folder), urls, now) as ingestion,
    ):
        sweep(ingestion, [not_attempted_since(now())], threads=THREADS, on_report=lambda _: None)
        for _ in range(asked.rounds):
            spent = looked(ingestion, profile)
            parts = {name: 1_000 * spent[name] / spent["looks"] for name in spent}
            parts.pop("looks")
            told = ", ".join(f"{name} {value:.2f}" for name, value in parts.items())
            print(f"{spent['looks']} looks: {told}, together {sum(parts.values()):.2f} ms each")
    if profile is not None:
        profile.dump_stats(asked.profile)


if __name__ == "__main__":
    main()
