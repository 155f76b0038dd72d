"""Upgrade a database of the first release with a million entries, while that release goes on.

    python bench/migrate.py [--entries 1000000] [--on sqlite postgresql] [--from 0001]

Makes the tables of the release, fills them, and upgrades as ``changewire db upgrade`` does. Beside
it somebody reads and somebody writes what the release reads and writes. Prints how long it took,
how long they waited and how large the database and its folder became. Exit 1 where a row of
before is not what it was, where an entry or an edit of one has no number afterwards, or where
``db check`` finds something.
"""

import os
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from alembic import command
from alembic.config import Config
from command_line import parser_of
from specimen.postgresql import running_server
from specimen.witnesses import again_and_again
from sqlalchemy import MetaData, Table, func, select, text
from sqlalchemy.exc import DBAPIError

from storage.engine.database import Database, faults, on_postgresql, open_database, upgrade
from storage.engine.sqlite import MIGRATING

SOURCES = 1_000
EDITED_ONE_IN = 20
DOCUMENT = 900
"""Bytes of an entry's document; the shipped catalog's are about as long."""
ROOM_FOR_A_MILLION = {"shared_buffers": "256MB", "max_wal_size": "4GB"}

SERIES = "WITH RECURSIVE series(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM series WHERE n < {to})"
TIMES = {
    "sqlite": "strftime('%Y-%m-%d %H:%M:%S.000000', 1600000000 + n * 60, 'unixepoch')",
    "postgresql": "to_timestamp(1600000000 + n * 60)",
}
BYTES = {"sqlite": "CAST({text} AS BLOB)", "postgresql": "convert_to({text}, 'UTF8')"}
SOURCE = """
INSERT INTO sources (id, slug, vendor, name, name_folded, kind, changelog_url, adapter_type,
                     tags, prominence, health, entry_count, important_count)
{series}
SELECT n, 'acme' || n || '.mail', 'acme' || n, 'Mail', 'mail', 'changelog', 'https://acme.example/',
       'rss', {tags}, 0, 'healthy', {share}, 0
FROM series
"""
FACTS = """
INSERT INTO fetch_facts (source_id, feed_url, host, fail_score, failures, empty_streak,
                         entries_180d, open_gap, next_check_at)
{series}
SELECT n, 'https://feeds.acme.example/' || n, 'feeds.acme.example', 0, 0, 0, 0, {no}, {at}
FROM series
"""
ENTRY = """
INSERT INTO entries (id, source_id, external_id, published_at, title, url, url_key, content_hash,
                     revision, first_seen_at, changed_at, important, importance_version, document,
                     public_document)
{series}
SELECT n, 1 + n % {sources}, 'entry ' || n, {at}, 'Version ' || n, 'https://acme.example/' || n, n,
       '{hash}', CASE WHEN n % {edited} = 0 THEN 2 ELSE 1 END, {at}, {at}, {no}, 1,
       {document}, {public}
FROM series
"""
REVISION = """
INSERT INTO entry_revisions (entry_id, revision, replaced_at, document)
{series}
SELECT n * {edited}, 1, {at}, {document} FROM series
"""
ONE_MORE = """
INSERT INTO entries (source_id, external_id, published_at, title, content_hash, revision,
                     first_seen_at, changed_at, important, importance_version, document,
                     public_document)
SELECT source_id, :name, published_at, title, content_hash, 1, first_seen_at, changed_at,
       important, importance_version, document, public_document
FROM entries WHERE id = 1
"""


def release(database: Database, revision: str) -> None:
    """Make the tables of a release."""
    with database.engine.execution_options(**MIGRATING).begin() as connection:
        config = Config()
        config.set_main_option("script_location", "storage:migrations")
        config.set_main_option("path_separator", "os")
        config.attributes["connection"] = connection
        command.upgrade(config, revision)


