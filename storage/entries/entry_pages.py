"""Pages of entries for callers (specification 4.2, 4.5, 4.6)."""

from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Any, Final

from sqlalchemy import (
    BigInteger,
    Integer,
    Subquery,
    and_,
    bindparam,
    cast,
    func,
    literal_column,
    select,
    union_all,
)
from sqlalchemy.orm import Session

from storage.engine.statements import PreparedQuery
from storage.engine.types import AnySelect
from storage.entries.clock_skew import FUTURE_TOLERANCE as FUTURE_TOLERANCE
from storage.entries.documents import with_importance
from storage.models import CatalogTotals, Entry, Source

_ORDER: Final = ("published_at", "external_id", "source_id")
_LIMIT: Final = bindparam("limit", type_=Integer)
_OFFSET: Final = bindparam("offset", type_=BigInteger)


@dataclass(frozen=True, slots=True)
class EntryFilter:
    """The filter of /entries. ``since`` is strictly after, in the vendor's time.

    ``unfiltered_total``: the number of entries of the sources, where it is read already.
    """

    source_ids: frozenset[int]
    since: datetime | None = None
    unfiltered_total: int | None = None


@dataclass(frozen=True, slots=True)
class EntryPage:
    """Stored JSON objects, newest first. ``total`` counts all that the filter lets through."""

    total: int
    documents: list[bytes]


def page_entries(session: Session, filter_: EntryFilter, *, limit: int, offset: int) -> EntryPage:
    """Return one page in total order: published_at, then id, both descending.

    Each source gives its newest ones from its own index; merging them costs the same however
    many entries there are.
    """
    if not filter_.source_ids:
        return EntryPage(0, [])
    sources = {f"source_{place}": key for place, key in enumerate(sorted(filter_.source_ids))}
    values: dict[str, Any] = {**sources, "most": limit + offset, "limit": limit, "offset": offset}
    if filter_.since is not None:
        values["since"] = filter_.since
    has_since = filter_.since is not None
    total = None if has_since else filter_.unfiltered_total
    if total is None:
        total = _count(len(sources), since=has_since).value(session, values) or 0
    if offset >= total:
        return EntryPage(total, [])
    merged = _merged if session.get_bind().dialect.name == "sqlite" else _newest_merged
    return EntryPage(total, merged(len(sources), since=has_since).values(session, values))


@lru_cache(maxsize=256)
def _merged(sources: int, *, since: bool) -> PreparedQuery:
    """Return the query of the newest entries of a number of sources.

    SQLite merges what comes in order from the index of each, and stops at the last of the page.
    """
    keys = union_all(*(_keys_of(place, since=since) for place in range(sources)))
    ordered = keys.order_by(*(literal_column(f"{name} DESC") for name in _ORDER))
    return _documents(ordered.limit(_LIMIT).offset(_OFFSET).subquery())


@lru_cache(maxsize=256)
def _newest_merged(sources: int, *, since: bool) -> PreparedQuery:
    """Return the query for PostgreSQL, which would sort all of each source: limit each one."""
    newest = [_newest_of(place, since=since) for place in range(sources)]
    merged = union_all(*(select(query) for query in newest)).subquery()
    page = select(merged).order_by(*_descending(merged)).limit(_LIMIT).offset(_OFFSET)
    return _documents(page.subquery())


def _documents(page: Subquery) -> PreparedQuery:
    documents = select(Entry.document).join_from(page, Entry, Entry.id == page.c.id)
    return PreparedQuery(documents.order_by(*_descending(page)))


def _descending(keys: Subquery) -> tuple[Any, ...]:
    return tuple(keys.c[name].desc() for name in _ORDER)


def _keys_of(place: int, *, since: bool) -> AnySelect:
    query: AnySelect = select(Entry.id, Entry.published_at, Entry.external_id, Entry.source_id)
    query = query.where(Entry.source_id == bindparam(f"source_{place}"))
    return query.where(Entry.published_at > bindparam("since")) if since else query


def _newest_of(place: int, *, since: bool) -> Subquery:
    order = (Entry.published_at.desc(), Entry.external_id.desc())
    newest = _keys_of(place, since=since).order_by(*order)
    return newest.limit(bindparam("most", type_=BigInteger)).subquery()


@lru_cache(maxsize=256)
def _count(sources: int, *, since: bool) -> PreparedQuery:
    places = [bindparam(f"source_{place}", type_=BigInteger) for place in range(sources)]
    if not since:
        return PreparedQuery(select(func.sum(Source.entry_count)).where(Source.id.in_(places)))
    newer = and_(Entry.source_id.in_(places), Entry.published_at > bindparam("since"))
    return PreparedQuery(select(func.count()).select_from(Entry).where(newer))


