"""The index of the words of entries in a copy.

PostgreSQL has the words of each entry, SQLite keeps their index alone: there they are made anew
from the entries, as workers make them.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from sqlalchemy import Connection, select, text
from sqlalchemy.orm import Session

from storage.copying.rows import Row
from storage.entries.search.index import words_of_entries
from storage.models import Entry

AT_ONCE: Final = 1_000
_KEY: Final = {"postgresql": "entry_id", "sqlite": "rowid"}


def columns_of_words(target: Connection) -> str:
    """Return the columns of the index as SQL: of an entry's key, and of its words."""
    return f"{_KEY[target.dialect.name]}, words"


def words_after(source: Connection, last: int) -> Iterator[Sequence[Row]]:
    """Give the words of the entries behind one that the source has in its index, some at a time.

    The others are indexed by a worker.
    """
    if source.dialect.name == "postgresql":
        statement = text(
            "SELECT entry_id, words FROM entry_words WHERE entry_id > :last ORDER BY 1"
        )
        streaming = {"yield_per": AT_ONCE}
        result = source.execute(statement, {"last": last}, execution_options=streaming)
        for rows in result.partitions(AT_ONCE):
            yield [tuple(row) for row in rows]
        return
    with Session(source) as session:
        while keys := _next_keys(session, last):
            yield words_of_entries(session, keys)
            last = keys[-1]


def last_with_words(connection: Connection) -> int:
    """Return the highest key of an entry in the index, 0 without any."""
    column = _KEY[connection.dialect.name]
    return int(connection.scalar(text(f"SELECT MAX({column}) FROM entry_words")) or 0)


def count_words(connection: Connection) -> int:
    """Return how many entries are in the index."""
    return int(connection.scalar(text("SELECT COUNT(*) FROM entry_words")) or 0)


def _next_keys(session: Session, last: int) -> list[int]:
    in_index = Entry.indexed_revision == Entry.revision
    keys = select(Entry.id).where(Entry.id > last, in_index).order_by(Entry.id).limit(AT_ONCE)
    return [*session.scalars(keys)]