def fill(database: Database, entries: int) -> None:
    """Fill them, inside the database."""
    backend = database.engine.dialect.name

    def blob(written: str) -> str:
        return BYTES[backend].format(text=written)

    padding = "x" * (DOCUMENT - 40)
    parts = {
        "no": "false",
        "at": TIMES[backend],
        "tags": blob("'[]'"),
        "share": entries // SOURCES,
        "sources": SOURCES,
        "edited": EDITED_ONE_IN,
        "hash": "0" * 64,
        "document": blob(f"""'{{"id":"entry ' || n || '","raw":"{padding}"}}'"""),
        "public": blob(f"""'{{"id":"entry ' || n || '","raw":"{padding[:300]}"}}'"""),
    }
    counts = {SOURCE: SOURCES, FACTS: SOURCES, ENTRY: entries, REVISION: entries // EDITED_ONE_IN}
    with database.engine.begin() as connection:
        if on_postgresql(database.engine):
            connection.execute(text("SET LOCAL statement_timeout = 0"))
        for statement, count in counts.items():
            series = SERIES.format(to=count)
            connection.execute(text(statement.format(series=series, **parts)))
        if on_postgresql(database.engine):
            connection.execute(
                text("SELECT setval(pg_get_serial_sequence('entries', 'id'), :last)"),
                {"last": entries},
            )


def sums(database: Database, tables: dict[str, Table], entries: int) -> dict[str, tuple[int, int]]:
    """Return how many rows each table had before, and a sum over all that is in them."""
    found = {}
    with database.engine.connect() as connection:
        if on_postgresql(database.engine):
            connection.execute(text("SET LOCAL statement_timeout = 0"))
        for name, table in tables.items():
            asked = select(table).execution_options(yield_per=10_000)
            if name == "entries":
                asked = asked.where(table.c.id <= entries)  # what the writer adds is not of before
            rows, total = 0, 0
            for some in connection.execute(asked).partitions():
                rows += len(some)
                total = (total + sum(hash(tuple(row)) for row in some)) % 2**64
            found[name] = rows, total
    return found


class Neighbour:
    """Does what the release does, and notes how long it had to wait."""

    def __init__(self, address: str, *, writes: bool) -> None:
        self.longest, self.refused = 0.0, 0
        self._database = open_database(address)
        self._writes = writes

    def again(self) -> None:
        """Do it once more."""
        begun = time.monotonic()
        try:
            self._once()
        except DBAPIError:
            self.refused += 1
        self.longest = max(self.longest, time.monotonic() - begun)
        time.sleep(0.05)

    def _once(self) -> None:
        if self._writes:
            with self._database.write() as session:
                session.execute(text(ONE_MORE), {"name": f"new {time.monotonic_ns()}"})
            return
        newest = "SELECT document FROM entries WHERE source_id = 7 ORDER BY published_at DESC"
        with self._database.read() as session:
            session.execute(text(f"{newest} LIMIT 50")).all()

    def close(self) -> None:
        """Close its database."""
        self._database.close()


class Room:
    """Measures how large a folder becomes."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.at_first = self.most = self.now()

    def now(self) -> int:
        """Return the bytes of its files."""
        total = 0
        for folder, _, names in os.walk(self._folder):
            for name in names:
                try:
                    total += Path(folder, name).stat().st_size
                except OSError:
                    continue  # it is gone by now
        return total

    def again(self) -> None:
        """Measure once more."""
        self.most = max(self.most, self.now())
        time.sleep(0.2)


def tidied(database: Database) -> None:
    """Let SQLite put away its log, so that the size of the folder is that of the database."""
    if not on_postgresql(database.engine):
        with database.engine.connect() as connection:
            connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")


def upgraded(address: str, folder: Path, *, entries: int, revision: str) -> list[str]:
    """Fill, upgrade, compare; return the faults."""
    database = open_database(address)
    release(database, revision)
    fill(database, entries)
    schema = MetaData()
    schema.reflect(database.engine)
    tables = {name: table for name, table in schema.tables.items() if name != "alembic_version"}
    before = sums(database, tables, entries)
    tidied(database)
    room = Room(folder)
    with (
        closing(Neighbour(address, writes=False)) as reader,
        closing(Neighbour(address, writes=True)) as writer,
        again_and_again(reader.again, writer.again, room.again),
    ):
        time.sleep(1)
        waited = reader.longest, writer.longest
        reader.longest = writer.longest = 0.0
        begun, worked = time.monotonic(), time.process_time()
        upgrade(database)
        lasted, worked = time.monotonic() - begun, time.process_time() - worked
    tidied(database)
    print(
        f"{database.engine.dialect.name}: {entries:,} entries from {revision} in {lasted:.1f} s, "
        f"{worked:.1f} s of this program's processor time; a reader waited {reader.longest:.2f} s "
        f"at most ({waited[0]:.2f} before), a writer {writer.longest:.1f} s ({waited[1]:.2f}) and "
        f"was refused {writer.refused} times; from {room.at_first >> 20:,} MiB to "
        f"{room.now() >> 20:,}, {room.most >> 20:,} at most"
    )
    after = sums(database, tables, entries)
    found = [f"{name} is not what it was" for name in before if after[name] != before[name]]
    found += unnumbered(database) + faults(database)
    database.close()
    return found


def unnumbered(database: Database) -> list[str]:
    """Say how many entries and edits have no number."""
    count = select(func.count())
    with database.engine.connect() as connection:
        said = {
            name: connection.scalar(count.select_from(text(name))) or 0
            for name in ("entries", "entry_revisions", "entry_changes")
        }
    missing = said["entries"] + said["entry_revisions"] - said["entry_changes"]
    return [f"{missing} entries and edits have no number"] if missing else []


@contextmanager
def a_database(backend: str) -> Iterator[tuple[str, Path]]:
    """Give the address of an empty database and the folder that it is in."""
    if backend == "sqlite":
        with tempfile.TemporaryDirectory() as folder:
            yield f"sqlite:///{folder}/migrate.db", Path(folder)
        return
    with running_server(**ROOM_FOR_A_MILLION) as server:
        yield server.address(server.create()), server.folder


def main() -> int:
    """Upgrade what the command line asks for."""
    parser = parser_of(__doc__, entries=1_000_000)
    parser.add_argument("--on", nargs="+", default=["sqlite", "postgresql"])
    parser.add_argument("--from", default="0001", dest="revision")
    asked = parser.parse_args()
    found: list[str] = []
    for backend in asked.on:
        with a_database(backend) as (address, folder):
            found += upgraded(address, folder, entries=asked.entries, revision=asked.revision)
    print("\n".join(found) or "no fault")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
