"""What the lock under which entries are numbered costs writers on one PostgreSQL.

    python bench/numbering.py [--writers 1 4] [--entries 1 20] [--seconds 4] [--rounds 3]

Starts a PostgreSQL of its own that waits for its disk, and so many processes that store new entries
of sources of their own, as ingestion does, with so many entries in a transaction. They take turns
at a database as it is and at one whose triggers take no lock and take numbers from a sequence
alone, where followers could miss entries: no other way of numbering is faster. Prints medians.
"""

import time
from dataclasses import replace
from datetime import UTC, datetime
from itertools import count
from multiprocessing import get_context
from multiprocessing.queues import Queue
from multiprocessing.synchronize import Barrier
from statistics import median

from command_line import parser_of
from specimen.postgresql import running_server
from specimen.rows import entry, source
from sqlalchemy import text

from storage.catalog.sources import ids_of, save_sources
from storage.engine.database import open_database, upgrade
from storage.entries.entry_writes import EntryRecord, save_entries

SOURCES = 50  # of each writer
ENTRIES_OF_A_TURN = 1_000_000  # more than there can be
DURABLE = {"fsync": "on", "synchronous_commit": "on", "full_page_writes": "on"}
WITHOUT_LOCK = (
    """
CREATE OR REPLACE FUNCTION number_entry_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO entry_changes (number, source_id, entry_id, revision)
    VALUES (nextval('entry_changes_number_seq'), NEW.source_id, NEW.id, NEW.revision);
    RETURN NULL;
END
$$
""",
    "DROP TRIGGER entries_in_order ON entries",
)


def slugs_of(writer: int) -> list[str]:
    """The sources of one writer."""
    return [f"w{writer}.s{number}" for number in range(SOURCES)]


def write(
    address: str, writer: int, turn: int, size: int, seconds: float, all_here: Barrier, told: Queue
) -> None:
    """Store entries until the time is over; tell how many transactions there were."""
    database, slugs = open_database(address), slugs_of(writer)
    with database.read() as session:
        ids = ids_of(session, slugs)
    now, written, numbers = datetime.now(UTC), 0, count(turn * ENTRIES_OF_A_TURN)
    all_here.wait()
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        slug = slugs[written % len(slugs)]
        new = [_entry(slug, next(numbers), now) for _ in range(size)]
        with database.write() as session:
            save_entries(session, ids[slug], new=new, edited=[], now=now)
        written += 1
    database.close()
    told.put(written)


def _entry(slug: str, number: int, now: datetime) -> EntryRecord:
    """One entry of a source, with an id that no other one has."""
    record = entry(slug, number % 300, now)
    return replace(record, text=replace(record.text, external_id=f"{slug}/{number}"))


def pace(address: str, writers: int, turn: int, size: int, seconds: float) -> float:
    """Return how many transactions all writers do in a second."""
    context = get_context("spawn")
    told, all_here = context.Queue(), context.Barrier(writers)
    processes = [
        context.Process(target=write, args=(address, writer, turn, size, seconds, all_here, told))
        for writer in range(writers)
    ]
    for process in processes:
        process.start()
    written = [told.get() for _ in processes]
    for process in processes:
        process.join()
    return sum(written) / seconds


def new_database(postgresql, writers: int, *, locked: bool) -> str:
    """Return the address of a database with the sources of all writers."""
    address = postgresql.address(postgresql.create())
    database = open_database(address)
    upgrade(database)
    slugs = [slug for writer in range(writers) for slug in slugs_of(writer)]
    with database.write() as session:
        save_sources(session, [source(slug) for slug in slugs])
    if not locked:
        with database.engine.begin() as connection:
            for statement in WITHOUT_LOCK:
                connection.execute(text(statement))
    database.close()
    return address


def main() -> None:
    """Measure as the command line says."""
    parser = parser_of(__doc__, seconds=4.0, rounds=3)
    parser.add_argument("--writers", type=int, nargs="+", default=[1, 4])
    parser.add_argument("--entries", type=int, nargs="+", default=[1, 20])
    options = parser.parse_args()
    with running_server(**DURABLE) as postgresql:
        most = max(options.writers)
        addresses = [new_database(postgresql, most, locked=locked) for locked in (True, False)]
        turn = count()
        for size in options.entries:
            for writers in options.writers:
                turns = [
                    [
                        pace(address, writers, next(turn), size, options.seconds)
                        for address in addresses
                    ]
                    for _ in range(options.rounds)
                ]
                locked, free = (median(paces) for paces in zip(*turns, strict=True))
                print(
                    f"{writers} writers, {size} entries at once: {locked:.0f} transactions a second"
                    f" with the lock, {free:.0f} without",
                    flush=True,
                )


if __name__ == "__main__":
    main()
