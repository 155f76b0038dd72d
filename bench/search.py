"""Measure filters and searches of entries over a large database, on SQLite and PostgreSQL.

    python bench/search.py [--entries 1000000] [--on sqlite postgresql] [--keep]

Figures are CPU milliseconds of one first page of 50, without HTTP: those of this process and, on
PostgreSQL, of the server's process that works for it; the median of some rounds.
"""

import argparse
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from statistics import median
from typing import Final

from api_data import FOLDER, DataSet, data_set, remove
from command_line import parser_of
from search_data import connected, copy_to_postgresql, index_words
from specimen.postgresql import running_server
from specimen.processes import seconds_of
from sqlalchemy import text
from sqlalchemy.orm import Session

from openapi.vocabulary import Category, SearchOrder
from storage.catalog.sources import ids_of
from storage.engine.database import Database, on_postgresql, open_database, upgrade
from storage.entries.change_log import read_filtered_log
from storage.entries.changes import newest_change
from storage.entries.entry_filter import EntryFilter
from storage.entries.entry_pages import page_entries, page_important, page_latest
from storage.entries.searched_pages import search_entries

SUMMARY: Final = 120
SETTINGS: Final = {
    "shared_buffers": "1GB",
    "max_wal_size": "8GB",
    "max_parallel_workers_per_gather": "0",  # all work in one process, which is measured
}
LEAST: Final = 0.3  # seconds of a round

Question = Callable[[Session], object]


def questions(data: DataSet, now: datetime) -> Iterator[tuple[str, Question]]:
    """Yield what is asked, by name."""
    month = now - timedelta(days=30)
    breaking = frozenset({Category.DEPRECATION})
    page = {"limit": 50, "offset": 0}
    filters = {
        "vendor": EntryFilter(vendor=data.slugs[0].partition(".")[0]),
        "vendor of few entries": EntryFilter(vendor=data.slugs[1600].partition(".")[0]),
        "tag of all": EntryFilter(tag="cloud"),
        "category": EntryFilter(categories=breaking),
        "category, since": EntryFilter(categories=breaking, since=month),
        "since, until": EntryFilter(since=month, until=now - timedelta(days=20)),
        "q, a common word": EntryFilter(q="endpoint"),
        "q, two common words": EntryFilter(q="endpoint token"),
        "q, a word of few": EntryFilter(q=data.slugs[900]),
        "q, a word of none": EntryFilter(q="nothinglikeit"),
        "q, a beginning": EntryFilter(q="dep*"),
        "q, without": EntryFilter(q="endpoint -token"),
        "q, a phrase": EntryFilter(q='"old endpoint"'),
        "q, a rare phrase": EntryFilter(q='"token endpoint token endpoint"'),
        "q, 500 words": EntryFilter(q=" ".join(["endpoint"] + ["token", "quota"] * 250)),
        "q, 2,000 characters": EntryFilter(q="w" * 2000),
        "q, vendor": EntryFilter(q="endpoint", vendor=data.slugs[0].partition(".")[0]),
        "q, category": EntryFilter(q="endpoint", categories=breaking),
        "q, since": EntryFilter(q="endpoint", since=month),
    }
    yield "latest", lambda session: page_latest(session, now=now, **page)
    for name, filter_ in filters.items():
        yield f"latest, {name}", partial(page_latest, filter_=filter_, now=now, **page)
    common, ranked = filters["q, a common word"], SearchOrder.RELEVANCE
    yield "latest, relevance", partial(page_latest, filter_=common, now=now, order=ranked, **page)
    yield (
        "important, category",
        partial(page_important, filter_=filters["category"], now=now, **page),
    )
    yield "important, q", partial(page_important, filter_=common, now=now, **page)
    yield from _of_sources(data, common, now)


def _of_sources(
    data: DataSet, common: EntryFilter, now: datetime
) -> Iterator[tuple[str, Question]]:
    """Yield what is asked about three sources, and about what changed."""

    def keys(session: Session) -> list[int]:
        return sorted(ids_of(session, data.slugs[:3]).values())

    def of_three(session: Session) -> object:
        return page_entries(session, keys(session), limit=50, offset=0)

    def important_of_three(session: Session) -> object:
        filter_ = EntryFilter(categories=frozenset({Category.DEPRECATION}))
        return page_entries(session, keys(session), filter_, limit=50, offset=0)

    def words_of_three(session: Session) -> object:
        return search_entries(session, keys(session), common, limit=50, offset=0, now=now)

    def changes(session: Session, filter_: EntryFilter) -> object:
        place = newest_change(session) - 100_000
        return read_filtered_log(session, place, filter_, limit=50, sources=None)

    yield "entries of three sources", of_three
    yield "entries of three, category", important_of_three
    yield "entries of three, q", words_of_three
    rare = EntryFilter(vendor=data.slugs[1600].partition(".")[0])
    yield "changes, a vendor of few", lambda session: changes(session, rare)
    yield "changes, q", lambda session: changes(session, common)


def main() -> None:
    """Build, ask, print, delete."""
    options = _arguments()
    data = data_set(options.folder, options.entries, summary=SUMMARY)
    index_words(data.file, summary=SUMMARY)
    figures: dict[str, dict[str, float]] = {}
    try:
        for kind in options.on:
            with _database(kind, data) as database:
                for name, milliseconds in _measured(database, data, options.rounds):
                    figures.setdefault(name, {})[kind] = milliseconds
    finally:
        if not options.keep:
            remove(data)
    print(f"{'ms CPU a page':32}" + "".join(f"{kind:>12}" for kind in options.on))
    for name, by_kind in figures.items():
        print(f"{name:32}" + "".join(f"{by_kind[kind]:12.2f}" for kind in options.on))


@contextmanager
def _database(kind: str, data: DataSet) -> Iterator[Database]:
    if kind == "sqlite":
        with closing(open_database(data.url)) as database:
            yield database
        return
    with running_server(**SETTINGS) as server:
        address = server.address(server.create())
        with closing(open_database(address)) as database:
            upgrade(database)
            with connected(address) as target:
                copy_to_postgresql(data.file, target, summary=SUMMARY)
            yield database


def _measured(database: Database, data: DataSet, rounds: int) -> Iterator[tuple[str, float]]:
    now = datetime.now(UTC)
    with database.read() as session:
        backend = _backend(session) if on_postgresql(database.engine) else None
        for name, question in questions(data, now):
            question(session)
            yield name, median(_round(session, question, backend) for _ in range(rounds)) * 1000


def _backend(session: Session) -> int:
    return int(session.execute(text("SELECT pg_backend_pid()")).scalar_one())


def _round(session: Session, question: Question, backend: int | None) -> float:
    began, served, times = time.process_time(), _served(backend), 0
    ends_at = time.monotonic() + LEAST
    while time.monotonic() < ends_at or not times:
        question(session)
        times += 1
    return (time.process_time() - began + _served(backend) - served) / times


def _served(backend: int | None) -> float:
    """Return the CPU seconds of the server's process."""
    return 0.0 if backend is None else seconds_of(backend)


def _arguments() -> argparse.Namespace:
    parser = parser_of(__doc__, entries=1_000_000, rounds=5)
    parser.add_argument("--on", nargs="+", default=["sqlite", "postgresql"])
    parser.add_argument("--keep", action="store_true", help="do not delete the database")
    parser.add_argument("--folder", type=Path, default=FOLDER)
    return parser.parse_args()


if __name__ == "__main__":
    main()
