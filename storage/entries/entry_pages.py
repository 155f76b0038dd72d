"""Pages of entries for callers (specification 4.2, 4.5, 4.6), narrowed by a filter."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Any, Final, NamedTuple

from sqlalchemy import BigInteger, Integer, bindparam, func, select
from sqlalchemy.orm import Session

from openapi.vocabulary import SearchOrder
from storage.engine.statements import PreparedQuery, Row, is_sqlite, list_parameters
from storage.engine.types import AnySelect
from storage.entries.clock_skew import FUTURE_TOLERANCE
from storage.entries.documents import with_importance
from storage.entries.entry_filter import EVERYTHING, EntryFilter, matching_sources
from storage.entries.entry_query import (
    ANNOUNCED,
    DEEP,
    FEED_COLUMNS,
    LISTED,
    NEWEST_FIRST,
    PUBLIC,
    PUBLIC_IMPORTANT,
    EntryList,
    count_query,
    nearest,
    page_query,
)
from storage.entries.filtered_list import FilteredList, page_values
from storage.entries.list_totals import listed_total
from storage.entries.search.matching import Scope
from storage.entries.search.search import MOST_HITS
from storage.models import Entry, Source

LOOKED_AHEAD: Final = 100
"""Entries from the beginning of a page on that a search counts."""

_LIMIT: Final = bindparam("limit", type_=Integer)
_OFFSET: Final = bindparam("offset", type_=BigInteger)


@dataclass(frozen=True, slots=True)
class EntryPage:
    """Stored JSON objects, newest first. ``total`` counts all that the filter lets through."""

    total: int
    documents: list[bytes]


def page_entries(
    session: Session,
    source_ids: Collection[int],
    filter_: EntryFilter = EVERYTHING,
    *,
    limit: int,
    offset: int,
) -> EntryPage:
    """Return one page in total order: published_at, then id, both descending.

    Each source gives its newest ones from its own index; merging them costs the same however
    many entries there are.
    """
    shape = filter_.shape
    ids = set(source_ids)
    if ids and shape.narrows_sources:
        ids.intersection_update(matching_sources(session, filter_).ids)
    if not ids or filter_.is_contradictory:
        return EntryPage(0, [])
    entries = EntryList(frozenset(), shape.of_entries, merged=len(ids))
    values = page_values(filter_, tuple(sorted(ids)), limit=limit, offset=offset)
    count = count_query(entries) if entries.shape.names else _stored_count(len(ids))
    total = count.value(session, values) or 0
    if offset >= total:
        return EntryPage(total, [])
    place = nearest(limit=limit, offset=offset, total=total)
    query = page_query(
        entries, "document", is_sqlite=is_sqlite(session), from_oldest=place.from_oldest
    )
    return EntryPage(total, query.values(session, values | place.values()))


@lru_cache(maxsize=256)
def _stored_count(sources: int) -> PreparedQuery:
    places = list_parameters("source", sources, type_=BigInteger)
    return PreparedQuery(select(func.sum(Source.entry_count)).where(Source.id.in_(places)))


def page_latest(
    session: Session,
    filter_: EntryFilter = EVERYTHING,
    *,
    limit: int,
    offset: int,
    now: datetime,
    future: bool = False,
    order: SearchOrder = SearchOrder.DATE,
) -> EntryPage:
    """Return the newest listed entries of all sources; those ahead of now only when asked for."""
    chosen = frozenset({LISTED}) if future else PUBLIC
    if filter_ != EVERYTHING:
        filtered = FilteredList(chosen, filter_, "public", now, order)
        page = filtered.page(session, limit=limit, offset=offset)
        return EntryPage(page.total, [public for (public,) in page.rows])
    values: dict[str, Any] = {"until": now + FUTURE_TOLERANCE, "limit": limit, "offset": offset}
    total = listed_total(session, chosen, until=values["until"])
    if offset >= total:
        return EntryPage(total, [])
    first = _LATEST_WITH_FUTURE if future else _LATEST
    rows = _rows_at(session, values, total, first, EntryList(chosen), "public")
    return EntryPage(total, [public for (public,) in rows])


def page_important(
    session: Session,
    filter_: EntryFilter = EVERYTHING,
    *,
    limit: int,
    offset: int,
    now: datetime,
    order: SearchOrder = SearchOrder.DATE,
) -> EntryPage:
    """Return the newest listed important entries, each with the reason."""
    if filter_ != EVERYTHING:
        filtered = FilteredList(PUBLIC_IMPORTANT, filter_, "important", now, order)
        page = filtered.page(session, limit=limit, offset=offset)
        return EntryPage(page.total, [with_importance(public, why) for public, why in page.rows])
    values: dict[str, Any] = {"until": now + FUTURE_TOLERANCE, "limit": limit, "offset": offset}
    total = listed_total(session, PUBLIC_IMPORTANT, until=values["until"])
    if offset >= total:
        return EntryPage(total, [])
    rows = _rows_at(session, values, total, _IMPORTANT, EntryList(PUBLIC_IMPORTANT), "important")
    return EntryPage(total, [with_importance(public, why) for public, why in rows])


def _rows_at(
    session: Session,
    values: dict[str, Any],
    total: int,
    first: PreparedQuery,
    entries: EntryList,
    columns: str,
) -> list[Row]:
    """Return the rows of a page of all entries: a deep one is found by its index alone."""
    if values["offset"] < DEEP:
        return first.rows(session, values)
    place = nearest(limit=values["limit"], offset=values["offset"], total=total)
    deep = page_query(entries, columns, is_sqlite=is_sqlite(session), from_oldest=place.from_oldest)
    return deep.rows(session, values | place.values())


@dataclass(frozen=True, slots=True)
class FeedEntry:
    """An entry as RSS, Atom and JSON feeds show it.

    ``key`` is its database key, ``public`` its PublicEntry, ``importance`` its Importance or None,
    ``changelog_url`` the page of its source, which is where it leads when it has no address of its
    own. ``whole`` is its ChangelogEntry, for those who may read it.
    """

    key: int
    public: bytes
    importance: bytes | None
    published_at: datetime
    changed_at: datetime
    revision: int
    source_name: str
    changelog_url: str
    whole: bytes | None = None


class FoundEntries(NamedTuple):
    """A page of what a search finds, and how many are counted; ``is_cut``: there may be more."""

    total: int
    entries: list[FeedEntry]
    is_cut: bool


def newest_feed_entries(
    session: Session,
    filter_: EntryFilter = EVERYTHING,
    *,
    most: int,
    now: datetime,
    only_important: bool,
    source_id: int | None = None,
    offset: int = 0,
) -> list[FeedEntry]:
    """Return the newest listed entries that are not ahead of now.

    They are of all sources, of those that the filter means, or of one source without a filter.
    """
    if filter_ != EVERYTHING:
        chosen = PUBLIC_IMPORTANT if only_important else PUBLIC
        rows = FilteredList(chosen, filter_, "feed", now).newest(session, most, offset)
        return [FeedEntry(*row) for row in rows]
    query = _FEED_ENTRIES[only_important, source_id is not None]
    values: dict[str, Any] = {"until": now + FUTURE_TOLERANCE, "limit": most, "offset": offset}
    values |= {"source_id": source_id}
    return [FeedEntry(*row) for row in query.rows(session, values)]


def find_feed_entries(
    session: Session,
    filter_: EntryFilter,
    *,
    limit: int,
    offset: int,
    now: datetime,
    only_important: bool = False,
    order: SearchOrder = SearchOrder.DATE,
) -> FoundEntries:
    """Return a page of the listed entries that a search finds.

    It looks no farther than some pages on: what is not counted costs nothing.
    """
    most = min(offset + LOOKED_AHEAD, MOST_HITS)
    chosen = PUBLIC_IMPORTANT if only_important else PUBLIC
    entries = FilteredList(chosen, filter_, "feed", now, order, most_hits=most)
    page = entries.page(session, limit=limit, offset=offset)
    return FoundEntries(page.total, [FeedEntry(*row) for row in page.rows], page.is_cut)


def newest_announced(
    session: Session, filter_: EntryFilter, *, most: int, now: datetime
) -> list[FeedEntry]:
    """Return the newest entries of a filter that people are told of, for who may read them whole.

    They are found by their whole text.
    """
    announced = FilteredList(PUBLIC | {ANNOUNCED}, filter_, "whole", now, scope=Scope.WHOLE)
    return [FeedEntry(*row) for row in announced.newest(session, most)]


_UNTIL = Entry.published_at <= bindparam("until")


def _one_page(query: AnySelect) -> PreparedQuery:
    return PreparedQuery(query.order_by(*NEWEST_FIRST).limit(_LIMIT).offset(_OFFSET))


# Built once: building takes longer than running them.
_LATEST_WITH_FUTURE = _one_page(select(Entry.public_document).where(Entry.listed))
_LATEST = _one_page(select(Entry.public_document).where(Entry.listed, _UNTIL))
_IMPORTANT = _one_page(
    select(Entry.public_document, Entry.importance).where(Entry.listed, Entry.important, _UNTIL)
)
_FEED_ENTRY = (
    select(*FEED_COLUMNS).join(Source, Source.id == Entry.source_id).where(Entry.listed, _UNTIL)
)
_OF_SOURCE = Entry.source_id == bindparam("source_id", type_=BigInteger)
_FEED_ENTRIES = {  # by whether only important ones are wanted, and only those of one source
    (False, False): _one_page(_FEED_ENTRY),
    (True, False): _one_page(_FEED_ENTRY.where(Entry.important)),
    (False, True): _one_page(_FEED_ENTRY.where(_OF_SOURCE)),
    (True, True): _one_page(_FEED_ENTRY.where(Entry.important, _OF_SOURCE)),
}
