"""Lists of entries: one query for lists, feeds and tools, on either database.

Few sources are merged, each read newest first from its own index; of more than ``MOST_MERGED``
sources the newest entries of all are read until a page is full.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import lru_cache
from itertools import count
from typing import Any, Final, NamedTuple, TypeAlias

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Integer,
    Subquery,
    and_,
    bindparam,
    cast,
    func,
    literal_column,
    select,
    true,
    union_all,
)
from sqlalchemy.orm import Session

from openapi.vocabulary import SearchOrder
from storage.engine.statements import PreparedQuery, Row, is_sqlite, list_parameters
from storage.engine.types import AnySelect
from storage.entries.documents import FUTURE_TOLERANCE
from storage.entries.entry_filter import EVERYTHING, EntryFilter
from storage.entries.search.matching import Scope
from storage.models import ON_DEMAND, Entry, Source

MOST_MERGED: Final = 100
"""Sources of one statement; SQLite merges at most 500."""

LISTED: Final = "listed"
IMPORTANT: Final = "important"
ANNOUNCED: Final = "announced"
NOT_AHEAD: Final = "not_ahead"
PUBLIC: Final = frozenset({LISTED, NOT_AHEAD})
PUBLIC_IMPORTANT: Final = frozenset({LISTED, IMPORTANT, NOT_AHEAD})

_ORDER: Final = ("published_at", "external_id", "source_id")
NEWEST_FIRST: Final = tuple(getattr(Entry, name).desc() for name in _ORDER)
FEED_COLUMNS: Final = (
    *(Entry.id, Entry.public_document, Entry.importance, Entry.published_at, Entry.changed_at),
    *(Entry.first_seen_at, Entry.revision, Source.name, Source.changelog_url, Source.slug),
    Entry.address,
)
"""What feeds and pages show of an entry, in the order of FeedEntry."""
COLUMNS: Final[dict[str, tuple[Any, ...]]] = {
    "document": (Entry.document,),
    "public": (Entry.public_document,),
    "important": (Entry.public_document, Entry.importance),
    "feed": FEED_COLUMNS,
}
COLUMNS["whole"] = (*COLUMNS["feed"], Entry.document)
WITH_SOURCE: Final = frozenset({"feed", "whole"})
"""Columns that are also those of sources."""
NO_PRERELEASES: Final = EntryFilter(prerelease=False)
_EARLIEST: Final = datetime.min.replace(tzinfo=UTC)
_LATEST: Final = datetime.max.replace(tzinfo=UTC)
Conditions: TypeAlias = list[ColumnElement[bool]]
_SPAN: Final = (Entry.published_at > bindparam("since"), Entry.published_at <= bindparam("until"))


class Place(NamedTuple):
    """Where a page is, as values or parameters; if not ``descending``, from the oldest on."""

    limit: Any
    offset: Any = 0
    descending: bool = True


@dataclass(frozen=True, slots=True)
class EntryList:
    """The ``chosen`` entries that a filter lets through, such as those that are LISTED.

    ``source_ids``: only of these sources, None for all. ``scope`` and ``order`` are those of a
    search for its words.
    """

    now: datetime
    chosen: frozenset[str] = frozenset()
    filter: EntryFilter = EVERYTHING
    source_ids: Collection[int] | None = None
    scope: Scope = Scope.PUBLIC
    order: SearchOrder = SearchOrder.DATE

    def conditions(self, ids: Sequence[int] | None) -> Conditions:
        """Return the conditions of its entries, but for words, keys and few sources."""
        return [*_chosen(self.chosen, self.now + FUTURE_TOLERANCE), *self._narrowed(ids)]

    @property
    def is_ordered(self) -> bool:
        """Return True if an index has it in order: entries in public lists, of all sources."""
        is_public = LISTED in self.chosen and ANNOUNCED not in self.chosen  # which may be few
        return is_public and self.source_ids is None and self.filter.is_span

    def rows(
        self, session: Session, columns: str, ids: Sequence[int] | None, place: Place
    ) -> list[Row]:
        """Return a page of the entries of these sources, in its order."""
        on_sqlite, few = is_sqlite(session), _few(ids)
        if self.filter.is_span and not self._is_of_many(ids):
            kind = self.chosen, columns, few and len(few), place.descending
            query = _prepared_page(*kind, on_sqlite=on_sqlite)
            return query.rows(session, self._values(few) | place._asdict())
        page = _page(self.conditions(ids), few, columns, place, on_sqlite=on_sqlite)
        return [tuple(row) for row in session.execute(page)]

    def count(self, session: Session, ids: Sequence[int] | None) -> int:
        """Return how many entries these sources have: by stored counts, where they say it."""
        few, of_many = _few(ids), self._is_of_many(ids)
        if self.filter.is_span and not of_many:
            stored = self.filter == EVERYTHING
            prepared = _prepared_count(self.chosen, few and len(few), is_stored=stored)
            return prepared.value(session, self._values(few)) or 0
        if self.filter == NO_PRERELEASES:  # prereleases are fewer
            everything = replace(self, filter=EVERYTHING)
            prereleases = replace(self, filter=EntryFilter(prerelease=True))
            return everything.count(session, ids) - prereleases.count(session, ids)
        narrows = of_many or self.filter.narrows_entries
        stored_of = None if narrows else self.filter.source_conditions()
        latest, narrowed = self.now + FUTURE_TOLERANCE, self._narrowed(ids)
        return session.scalar(_count(self.chosen, narrowed, few, stored_of, latest)) or 0

    def _is_of_many(self, ids: Sequence[int] | None) -> bool:
        """Return True for given sources that are too many to be merged or counted by place."""
        return self.source_ids is not None and _few(ids) is None

    def _narrowed(self, ids: Sequence[int] | None) -> Conditions:
        """Return the conditions of its filter, but for words and for few sources."""
        if ids is None or _few(ids) is not None:
            return self.filter.entry_conditions()
        if self.source_ids is None:
            return self.filter.conditions()
        return [*self.filter.entry_conditions(), (Entry.source_id + 0).in_(ids)]

    def _values(self, ids: Sequence[int] | None) -> dict[str, Any]:
        since, until = self.filter.since or _EARLIEST, self.filter.until or _LATEST
        span = {"since": since, "until": until, "latest": self.now + FUTURE_TOLERANCE}
        return span | dict(zip(map("source_{}".format, count()), ids or (), strict=False))


def _few(ids: Sequence[int] | None) -> Sequence[int] | None:
    """Return sources that can be merged, else None."""
    return None if ids is None or len(ids) > MOST_MERGED else ids


def _chosen(names: Collection[str], latest: Any) -> Conditions:
    said: dict[str, Any] = {
        LISTED: and_(Entry.listed, Entry.source_id.not_in(ON_DEMAND)),
        IMPORTANT: Entry.important,
        ANNOUNCED: Entry.announced,
        NOT_AHEAD: Entry.published_at <= latest,
    }
    return [said[name] for name in said if name in names]


def _page(
    conditions: Conditions,
    source_ids: Sequence[Any] | None,
    columns: str,
    place: Place,
    *,
    on_sqlite: bool,
) -> AnySelect:
    """Return the query of a page; of few sources merged."""
    query: AnySelect = select(*COLUMNS[columns])
    keys = select(*(getattr(Entry, name) for name in _ORDER)).where(*conditions)
    if source_ids is None and on_sqlite:
        query = query.where(*conditions).limit(place.limit).offset(place.offset)
    elif source_ids is None:  # or PostgreSQL would read the rows that it skips
        ordered = keys.order_by(*_by(Entry.__table__, _ORDER, descending=place.descending))
        page = ordered.limit(place.limit).offset(place.offset).subquery()
        same = (page.c[name] == getattr(Entry, name) for name in _ORDER)
        query = query.join_from(page, Entry, and_(*same))
    else:
        page = merged(keys.add_columns(Entry.id), source_ids, _ORDER, place, on_sqlite=on_sqlite)
        query = query.join_from(page, Entry, Entry.id == page.c.id)
    if columns in WITH_SOURCE:
        query = query.join(Source, Source.id == Entry.source_id)
    return query.order_by(*_by(Entry.__table__, _ORDER, descending=place.descending))


def _count(
    chosen: Collection[str],
    narrowed: Conditions,
    source_ids: Sequence[Any] | None,
    stored_of: Conditions | None,
    latest: Any,
) -> AnySelect:
    """Return the query of a total. ``stored_of``: of which sources the counts are added up."""
    either = _chosen(set(chosen) - {NOT_AHEAD}, latest)
    of_sources = [] if source_ids is None else [Entry.source_id.in_(source_ids)]

    def counted(*conditions: ColumnElement[bool]) -> Any:
        query = select(func.count()).select_from(Entry).where(*of_sources, *narrowed, *conditions)
        return query.scalar_subquery()

    total = counted(*either)
    if stored_of is not None:
        count = Source.important_count if IMPORTANT in chosen else Source.entry_count
        few = [~Source.on_demand] if source_ids is None else [Source.id.in_(source_ids)]
        stored = select(cast(func.sum(count), BigInteger)).where(*stored_of, *few)
        total = func.coalesce(stored.scalar_subquery(), 0)
        if LISTED in chosen:
            unlisted = ~Entry.listed, Entry.source_id.not_in(ON_DEMAND)
            total -= counted(*_chosen(set(chosen) & {IMPORTANT}, latest), *unlisted)
    if NOT_AHEAD in chosen:
        total -= counted(*either, Entry.published_at > latest)
    return select(total)


@lru_cache(maxsize=512)
def _prepared_page(
    chosen: frozenset[str], columns: str, sources: int | None, descending: bool, *, on_sqlite: bool
) -> PreparedQuery:
    """Return the query of a page that only times narrow: most requests are for one."""
    limit, offset = bindparam("limit", type_=Integer), bindparam("offset", type_=BigInteger)
    place = Place(limit, offset, descending)
    conditions = [*_chosen(chosen, bindparam("latest")), *_SPAN]
    return PreparedQuery(_page(conditions, _places(sources), columns, place, on_sqlite=on_sqlite))


@lru_cache(maxsize=512)
def _prepared_count(
    chosen: frozenset[str], sources: int | None, *, is_stored: bool
) -> PreparedQuery:
    latest = bindparam("latest", type_=Entry.published_at.type)
    narrowed: Conditions = [] if is_stored else [*_SPAN]
    stored_of: Conditions | None = [] if is_stored else None
    return PreparedQuery(_count(chosen, narrowed, _places(sources), stored_of, latest))


def _places(sources: int | None) -> list[Any] | None:
    return None if sources is None else list_parameters("source", sources, type_=BigInteger)


def rows_of_keys(session: Session, columns: str, keys: Sequence[int]) -> list[Row]:
    """Return the rows of entries in the order of their keys."""
    if not keys:
        return []
    query: AnySelect = select(Entry.id, *COLUMNS[columns]).where(Entry.id.in_(keys))
    if columns in WITH_SOURCE:
        query = query.join(Source, Source.id == Entry.source_id)
    rows: dict[int, Row] = {row[0]: tuple(row[1:]) for row in session.execute(query)}
    return [rows[key] for key in keys if key in rows]


def merged(
    rows: AnySelect,
    source_ids: Sequence[Any],
    order: Sequence[str],
    place: Place,
    *,
    on_sqlite: bool,
) -> Subquery:
    """Return a page of the rows of some sources, which have a ``source_id``, in an order.

    SQLite merges what comes in order from the index of each, and stops at the last of the page.
    PostgreSQL would sort all of each source, so that each is limited.
    """
    [table] = rows.get_final_froms()
    if on_sqlite:
        direction = "DESC" if place.descending else "ASC"
        parts = (rows.where(table.c.source_id == source_id) for source_id in source_ids)
        by: list[ColumnElement[Any]] = [literal_column(f"{name} {direction}") for name in order]
        return union_all(*parts).order_by(*by).limit(place.limit).offset(place.offset).subquery()
    of_source = rows.where(table.c.source_id == Source.id)
    first = of_source.order_by(*_by(table, order, descending=place.descending))
    firsts = first.limit(place.limit + place.offset).lateral()
    page = select(firsts).select_from(Source).join(firsts, true()).where(Source.id.in_(source_ids))
    page = page.order_by(*_by(firsts, order, descending=place.descending))
    return page.limit(place.limit).offset(place.offset).subquery()


def _by(table: Any, order: Sequence[str], *, descending: bool) -> list[ColumnElement[Any]]:
    columns = (table.c[name] for name in order)
    return [column.desc() if descending else column.asc() for column in columns]
