"""Measure what hostile vendors cost the others: one source of 50 means harm.

    python bench/hostile.py [--sources 50] [--rounds 9] [--parsers 2] [--only HARM…]

Sweeps over good feeds, in turn alone and with one more source that drips a byte a second, is a
bomb, redirects for ever, or keeps a parser busy. Each sweep with harm is held against those
without right before and after it, so that whatever else the machine does weighs on both; the
medians count. Reported: the pace at which the good ones are read compared with being alone, how
and when the bad one ended, and by how much this process grew; before that, by how much it grows at
most while 32 vendors at once send a few kilobytes that become 10 MiB each.

Two processors with nothing else to do gave, as medians of seven rounds: 110 % of the pace with a
drip, 95 % with a bomb, 103 % with a loop, and with a busy parser 99 % (9 rounds) and 107 (15). With
twenty processes that wanted them, a busy parser left 81 %.
"""

import tempfile
import time
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import mean, median

from command_line import parser_of
from specimen.ingestion import DEADLINE, feed_rows, loopback_client, open_ingestion
from specimen.processes import most_bytes, resident_bytes
from sqlalchemy import select, update
from vendors import running

from ingest.fetching.room import give_memory_back
from ingest.pipeline.check_result import CheckReport, CheckStatus
from ingest.pipeline.ingestion import Ingestion
from ingest.workers.local import sweep
from service.ingestion import PARSERS
from storage.models import FetchFacts, Source
from storage.scheduling.due import not_attempted_since

HARM = ("drip", "bomb", "loop", "deep")
BOMBS = 32
DRIP_ENDS = timedelta(seconds=5)  # as with any other limit, but sooner


@dataclass(frozen=True, slots=True)
class Swept:
    """Seconds until the last good source was read, until all was over, and the bad one's end."""

    good: float
    over: float
    end: str


def ingestion(
    folder: Path, addresses: Sequence[str], *, parsers: int, deadline: timedelta = DEADLINE
) -> AbstractContextManager[Ingestion]:
    """Give an ingestion over a new database, every name leading to loopback."""
    give_memory_back()
    client = loopback_client(resolver=lambda *_: ["127.0.0.1"], deadline=deadline)
    return open_ingestion(folder, feed_rows(addresses), client, parsers=parsers)


def resident_mib() -> float:
    """Return the memory of this process in MiB."""
    return resident_bytes() / (1 << 20)


def swept(world: Ingestion, bad: str | None) -> Swept:
    """Sweep over the good sources, and a bad one if it is named."""
    start = datetime.now(UTC)
    with world.db.write() as session:
        excluded = select(Source.id).where(
            Source.slug.in_({f"vendor{n}.changelog" for n in range(len(HARM))} - {bad})
        )
        session.execute(update(FetchFacts).values(next_check_at=start, body_hash=None, etag=None))
        conditions = [
            not_attempted_since(start),
            FetchFacts.source_id.not_in(session.scalars(excluded).all()),
        ]
    began, last, end = time.monotonic(), 0.0, ""

    def note(report: CheckReport) -> None:
        nonlocal last, end
        if report.status is CheckStatus.FAILED:
            end = report.message or ""
        else:
            last = time.monotonic() - began

    sweep(world, conditions, threads=16, on_report=note)
    return Swept(last, time.monotonic() - began, end)


def measured(world: Ingestion, number: int, harm: str, rounds: int) -> None:
    """Sweep in turn without and with one kind of harm, and print the medians."""
    before = resident_mib()
    alone = [swept(world, None)]
    together: list[Swept] = []
    for _ in range(rounds):
        together.append(swept(world, f"vendor{number}.changelog"))
        alone.append(swept(world, None))
    pace = [
        mean((alone[at].good, alone[at + 1].good)) / phase.good for at, phase in enumerate(together)
    ]
    print(
        f"with {harm}: {median(phase.good for phase in together):.2f} s, alone "
        f"{median(phase.good for phase in alone):.2f} s: {100 * median(pace):.0f} % of the pace "
        f"({100 * min(pace):.0f} to {100 * max(pace):.0f}); the bad one ended after "
        f"{median(phase.over for phase in together):.1f} s: {together[-1].end} "
        f"Memory {resident_mib() - before:+.0f} MiB",
        flush=True,
    )


def bombs_at_once(folder: Path, port_suffix: str, parsers: int) -> None:
    """Print by how much this process grows at most while many documents are large at once."""
    folder.mkdir()
    addresses = [f"http://heavy{number}.example{port_suffix}/heavy" for number in range(BOMBS)]
    with ingestion(folder, addresses, parsers=parsers, deadline=timedelta(seconds=30)) as world:
        before = resident_mib()
        Path("/proc/self/clear_refs").write_text("5")  # forget the peak
        began, began_at = time.monotonic(), datetime.now(UTC)
        sweep(world, [not_attempted_since(began_at)], threads=BOMBS, on_report=lambda _: None)
        peak = most_bytes(Path("/proc/self/status").read_text()) / (1 << 20)
        print(
            f"{BOMBS} bombs: {peak - before:+.0f} MiB, {time.monotonic() - began:.0f} s", flush=True
        )


def main() -> None:
    """Measure as the command line says."""
    parser = parser_of(__doc__, sources=50, rounds=9, parsers=PARSERS, port=8933)
    parser.add_argument("--only", nargs="*", choices=HARM, default=HARM)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, running(options.port) as port_suffix:
        bombs_at_once(Path(folder) / "bombs", port_suffix, options.parsers)
        addresses = [f"http://{harm}.example{port_suffix}/{harm}" for harm in HARM]
        addresses += [
            f"http://h{number}.example{port_suffix}/feed/{number}?grow"
            for number in range(options.sources - 1)
        ]
        with ingestion(
            Path(folder), addresses, parsers=options.parsers, deadline=DRIP_ENDS
        ) as world:
            swept(world, None)
            for number, harm in enumerate(HARM):
                if harm in options.only:
                    measured(world, number, harm, options.rounds)


if __name__ == "__main__":
    main()