def page_latest(
    session: Session, *, limit: int, offset: int, now: datetime, future: bool = False
) -> EntryPage:
    """Return the newest listed entries of all sources; those ahead of now only when asked for."""
    values = {"until": now + FUTURE_TOLERANCE, "limit": limit, "offset": offset}
    total = _ALL.value(session, {}) or 0
    if not future:
        total -= _ALL_AHEAD.value(session, values) or 0
    if offset >= total:
        return EntryPage(total, [])
    query = _LATEST_WITH_FUTURE if future else _LATEST
    return EntryPage(total, query.values(session, values))


def page_important(session: Session, *, limit: int, offset: int, now: datetime) -> EntryPage:
    """Return the newest listed important entries, each with the reason."""
    values = {"until": now + FUTURE_TOLERANCE, "limit": limit, "offset": offset}
    total = _ALL_IMPORTANT.value(session, {}) or 0
    total -= _IMPORTANT_AHEAD.value(session, values) or 0
    if offset >= total:
        return EntryPage(total, [])
    rows = _IMPORTANT.rows(session, values)
    return EntryPage(total, [with_importance(public, why) for public, why in rows])


@dataclass(frozen=True, slots=True)
class FeedEntry:
    """An entry as RSS, Atom and JSON feeds show it.

    ``public`` is its PublicEntry, ``importance`` its Importance or None, ``changelog_url`` the
    page of its source, which is where it leads when it has no address of its own.
    """

    public: bytes
    importance: bytes | None
    published_at: datetime
    changed_at: datetime
    revision: int
    source_name: str
    changelog_url: str


def newest_feed_entries(
    session: Session,
    *,
    most: int,
    now: datetime,
    only_important: bool,
    source_id: int | None = None,
    offset: int = 0,
) -> list[FeedEntry]:
    """Return the newest listed entries that are not ahead of now, of all sources or of one."""
    query = _FEED_ENTRIES[only_important, source_id is not None]
    values = {"until": now + FUTURE_TOLERANCE, "limit": most, "offset": offset}
    values |= {"source_id": source_id}
    return [FeedEntry(*row) for row in query.rows(session, values)]


_NEWEST_FIRST = (Entry.published_at.desc(), Entry.external_id.desc(), Entry.source_id.desc())
_UNTIL = Entry.published_at <= bindparam("until")
_AHEAD = Entry.published_at > bindparam("until")
_MORE_THAN_THERE_ARE: Final = 10**12


def count_ahead(*conditions: Any) -> AnySelect:
    """Return the query that counts the entries ahead of the time ``until``.

    It is ordered and has a limit that is never reached: else SQLite, once it knows how large the
    sources are, searches each of the sources.
    """
    ahead = select(Entry.id).where(_AHEAD, *conditions).order_by(*_NEWEST_FIRST)
    limited = ahead.limit(literal_column(str(_MORE_THAN_THERE_ARE))).subquery()
    return select(func.count()).select_from(limited)


def _one_page(query: AnySelect) -> PreparedQuery:
    return PreparedQuery(query.order_by(*_NEWEST_FIRST).limit(_LIMIT).offset(_OFFSET))


# Built once: building takes longer than running them.
_ALL = PreparedQuery(
    select(cast(func.sum(CatalogTotals.entries - CatalogTotals.unlisted), BigInteger))
)
_ALL_IMPORTANT = PreparedQuery(
    select(cast(func.sum(CatalogTotals.important - CatalogTotals.unlisted_important), BigInteger))
)
_ALL_AHEAD = PreparedQuery(count_ahead(Entry.listed))
_IMPORTANT_AHEAD = PreparedQuery(count_ahead(Entry.listed, Entry.important))
_LATEST_WITH_FUTURE = _one_page(select(Entry.public_document).where(Entry.listed))
_LATEST = _one_page(select(Entry.public_document).where(Entry.listed, _UNTIL))
_IMPORTANT = _one_page(
    select(Entry.public_document, Entry.importance).where(Entry.listed, Entry.important, _UNTIL)
)
_FEED_ENTRY = (
    select(
        Entry.public_document,
        Entry.importance,
        Entry.published_at,
        Entry.changed_at,
        Entry.revision,
        Source.name,
        Source.changelog_url,
    )
    .join(Source, Source.id == Entry.source_id)
    .where(Entry.listed, _UNTIL)
)
_OF_SOURCE = Entry.source_id == bindparam("source_id", type_=BigInteger)
_FEED_ENTRIES = {  # by whether only important ones are wanted, and only those of one source
    (False, False): _one_page(_FEED_ENTRY),
    (True, False): _one_page(_FEED_ENTRY.where(Entry.important)),
    (False, True): _one_page(_FEED_ENTRY.where(_OF_SOURCE)),
    (True, True): _one_page(_FEED_ENTRY.where(Entry.important, _OF_SOURCE)),
}
