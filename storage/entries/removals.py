"""Entries that were removed with their sources, as changes of their own (docs/decisions/0236).

Removals take their numbers from those of ``storage.entries.changes``, so that a reader merges both
into one order.
"""

from collections.abc import Collection, Iterator
from datetime import datetime
from itertools import count
from typing import Any, Final

import orjson
from sqlalchemy import BigInteger, Integer, bindparam, func, insert, select, text
from sqlalchemy.orm import Session

from storage.engine.statements import batches, is_sqlite
from storage.engine.types import AnySelect
from storage.entries.changes import number_at
from storage.models import Entry, EntryRemoval, Source

KEPT: Final = ("id", "source", "vendor", "published_at", "title", "tags")
"""What a removal says of its entry: the fields that every ChangelogEntry has."""

_BATCH: Final = 1_000  # entries that are read and written at once
_NEWEST_ON_SQLITE: Final = text(
    "SELECT MAX(COALESCE((SELECT seq FROM sqlite_sequence WHERE name = 'entry_changes'), 0),"
    " COALESCE((SELECT MAX(number) FROM entry_changes), 0))"
)
_SET_ON_SQLITE: Final = text("UPDATE sqlite_sequence SET seq = :last WHERE name = 'entry_changes'")
_LOCK_ON_POSTGRESQL: Final = text("SELECT pg_advisory_xact_lock(1668180839)")
_NEXT_ON_POSTGRESQL: Final = text("SELECT nextval('entry_changes_number_seq')")
_SET_ON_POSTGRESQL: Final = text("SELECT setval('entry_changes_number_seq', :last)")
_REMOVALS: AnySelect = (
    select(EntryRemoval.number, EntryRemoval.document)
    .where(EntryRemoval.number > bindparam("after", type_=BigInteger))
    .order_by(EntryRemoval.number)
    .limit(bindparam("most", type_=Integer))
)
_OF_SLUGS: AnySelect = _REMOVALS.where(EntryRemoval.slug.in_(bindparam("slugs", expanding=True)))


def removals_after(
    session: Session, number: int, *, limit: int, slugs: Collection[str] | None = None
) -> list[tuple[int, bytes]]:
    """Return the first ``limit`` removals after ``number``, from some sources or from all.

    Of each its number and what is left of the ChangelogEntry.
    """
    values = {"after": number, "most": limit}
    if slugs is None:
        rows = session.connection().execute(_REMOVALS, values)
    else:
        rows = session.connection().execute(_OF_SLUGS, values | {"slugs": sorted(slugs)})
    return [(removed, document) for removed, document in rows]


def add_removals(session: Session, source_ids: Collection[int], *, now: datetime) -> None:
    """Number the entries of sources as removed.

    To be called before they are deleted, in the same transaction. The caller has locked the
    entries; the sources are locked here, so that no entry is added to one meanwhile.
    """
    of_sources = Source.id.in_(source_ids)
    session.execute(select(Source.id).where(of_sources).order_by(Source.id).with_for_update())
    entries = Entry.source_id.in_(source_ids)
    total = session.scalar(select(func.count()).select_from(Entry).where(entries)) or 0
    if not total:
        return
    numbers = count(_take_numbers(session, total, now=now))
    query = (
        select(Source.slug, Entry.document)
        .join(Source, Source.id == Entry.source_id)
        .where(entries)
        .order_by(Source.slug, Entry.published_at, Entry.external_id)
    )
    rows = session.execute(query.execution_options(yield_per=_BATCH))
    for batch in batches(_removals(rows, numbers), _BATCH):
        session.execute(insert(EntryRemoval), batch)


def _removals(rows: Any, numbers: Iterator[int]) -> Iterator[dict[str, object]]:
    for slug, document in rows:
        entry = orjson.loads(document)
        left = orjson.dumps({name: entry[name] for name in KEPT})
        yield {"number": next(numbers), "slug": slug, "document": left}


def _take_numbers(session: Session, numbers: int, *, now: datetime) -> int:
    """Return the first of some numbers that no other change gets, as the triggers take theirs."""
    by_clock = number_at(now)
    if is_sqlite(session):
        newest = session.scalar(_NEWEST_ON_SQLITE) or 0
        first = max(newest + 1, by_clock)
        session.execute(_SET_ON_SQLITE, {"last": first + numbers - 1})
        return first
    session.execute(_LOCK_ON_POSTGRESQL)
    first = max(session.scalar(_NEXT_ON_POSTGRESQL) or 0, by_clock)
    session.execute(_SET_ON_POSTGRESQL, {"last": first + numbers - 1})
    return first
