"""The index of the words of entries in a copy: made anew, for SQLite keeps the words alone."""

from collections.abc import Callable
from typing import Final

from sqlalchemy import Connection, select, text
from sqlalchemy.orm import Session

from storage.engine.database import Database
from storage.entries.search.index import index_entries
from storage.models import Entry

AT_ONCE: Final = 5_000


def index_copy(database: Database, report: Callable[[str, int], None]) -> None:
    """Index the entries that the source had in its index, from where it was left; the others
    are indexed by a worker."""
    last = _last_indexed(database)
    done = 0
    while keys := _next_keys(database, last):
        with database.write() as session:
            index_entries(session, keys)
        last, done = keys[-1], done + len(keys)
        report("entry_words", done)


def count_words(connection: Connection) -> int:
    """Return how many entries are in the index."""
    return int(connection.scalar(text("SELECT COUNT(*) FROM entry_words")) or 0)


def _next_keys(database: Database, last: int) -> list[int]:
    in_index = Entry.indexed_revision == Entry.revision
    keys = select(Entry.id).where(Entry.id > last, in_index).order_by(Entry.id).limit(AT_ONCE)
    with database.read() as session:
        return [*session.scalars(keys)]


def _last_indexed(database: Database) -> int:
    column = "entry_id" if database.engine.dialect.name == "postgresql" else "rowid"
    with database.read() as session:
        return _highest(session, column)


def _highest(session: Session, column: str) -> int:
    return int(session.scalar(text(f"SELECT MAX({column}) FROM entry_words")) or 0)
