"""Measure what hostile vendors cost the others: one source of 50 means harm.

    python bench/hostile.py [--sources 50]

Sweeps over good feeds alone, then with one more that drips a byte a second, is a bomb,
redirects for ever, or keeps a parser busy. Reported: the pace at which the good ones are read
compared with being alone, how the bad one ended, and by how much this process grew.
"""

import argparse
import resource
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path

from sqlalchemy import select, update
from sweep import ingestion
from vendors import running

from ingest.ingestion import Ingestion
from ingest.pipeline import Look, Report
from ingest.worker import sweep
from storage.due import not_attempted_since
from storage.models import FetchFacts, Source

HARM = ("drip", "bomb", "loop", "deep")
ROUNDS = 4


def resident_mib() -> float:
    """Return the memory of this process in MiB."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() / (1 << 20)


def seconds_for_the_good(world: Ingestion, bad: str | None) -> tuple[float, float, str]:
    """Sweep; return when the last good source was read, when all was over, how the bad ended."""
    start = datetime.now(UTC)
    with world.db.write() as session:
        others = select(Source.id).where(
            Source.slug.in_({f"vendor{n}.changelog" for n in range(4)} - {bad})
        )
        session.execute(update(FetchFacts).values(next_check_at=start, body_hash=None, etag=None))
        conditions = [
            not_attempted_since(start),
            FetchFacts.source_id.not_in(session.scalars(others).all()),
        ]
    began, last, end = time.monotonic(), 0.0, ""

    def note(report: Report) -> None:
        nonlocal last, end
        if report.look is Look.FAILED:
            end = report.message or ""
        else:
            last = time.monotonic() - began

    sweep(world, conditions, threads=16, on_report=note)
    return last, time.monotonic() - began, end


def main() -> None:
    """Measure as the command line says."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sources", type=int, default=50)
    parser.add_argument("--port", type=int, default=8933)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, running(asked.port) as there:
        addresses = [f"http://{harm}.example{there}/{harm}" for harm in HARM]
        addresses += [
            f"http://h{number}.example{there}/feed/{number}?grow"
            for number in range(asked.sources - 1)
        ]
        with ingestion(Path(folder), addresses) as world:
            seconds_for_the_good(world, None)
            alone = min(seconds_for_the_good(world, None)[0] for _ in range(ROUNDS))
            print(f"{asked.sources - 1} good sources alone: {alone:.2f} s")
            for number, harm in enumerate(HARM):
                before = resident_mib()
                took, over, end = min(
                    seconds_for_the_good(world, f"vendor{number}.changelog")
                    for _ in range(ROUNDS // 2)
                )
                print(
                    f"with {harm}: {took:.2f} s, {100 * alone / took:.0f} % of the pace; the bad "
                    f"one ended after {over:.1f} s: {end} Memory {resident_mib() - before:+.0f} MiB"
                )


if __name__ == "__main__":
    main()
