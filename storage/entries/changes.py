"""New entries and edits, in the order in which they were committed (docs/decisions/0041).

A change is a new entry or an edit of one. Its number says where it stands among all of them, over
all sources; it is larger than every number that could be read before. A reader
who keeps the number of the last change and asks for what comes after gets every change once.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from typing import Final

from sqlalchemy import (
    BigInteger,
    Integer,
    Subquery,
    and_,
    bindparam,
    func,
    literal_column,
    select,
    union_all,
)
from sqlalchemy.orm import Session

from storage.engine.statements import PreparedQuery, batches
from storage.engine.types import AnySelect
from storage.models import Entry, EntryChange, EntryRemoval, EntryRevision

BEGINNING: Final = 0
"""The number before that of every change."""

MOST_MERGED: Final = 100
"""Sources of one statement; SQLite merges at most 500."""


@dataclass(frozen=True, slots=True)
class ChangeRecord:
    """A new entry (``revision`` 1) or an edit, with its text at that time.

    ``document`` is the ChangelogEntry of this revision, ``entry_key`` the entry's row;
    ``important`` is what today's rules say of what the entry says today. ``announced``: receivers
    are told of the entry when it is new.
    """

    number: int
    source_id: int
    entry_key: int
    revision: int
    important: bool
    announced: bool
    document: bytes


@dataclass(frozen=True, slots=True)
class ChangePage:
    """Some changes in their order. ``more``: others come after them already."""

    changes: Sequence[ChangeRecord]
    more: bool


def number_at(moment: datetime) -> int:
    """Return the number that a change of this moment has at least: the microseconds since 1970."""
    return int(moment.astimezone(UTC).timestamp() * 1_000_000)


def newest_change(session: Session) -> int:
    """Return the number of the newest change of all, a removal too; BEGINNING without any."""
    return _NEWEST.value(session, {}) or BEGINNING


def changes_after(
    session: Session, number: int, *, limit: int, source_ids: Collection[int] | None = None
) -> ChangePage:
    """Return the first ``limit`` changes after ``number``, of some sources or of all.

    Costs the same however long the history is: each source gives its first ones from an index.
    """
    if source_ids is None:
        numbers = _first_numbers(session, _ALL, {"after": number, "most": limit + 1})
    else:
        numbers = []
        merged = _merged if session.get_bind().dialect.name == "sqlite" else _firsts_merged
        for batch in batches(sorted(set(source_ids)), MOST_MERGED):
            values = {f"source_{place}": key for place, key in enumerate(batch)}
            values |= {"after": number, "most": limit + 1}
            numbers += _first_numbers(session, merged(len(batch)), values)
        numbers.sort()
    if not numbers:
        return ChangePage((), more=False)
    rows = session.connection().execute(_CHANGES, {"numbers": numbers[:limit]})
    return ChangePage([ChangeRecord(*row) for row in rows], more=len(numbers) > limit)


def _first_numbers(session: Session, query: AnySelect, values: dict[str, int]) -> list[int]:
    return list(session.connection().execute(query, values).scalars())


_NUMBERED = union_all(
    select(func.max(EntryChange.number).label("number")), select(func.max(EntryRemoval.number))
).subquery()
_NEWEST: Final = PreparedQuery(select(func.max(_NUMBERED.c.number)))
_MOST: Final = bindparam("most", type_=Integer)
_NUMBERS: AnySelect = select(EntryChange.number).where(
    EntryChange.number > bindparam("after", type_=BigInteger)
)
_ALL: AnySelect = _NUMBERS.order_by(EntryChange.number).limit(_MOST)
_CHANGES: AnySelect = (
    select(
        EntryChange.number,
        EntryChange.source_id,
        EntryChange.entry_id,
        EntryChange.revision,
        Entry.important,
        Entry.announced,
        func.coalesce(EntryRevision.document, Entry.document),
    )
    .join(Entry, Entry.id == EntryChange.entry_id)
    .outerjoin(
        EntryRevision,
        and_(
            EntryRevision.entry_id == EntryChange.entry_id,
            EntryRevision.revision == EntryChange.revision,
        ),
    )
    .where(EntryChange.number.in_(bindparam("numbers", expanding=True)))
    .order_by(EntryChange.number)
)


@lru_cache(maxsize=MOST_MERGED)
def _merged(sources: int) -> AnySelect:
    """Return the query of the first changes of a number of sources.

    SQLite merges what comes in order from the index of each, and stops at the last that is wanted.
    """
    merged = union_all(*(_numbers_of(place) for place in range(sources)))
    first = merged.order_by(literal_column("number")).limit(_MOST).subquery()
    return select(first.c.number)


@lru_cache(maxsize=MOST_MERGED)
def _firsts_merged(sources: int) -> AnySelect:
    """Return the query for PostgreSQL, which would sort all of each source: limit each one."""
    merged = union_all(*(select(_first_of(place)) for place in range(sources))).subquery()
    return select(merged.c.number).order_by(merged.c.number).limit(_MOST)


def _numbers_of(place: int) -> AnySelect:
    return _NUMBERS.where(EntryChange.source_id == bindparam(f"source_{place}"))


def _first_of(place: int) -> Subquery:
    return _numbers_of(place).order_by(EntryChange.number).limit(_MOST).subquery()
