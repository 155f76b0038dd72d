"""New entries and edits, in the order in which they were committed (docs/decisions/0041).

A change is a new entry or an edit of one. Its number says where it stands among all of them, over
all sources; it is larger than every number that could be read before. A reader
who keeps the number of the last change and asks for what comes after gets every change once.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import lru_cache
from typing import Final

from sqlalchemy import (
    BigInteger,
    BindParameter,
    Integer,
    and_,
    bindparam,
    func,
    literal_column,
    select,
    union_all,
)
from sqlalchemy.orm import Session

from storage.engine.statements import PreparedQuery, batches, is_sqlite
from storage.engine.types import AnySelect
from storage.entries.entry_filter import EntryFilter, FilterShape, matching_sources
from storage.entries.entry_query import MOST_MERGED, source_values
from storage.entries.search.matching import document_matches
from storage.models import Entry, EntryChange, EntryRemoval, EntryRevision

BEGINNING: Final = 0
"""The number before that of every change."""

MOST_READ: Final = 20_000
"""Changes that a filter reads at once."""

MOST_SEARCHED: Final = 1_000
"""Changes that a search reads at once."""

END: Final = 2**63 - 1
"""A number after that of every change."""


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
    """Some changes in their order. ``more``: others come after them already.

    ``read_to``: the number up to which a filter was applied, where it stopped before the end.
    """

    changes: Sequence[ChangeRecord]
    more: bool
    read_to: int | None = None


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
        merged = _merged if is_sqlite(session) else _firsts_merged
        for batch in batches(sorted(set(source_ids)), MOST_MERGED):
            values = source_values(batch) | {"after": number, "most": limit + 1}
            numbers += _first_numbers(session, merged(len(batch)), values)
        numbers.sort()
    return _page(session, numbers, limit=limit)


def filtered_changes_after(
    session: Session,
    number: int,
    filter_: EntryFilter,
    *,
    limit: int,
    source_ids: Collection[int] | None = None,
) -> ChangePage:
    """Return the first ``limit`` changes after ``number`` of entries that a filter lets through.

    Of entries the filter sees what they are today, but their words are those of the change, as it
    is sent. At most MOST_READ changes are read at once, so
    that rare entries cost no more than others: the page then says up to where it was read.
    """
    ids = _meant_sources(session, filter_, source_ids)
    searched = filter_.q is not None
    most, read = (MOST_SEARCHED, MOST_SEARCHED) if searched else (limit + 1, MOST_READ)
    values = {**filter_.values(), "after": number, "most": most, "skipped": read - 1}
    if filter_.is_contradictory or (ids is not None and not ids):
        return ChangePage((), more=False)
    connection = session.connection()
    read_to = connection.execute(_READ_TO, values).scalar()
    values["read_to"] = END if read_to is None else read_to
    numbers: list[int] = []
    if ids is None or len(ids) > MOST_MERGED:
        if ids is not None:
            values["ids"] = sorted(ids)
        query = _filtered(filter_.shape.of_entries, some=ids is not None)
        numbers = list(connection.execute(query, values).scalars())
    elif ids:
        query = _filtered_of_some(filter_.shape.of_entries, len(ids))
        values |= source_values(sorted(ids))
        numbers = list(connection.execute(query, values).scalars())
    page = _page(session, numbers, limit=most if searched else limit)
    if filter_.q is not None:
        matching = [
            change for change in page.changes if document_matches(filter_.q, change.document)
        ]
        page = ChangePage(matching[:limit], more=len(matching) > limit)
    return replace(page, read_to=None if page.more else read_to)


def _meant_sources(
    session: Session, filter_: EntryFilter, source_ids: Collection[int] | None
) -> set[int] | None:
    """Return the sources that are meant of those that may be read; None for all."""
    if not filter_.shape.narrows_sources:
        return None if source_ids is None else set(source_ids)
    meant = set(matching_sources(session, filter_).ids)
    return meant if source_ids is None else meant.intersection(source_ids)


def _page(session: Session, numbers: list[int], *, limit: int) -> ChangePage:
    """Return the changes with the first ``limit`` of some numbers."""
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


_READ_TO: AnySelect = (
    _NUMBERS.order_by(EntryChange.number).limit(1).offset(bindparam("skipped", type_=Integer))
)


@lru_cache(maxsize=256)
def _filtered(shape: FilterShape, *, some: bool) -> AnySelect:
    """Return the query of the first changes of all or some sources, one after the other."""
    query = _of_entries(shape)
    if some:
        ids: BindParameter[int] = bindparam("ids", expanding=True)
        query = query.where((EntryChange.source_id + literal_column("0")).in_(ids))
    return query.order_by(EntryChange.number).limit(_MOST)


@lru_cache(maxsize=256)
def _filtered_of_some(shape: FilterShape, sources: int) -> AnySelect:
    """Return the query of the first changes of few sources, each from its own index."""
    firsts = [
        select(
            _of_entries(shape)
            .where(EntryChange.source_id == bindparam(f"source_{place}"))
            .order_by(EntryChange.number)
            .limit(_MOST)
            .subquery()
        )
        for place in range(sources)
    ]
    merged = union_all(*firsts).subquery()
    return select(merged.c.number).order_by(merged.c.number).limit(_MOST)


def _of_entries(shape: FilterShape) -> AnySelect:
    query = _NUMBERS.where(EntryChange.number <= bindparam("read_to", type_=BigInteger))
    if not shape.names:
        return query
    of_entry = query.join(Entry, Entry.id == EntryChange.entry_id)
    return of_entry.where(*shape.entry_conditions())


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
    firsts = (
        _numbers_of(place).order_by(EntryChange.number).limit(_MOST) for place in range(sources)
    )
    merged = union_all(*(select(first.subquery()) for first in firsts)).subquery()
    return select(merged.c.number).order_by(merged.c.number).limit(_MOST)


def _numbers_of(place: int) -> AnySelect:
    return _NUMBERS.where(EntryChange.source_id == bindparam(f"source_{place}"))
