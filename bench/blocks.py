"""Count the blocks of PostgreSQL that a page reads, first and deep, over many entries.

    python bench/blocks.py [--entries 1000000]

Starts a PostgreSQL of its own and fills it by a statement for each table: 5,000 sources, of which a
few have most entries, and one entry in eight is important. What a page asks is run again under
EXPLAIN (ANALYZE, BUFFERS); a block is 8 kB, read or found in memory.
"""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from functools import partial
from typing import Any, Final

from api_data import SOURCES, row_of
from command_line import parser_of
from specimen.postgresql import running_server
from sqlalchemy import event, text
from sqlalchemy.orm import Session

from openapi.vocabulary import Category
from storage.catalog.catalog_items import page_items
from storage.catalog.source_filter import SourceFilter
from storage.catalog.sources import ids_of, save_sources
from storage.engine.database import Database, open_database, upgrade
from storage.entries.changes import changes_after, newest_change
from storage.entries.deadlines import coming_deadlines
from storage.entries.diffs import newest_diffs
from storage.entries.entry_filter import EntryFilter
from storage.entries.entry_pages import (
    newest_feed_entries,
    page_entries,
    page_important,
    page_latest,
)
from storage.entries.history import page_history
from storage.entries.states import feed_state

FILL: Final = (
    "SET statement_timeout = 0",
    "SET session_replication_role = replica",  # no triggers: the totals are written below
    """
    INSERT INTO entries (source_id, external_id, published_at, title, url, content_hash,
        first_seen_at, changed_at, important, categories, importance, document, public_document,
        revision, importance_version, prerelease)
    SELECT :first + floor(power(random(), 3) * :sources)::int, md5(number::text),
        now() - (:entries - number + random() * 30000) * interval '5 minutes',
        'Version ' || number, 'https://acme.example', md5(number::text), now(), now(),
        number % 8 = 0, (number % 8 = 0)::int, '{}',
        convert_to(repeat('x', 600), 'UTF8'), convert_to(repeat('x', 400), 'UTF8'),
        1, 0, number % 20 = 0
    FROM generate_series(1, :entries) AS number
    """,
    """
    INSERT INTO entry_changes (number, source_id, entry_id, revision)
    SELECT id, source_id, id, 1 FROM entries ORDER BY id
    """,
    """
    UPDATE sources SET entry_count = counted.entries FROM (
        SELECT source_id, count(*) AS entries FROM entries GROUP BY source_id
    ) AS counted WHERE source_id = sources.id
    """,
    """
    DELETE FROM catalog_totals
    """,
    """
    INSERT INTO catalog_totals (sources, entries, important, unlisted, unlisted_important,
        catalog_moves, sample_moves, document_moves, public_moves, important_moves)
    SELECT 0, count(*), count(*) FILTER (WHERE important), 0, 0, 0, 0, 0, 0, 0 FROM entries
    """,
)
FIRST: Final = {"limit": 50, "offset": 0}
Question = Callable[[Session], object]


def questions(ids: list[int], entries: int, now: datetime) -> Iterator[tuple[str, Question]]:
    """Yield what is asked, by name."""
    breaking = EntryFilter(categories=frozenset({Category.BREAKING}))
    stable = EntryFilter(prerelease=False)
    lists: dict[str, tuple[Callable[..., object], int]] = {
        "latest": (partial(page_latest, now=now), entries),
        "latest, stable": (partial(page_latest, filter_=stable, now=now), entries * 19 // 20),
        "important": (partial(page_important, now=now), entries // 8),
        "important, breaking": (partial(page_important, filter_=breaking, now=now), entries // 8),
        "entries of the largest source": (partial(page_entries, source_ids=ids[:1]), entries // 20),
        "entries of three sources": (partial(page_entries, source_ids=ids[:3]), entries // 12),
        "entries of a hundred": (partial(page_entries, source_ids=ids[:100]), entries // 5),
    }
    for name, (page, total) in lists.items():
        depths = (0, 1_000, 10_000, total // 2, total - total // 100)
        for offset in sorted({depth for depth in depths if not depth or depth < total}):
            yield f"{name}, from {offset:,}", partial(page, limit=50, offset=offset)
    feed = partial(newest_feed_entries, most=50, now=now, only_important=False)
    yield "a feed", feed
    yield "the state of feeds, for ETags", partial(feed_state, now=now)
    yield "changes from the beginning", lambda session: changes_after(session, 0, limit=100)
    yield (
        "changes of a hundred, from the middle",
        lambda session: changes_after(
            session, newest_change(session) - entries // 2, limit=100, source_ids=ids[:100]
        ),
    )
    yield "sources", partial(page_items, filter_=SourceFilter(), now=now, **FIRST)
    yield (
        "sources, from 4,900",
        partial(page_items, filter_=SourceFilter(), limit=50, offset=4_900, now=now),
    )
    yield "deadlines", partial(coming_deadlines, now=now, most=50)
    yield "diffs", partial(newest_diffs, source_id=ids[0])
    history = partial(page_history, source_id=ids[0], filter_=breaking, words=None, now=now)
    yield "history of a source, breaking", partial(history, **FIRST)


def fill(database: Database, entries: int) -> list[int]:
    """Write sources and entries; return the ids of the sources, the largest first."""
    slugs = [f"vendor{number % 1700:04}.product{number:04}" for number in range(SOURCES)]
    with database.write() as session:
        save_sources(session, [row_of(slug) for slug in slugs])
        ids = sorted(ids_of(session, slugs).values())
    with database.write() as session:
        values = {"first": ids[0], "sources": SOURCES, "entries": entries}
        for statement in FILL:
            session.execute(text(statement), values)
    with database.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.execute(text("VACUUM ANALYZE"))
    return ids


def blocks_of(database: Database, question: Question) -> int:
    """Return the blocks that all statements of a question read."""
    asked: list[tuple[str, Any]] = []

    def note(*what: Any) -> None:
        asked.append(what[2:4])

    event.listen(database.engine, "before_cursor_execute", note)
    with database.read() as session:
        question(session)
        event.remove(database.engine, "before_cursor_execute", note)
        plans = [
            session.connection().exec_driver_sql(
                f"EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) {statement}", values
            )
            for statement, values in asked
            if statement.lstrip().startswith(("SELECT", "WITH", "("))
        ]
        tops = [plan.scalar_one()[0]["Plan"] for plan in plans]
    return sum(top["Shared Hit Blocks"] + top["Shared Read Blocks"] for top in tops)


def main() -> None:
    """Fill, ask, print."""
    parser = parser_of(__doc__, entries=1_000_000)
    options = parser.parse_args()
    settings = {"shared_buffers": "1GB", "max_wal_size": "8GB", "autovacuum": "off"}
    settings |= {"max_parallel_workers_per_gather": "0"}
    with running_server(**settings) as postgresql:
        database = open_database(postgresql.address(postgresql.create()))
        upgrade(database)
        ids = fill(database, options.entries)
        print(f"{'blocks of a page':50}{options.entries:>12,} entries")
        for name, question in questions(ids, options.entries, datetime.now(UTC)):
            print(f"{name:50}{blocks_of(database, question):>12,}", flush=True)
        database.close()


if __name__ == "__main__":
    main()
