"""The query builder of entries: one for lists, feeds and tools, on either database.

Queries are built once for each shape, for building takes longer than running them
(docs/decisions/0023). Few sources are merged, each read newest first from its own index; of more
than ``MOST_MERGED`` sources the newest entries of all are read until a page is full.
"""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any, Final, NamedTuple

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    FromClause,
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

from storage.engine.statements import PreparedQuery, Row, list_parameters, list_values
from storage.engine.types import AnySelect
from storage.entries.entry_filter import EVERYTHING, FilterShape
from storage.models import Entry, Source

DEEP: Final = 1_000
"""From this offset on it matters from which end a page is read."""
MOST_MERGED: Final = 100
"""Sources of one statement; SQLite merges at most 500."""

LISTED: Final = "listed"
IMPORTANT: Final = "important"
ANNOUNCED: Final = "announced"
NOT_AHEAD: Final = "not_ahead"
UNLISTED: Final = "unlisted"
AHEAD: Final = "ahead"
PUBLIC: Final = frozenset({LISTED, NOT_AHEAD})
PUBLIC_IMPORTANT: Final = frozenset({LISTED, IMPORTANT, NOT_AHEAD})

_ORDER: Final = ("published_at", "external_id", "source_id")
NEWEST_FIRST: Final = tuple(getattr(Entry, name).desc() for name in _ORDER)

_CHOSEN: Final[dict[str, Any]] = {
    LISTED: Entry.listed,
    IMPORTANT: Entry.important,
    ANNOUNCED: Entry.announced,
    NOT_AHEAD: Entry.published_at <= bindparam("until"),
    UNLISTED: ~Entry.listed,
    AHEAD: Entry.published_at > bindparam("until"),
}
FEED_COLUMNS: Final = (
    Entry.id,
    Entry.public_document,
    Entry.importance,
    Entry.published_at,
    Entry.changed_at,
    Entry.revision,
    Source.name,
    Source.changelog_url,
)
"""What feeds and pages show of an entry, in the order of FeedEntry."""
COLUMNS: Final[dict[str, tuple[Any, ...]]] = {
    "document": (Entry.document,),
    "public": (Entry.public_document,),
    "important": (Entry.public_document, Entry.importance),
    "feed": FEED_COLUMNS,
}
COLUMNS["own"] = (Entry.id, *COLUMNS["important"], Source.name)
COLUMNS["whole"] = (*COLUMNS["feed"], Entry.document)
WITH_SOURCE: Final = frozenset({"feed", "own", "whole"})
"""Columns that are also those of sources."""

_LIMIT: Final = bindparam("limit", type_=Integer)
_OFFSET: Final = bindparam("offset", type_=BigInteger)


class EntryList(NamedTuple):
    """A list of entries, as far as its queries depend on it.

    ``chosen``: what all of them are, such as LISTED. ``merged``: of how many sources by their ids;
    None for those that the filter means, or all.
    """

    chosen: frozenset[str]
    shape: FilterShape = EVERYTHING.shape
    merged: int | None = None

    def conditions(self) -> list[ColumnElement[bool]]:
        """Return the conditions of all its entries, but for the sources that are merged."""
        chosen = [_CHOSEN[name] for name in _CHOSEN if name in self.chosen]
        if self.merged is None:
            return [*chosen, *self.shape.conditions()]
        return [*chosen, *self.shape.entry_conditions()]


class Place(NamedTuple):
    """Where a page is: so many entries are skipped, from the newest or from the oldest on."""

    limit: int
    offset: int
    from_oldest: bool = False

    def values(self) -> dict[str, int]:
        """Return the values that a query of a page takes."""
        return {"limit": self.limit, "offset": self.offset, "most": self.limit + self.offset}


def nearest(*, limit: int, offset: int, total: int) -> Place:
    """Return the place of a page: what is skipped is read, so deep ones begin at the nearer end."""
    behind = max(total - offset - limit, 0)
    if offset < DEEP or offset <= behind:
        return Place(limit, offset)
    return Place(min(limit, total - offset), behind, from_oldest=True)


