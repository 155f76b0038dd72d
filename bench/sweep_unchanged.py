"""Measure checks of unchanged sources, by stage: milliseconds of processor time each.

    python bench/sweep_unchanged.py [--sources 1000] [--rounds 3] [--profile FILE]

Sources on addresses of their own are fetched once; then all are checked one after the other in
this process, and the responses are 304s. The server is another process and does not count.
"""

import cProfile
import tempfile
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from time import process_time

from command_line import parser_of
from sweep_memory import world
from sweeps import addresses, serving

from ingest.pipeline.check_source import check
from ingest.pipeline.ingestion import Ingestion
from ingest.pipeline.source_state import load_sources
from ingest.pipeline.store import store
from ingest.workers.local import sweep
from ingest.workers.pool import LEASED_AHEAD
from service.ingestion import THREADS
from storage.scheduling.due import claim_sources, not_attempted_since


def now() -> datetime:
    """Return the time."""
    return datetime.now(UTC)


def check_all(ingestion: Ingestion, profile: cProfile.Profile | None) -> Counter[str]:
    """Check every source once; return the seconds of each stage, and the number of checks."""
    spent: Counter[str] = Counter()
    begun = now()
    while True:
        at = process_time()
        with ingestion.db.write() as session:
            most = LEASED_AHEAD * THREADS
            leases = claim_sources(
                session, not_attempted_since(begun), now=now(), most=most, per_host=most
            )
            sources = load_sources(session, [lease.source_id for lease in leases])
        spent["leasing"] += process_time() - at
        if not sources:
            return spent
        at = process_time()
        if profile is not None:
            profile.enable()
        results = [check(ingestion, source) for source in sources]
        if profile is not None:
            profile.disable()
        spent["checking"] += process_time() - at
        at = process_time()
        allotment = ingestion.allotment()
        with ingestion.db.write() as session:
            store(session, results, allotment)
        spent["storing"] += process_time() - at
        spent["checks"] += len(sources)


def main() -> None:
    """Measure as the command line says."""
    parser = parser_of(__doc__, sources=1_000, rounds=3, port=8961)
    parser.add_argument("--profile", type=Path)
    options = parser.parse_args()
    profile = cProfile.Profile() if options.profile else None
    urls = addresses(options.port, options.sources)
    with (
        tempfile.TemporaryDirectory() as folder,
        serving(options.port, items=1),
        world(Path(folder), urls, now) as ingestion,
    ):
        sweep(ingestion, [not_attempted_since(now())], threads=THREADS, on_report=lambda _: None)
        for _ in range(options.rounds):
            spent = check_all(ingestion, profile)
            parts = {name: 1_000 * spent[name] / spent["checks"] for name in spent}
            parts.pop("checks")
            line = ", ".join(f"{name} {value:.2f}" for name, value in parts.items())
            print(f"{spent['checks']} checks: {line}, together {sum(parts.values()):.2f} ms each")
    if profile is not None:
        profile.dump_stats(options.profile)


if __name__ == "__main__":
    main()
