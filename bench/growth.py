"""Let a year pass over a part of the catalog; print what the database has grown to, and of what.

    python bench/growth.py --recorded FOLDER [--sources 300] [--days 365] [--database postgresql]

Each source is one of the recorded feeds of a folder, in turn, and publishes when a source of
tests/helpers/simulation does: the recorded items again and again, under other ids, addresses and
days. Each time that something is published the source is checked as a worker checks it,
three hours later; one item in twenty is edited then. Afterwards history
is dropped as CHANGEWIRE_KEEP_HISTORY does, and
the room is given back. Sizes are printed as they would be of the whole catalog.
"""

import argparse
import random
import re
import sqlite3
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from functools import lru_cache, partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import httpx2
from command_line import parser_of
from simulation.world import DAY, HOUR, hosts
from specimen.checks import check_now
from specimen.ingestion import feed_rows
from specimen.postgresql import running_server
from specimen.witnesses import again_and_again
from sqlalchemy import text
from sweep_memory import FORMATS
from sweep_recorded import ITEM, recorded_feeds

from ingest.fetching.client import FetchPolicy, new_client
from ingest.pipeline.ingestion import Ingestion
from ingest.sandbox.parser_pool import ParserPool
from ingest.workers.retention import drop_old_history
from outbound.guard import AddressPolicy
from storage.catalog.sources import all_source_ids, save_sources
from storage.engine.database import Database, on_postgresql, open_database, upgrade

CATALOG = 6_244
EDITED = 1 / 20
FOUND_AFTER = 3 * HOUR
START = datetime(2026, 1, 1, tzinfo=UTC)
NAMES = re.compile(rb"(<(?:guid|id)\b[^>]*>[^<]+?)(\]\]>)?(</)")
LINKS = re.compile(rb"(<link>(?:<!\[CDATA\[)?[^<\]]+|<link\b[^>]*\bhref=[\"'][^\"']+)")
TITLES = re.compile(rb"(<title\b[^>]*>(?:<!\[CDATA\[)?)")
MAIL_DATES = re.compile(rb"(<pubDate>)[^<]*")
DATES = re.compile(rb"(<(?:published|updated|dc:date)>)[^<]*")
SETTINGS = {"shared_buffers": "256MB", "max_wal_size": "4GB", "fsync": "on", "autovacuum": "on"}


@dataclass(frozen=True, eq=False)
class Vendor:
    """A source: what it publishes and when, in seconds of the simulation."""

    head: bytes
    items: tuple[bytes, ...]
    tail: bytes
    published: tuple[float, ...]

    def document(self, at: float, edits: Mapping[int, int]) -> bytes:
        """Return its feed at a time; ``edits`` counts those of an item."""
        newest = sum(moment <= at for moment in self.published)
        shown = range(newest - 1, newest - 1 - len(self.items), -1)
        written = (self._item(number, edits.get(number, 0)) for number in shown)
        return self.head + b"".join(written) + self.tail

    @lru_cache(maxsize=100_000)  # noqa: B019 - the sources live as long as the program
    def _item(self, number: int, edits: int) -> bytes:
        first = self.published[0]
        at = self.published[number] if number >= 0 else first + number * DAY
        day = START + timedelta(seconds=at)
        item = self.items[number % len(self.items)]
        item = NAMES.sub(rb"\1-%d\2\3" % number, item)
        item = LINKS.sub(rb"\1-%d" % number, item)
        item = MAIL_DATES.sub(rb"\g<1>" + format_datetime(day, usegmt=True).encode(), item)
        item = DATES.sub(rb"\g<1>" + day.isoformat().encode(), item)
        return TITLES.sub(rb"\1" + b"Edited: " * edits, item, count=1) if edits else item


def vendors(folder: Path, sources: int, days: int) -> list[Vendor]:
    """Make the sources."""
    feeds = []
    for feed in recorded_feeds(folder):
        items = list(ITEM.finditer(feed.whole))
        whole = (feed.whole[: items[0].start()], feed.whole[items[-1].end() :])
        feeds.append((whole[0], tuple(item[0] for item in items), whole[1]))
    publishers = [each for host in hosts(sources, days=days, seed=1) for each in host]
    return [
        Vendor(*feeds[number % len(feeds)], publisher.published)
        for number, publisher in enumerate(publishers)
    ]