@lru_cache(maxsize=512)
def page_query(
    entries: EntryList, columns: str, *, is_sqlite: bool, from_oldest: bool = False
) -> PreparedQuery:
    """Return the query of a page, newest first, with ``limit`` and ``offset``.

    Where sources are merged it takes ``source_0`` and so on, and ``most``: limit and offset in sum.
    """
    if entries.merged:
        page = _merged(entries, is_sqlite=is_sqlite, from_oldest=from_oldest)
        of_page = Entry.id == page.c.id
    else:
        page = _walked(entries, from_oldest=from_oldest)
        of_page = and_(*(getattr(Entry, name) == page.c[name] for name in UNIQUE))
    query: AnySelect = select(*COLUMNS[columns]).join_from(page, Entry, of_page)
    if columns in WITH_SOURCE:
        query = query.join(Source, Source.id == Entry.source_id)
    return PreparedQuery(query.order_by(*_ordered(page)))


@lru_cache(maxsize=512)
def count_query(entries: EntryList) -> PreparedQuery:
    """Return the query that counts the entries of a list."""
    query = select(func.count()).select_from(Entry).where(*entries.conditions())
    if entries.merged:
        merged = list_parameters("source", entries.merged, type_=BigInteger)
        query = query.where(Entry.source_id.in_(merged))
    return PreparedQuery(query)


def rows_of_keys(session: Session, columns: str, keys: Sequence[int]) -> list[Row]:
    """Return the rows of entries in the order of their keys."""
    if not keys:
        return []
    values = list_values("key", list(keys))
    rows = {row[0]: row[1:] for row in _keys_query(columns, len(values)).rows(session, values)}
    return [rows[key] for key in keys if key in rows]


@lru_cache(maxsize=64)
def _keys_query(columns: str, size: int) -> PreparedQuery:
    keys = list_parameters("key", size, type_=BigInteger)
    query: AnySelect = select(Entry.id, *COLUMNS[columns]).where(Entry.id.in_(keys))
    if columns in WITH_SOURCE:
        query = query.join(Source, Source.id == Entry.source_id)
    return PreparedQuery(query)


def source_values(ids: Iterable[int]) -> dict[str, int]:
    """Return the values of the sources that are merged."""
    return {f"source_{place}": key for place, key in enumerate(ids)}


def _walked(entries: EntryList, *, from_oldest: bool) -> Subquery:
    """Return a page of all entries in their order, from what an index holds.

    So no row is read of an entry that is skipped.
    """
    keys: AnySelect = select(*_PLACE).where(*entries.conditions())
    keys = keys.order_by(*_ordered(Entry.__table__, from_oldest=from_oldest))
    return keys.limit(_LIMIT).offset(_OFFSET).subquery()


def _merged(entries: EntryList, *, is_sqlite: bool, from_oldest: bool) -> Subquery:
    """Return a page of some sources.

    SQLite merges what comes in order from the index of each, and stops at the last of the page.
    PostgreSQL would sort all of each source, so that each is limited.
    """
    keys = [_keys_of(place, entries) for place in range(entries.merged or 0)]
    if is_sqlite:
        direction = "ASC" if from_oldest else "DESC"
        order: list[ColumnElement[Any]] = [literal_column(f"{name} {direction}") for name in _ORDER]
        return union_all(*keys).order_by(*order).limit(_LIMIT).offset(_OFFSET).subquery()
    limited = (select(_first_of(query, from_oldest=from_oldest)) for query in keys)
    first = union_all(*limited).subquery()
    page = select(first).order_by(*_ordered(first, from_oldest=from_oldest))
    return page.limit(_LIMIT).offset(_OFFSET).subquery()


_PLACE: Final = (Entry.published_at, Entry.external_id, Entry.source_id)
UNIQUE: Final = ("source_id", "external_id")


def _keys_of(place: int, entries: EntryList) -> AnySelect:
    of_source = Entry.source_id == bindparam(f"source_{place}")
    return select(Entry.id, *_PLACE).where(of_source, *entries.conditions())


def _first_of(keys: AnySelect, *, from_oldest: bool) -> Subquery:
    by_time = _ordered(Entry.__table__, from_oldest=from_oldest)[:2]
    return keys.order_by(*by_time).limit(bindparam("most", type_=BigInteger)).subquery()


def _ordered(keys: FromClause, *, from_oldest: bool = False) -> tuple[Any, ...]:
    columns = (keys.c[name] for name in _ORDER)
    return tuple(column.asc() if from_oldest else column.desc() for column in columns)