class Vendors(httpx2.BaseTransport):
    """Answers with the feeds as they are at ``at``; /feed/N is that of the N-th source."""

    def __init__(self, vendors: list[Vendor]) -> None:
        self.vendors, self.at = vendors, 0.0
        self.edits: list[Counter[int]] = [Counter() for _ in vendors]

    def now(self) -> datetime:
        """Return the time."""
        return START + timedelta(seconds=self.at)

    def edit(self, number: int, chance: random.Random) -> None:
        """Let a source edit one of the items that it shows."""
        vendor = self.vendors[number]
        newest = sum(moment <= self.at for moment in vendor.published) - 1
        self.edits[number][newest - chance.randrange(len(vendor.items))] += 1

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        if not request.url.path.startswith("/feed/"):
            return httpx2.Response(404)  # postings and tags, which some sources are asked for
        number = int(request.url.path.rpartition("/")[2])
        body = self.vendors[number].document(self.at, self.edits[number])
        kind = {"content-type": "application/xml"}
        return httpx2.Response(200, stream=httpx2.ByteStream(body), headers=kind)


def checks(vendors: list[Vendor], days: int) -> Iterator[tuple[float, int]]:
    """Return when which source is checked: at first, and after each time that it published."""
    found = {(0.0, number) for number in range(len(vendors))}
    for number, vendor in enumerate(vendors):
        last = 0.0
        for at in vendor.published:
            if last < at < days * DAY - FOUND_AFTER:
                last = at + FOUND_AFTER
                found.add((last, number))
    return iter(sorted(found))


def first_checks_and_rest(
    database: Database, vendors: list[Vendor], days: int
) -> Iterator[tuple[int, int]]:
    """Let the time pass; yield the new and edited entries of the first checks, then of the rest."""
    world, chance, done = Vendors(vendors), random.Random(2), Counter[str]()
    client = replace(new_client(FetchPolicy(AddressPolicy()), user_agent="growth"), transport=world)
    with database.read() as session:
        ids = all_source_ids(session)
    with ParserPool(workers=1) as parsers:
        ingestion = Ingestion(db=database, client=client, parsers=parsers, now=world.now)
        for at, number in checks(vendors, days):
            if at and not world.at:
                yield done["new"], done["edited"]
                done.clear()
            world.at = at
            if at and chance.random() < EDITED:
                world.edit(number, chance)
            report = check_now(ingestion, ids[number])
            assert report.failure is None, report
            done.update(new=report.new, edited=report.edited, checks=1)
    print(f"{done['checks']:,} checks found something")
    yield done["new"], done["edited"]


def sizes(database: Database) -> dict[str, tuple[int, int, int]]:
    """Return the rows of each table, its bytes, and those of its indexes."""
    if on_postgresql(database.engine):
        query = (
            "SELECT relname, relname, pg_table_size(oid), pg_indexes_size(oid) FROM pg_class"
            " WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace"
        )
        with database.engine.connect() as connection:
            found = {row[0]: (row[2], row[3]) for row in connection.execute(text(query))}
    else:
        with ProcessPoolExecutor(1, get_context("spawn")) as other:
            found = other.submit(_sizes_on_sqlite, database.engine.url.database or "").result()
    with database.engine.connect() as connection:
        rows = {
            name: connection.execute(text(f"SELECT count(*) FROM {name}")).scalar_one()
            for name in found
        }
    return {name: (rows[name], *found[name]) for name in found}


def _sizes_on_sqlite(file: str) -> dict[str, tuple[int, int]]:
    """Ask the SQLite of Python, as ours has no dbstat; the index of words is one table.

    Two of them in a process would end each other's locks.
    """
    query = (
        "SELECT tbl_name, dbstat.name = tbl_name, sum(pgsize) FROM dbstat"
        " JOIN sqlite_master ON sqlite_master.name = dbstat.name GROUP BY 1, 2"
    )
    found: dict[str, tuple[int, int]] = {}
    with closing(sqlite3.connect(file)) as connection:
        for table, is_table, size in connection.execute(query):
            shadow = re.fullmatch(r"(\w+)_(data|idx|content|docsize|config)", table)
            name = shadow[1] if shadow else table
            before = found.get(name, (0, 0))
            found[name] = (before[0] + size * is_table, before[1] + size * (not is_table))
    return found


def print_sizes(title: str, database: Database, sources: int) -> None:
    """Print what each table would have of the whole catalog, the largest first."""
    scale = CATALOG / sources
    found = sizes(database)
    total = sum(table + indexes for _, table, indexes in found.values())
    print(f"\n{title}: {total * scale / 1e6:,.0f} MB of {CATALOG:,} sources")
    for name, (count, table, indexes) in sorted(found.items(), key=lambda each: -sum(each[1][1:])):
        if table + indexes > total / 200:
            print(
                f"{name:20}{count * scale:12,.0f} rows{table * scale / 1e6:9,.0f} MB and in indexes"
                f"{indexes * scale / 1e6:7,.0f}{(table + indexes) / max(count, 1):9,.0f} bytes each"
            )


@contextmanager
def waits(database: Database) -> Iterator[dict[str, float]]:
    """Read and write beside the block; give the longest that a reader and a writer waited."""
    longest = {"read": 0.0, "write": 0.0}

    def ask() -> None:
        for name, begin, statement in (
            ("read", database.read, "SELECT max(id) FROM snapshots"),
            ("write", database.write, "UPDATE fetch_facts SET next_check_at = next_check_at"),
        ):
            begun = time.monotonic()
            with begin() as session:
                session.execute(text(statement))
            longest[name] = max(longest[name], time.monotonic() - begun)
        time.sleep(0.01)

    with again_and_again(ask):
        yield longest


def timed(title: str, database: Database, work: Callable[[], object]) -> None:
    """Print how long something takes, what it says, and how long others wait meanwhile."""
    begun, cpu = time.monotonic(), time.process_time()
    with waits(database) as longest:
        result = work()
        seconds, cpu = time.monotonic() - begun, time.process_time() - cpu
    print(
        f"\n{title}: {seconds:.1f} s, {cpu:.1f} of this process's CPU; a reader waited"
        f" {longest['read']:.2f} s, a writer {longest['write']:.2f}. {result or ''}"
    )


def run(database: Database, statement: str) -> None:
    """Run a statement outside of a transaction."""
    connection = database.engine.raw_connection()
    handle: Any = connection.driver_connection
    if on_postgresql(database.engine):
        handle.autocommit = True
    handle.execute(statement)
    connection.invalidate()


def measure(database: Database, options: argparse.Namespace) -> None:
    """Fill a database and drop what is old; print its sizes in between."""
    world = vendors(options.recorded, options.sources, options.days)
    upgrade(database)
    with database.write() as session:
        addresses = [f"https://v{n}.example/feed/{n}" for n in range(len(world))]
        save_sources(session, feed_rows(addresses, FORMATS))
    for title, (new, edited) in zip(
        ("first checks", f"{options.days} days"),
        first_checks_and_rest(database, world, options.days),
        strict=True,
    ):
        scale = CATALOG / options.sources
        print(f"\n{title}: {new * scale:,.0f} new entries, {edited * scale:,.0f} edits")
        print_sizes(f"after {title}", database, options.sources)
    end, kept = START + timedelta(days=options.days), timedelta(days=options.keep)
    drop = partial(drop_old_history, database, threading.Event(), kept_for=kept, now=end)
    timed(f"dropping what is older than {options.keep} days", database, drop)
    print_sizes("afterwards", database, options.sources)
    for statement in ("VACUUM", *(["VACUUM FULL"] * on_postgresql(database.engine))):
        timed(statement, database, partial(run, database, statement))
        print_sizes(f"after {statement}", database, options.sources)


def main() -> None:
    """Measure as the command line says."""
    parser = parser_of(__doc__, sources=300, days=365, keep=90)
    parser.add_argument("--recorded", type=Path, required=True)
    parser.add_argument("--database", choices=("sqlite", "postgresql"), default="sqlite")
    options = parser.parse_args()
    with ExitStack() as stack:
        if options.database == "sqlite":
            folder = stack.enter_context(tempfile.TemporaryDirectory())
            url = f"sqlite:///{folder}/growth.db"
        else:
            server = stack.enter_context(running_server(on_disk=True, **SETTINGS))
            url = server.address(server.create())
        measure(stack.enter_context(closing(open_database(url))), options)


if __name__ == "__main__":
    main()
