"""Pages of entries for callers (specification 4.2, 4.5, 4.6)."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Any

from sqlalchemy import (
    BigInteger,
    Integer,
    Subquery,
    and_,
    bindparam,
    func,
    select,
    union_all,
)
from sqlalchemy.orm import Session

from storage.documents import with_importance
from storage.models import Entry, Source
from storage.types import AnySelect

FUTURE_TOLERANCE = timedelta(minutes=10)  # vendors' clocks differ from ours


@dataclass(frozen=True, slots=True)
class EntryFilter:
    """What a caller of /entries asks for. ``since`` is strictly after, in the vendor's time."""

    source_ids: frozenset[int]
    since: datetime | None = None


@dataclass(frozen=True, slots=True)
class EntryPage:
    """Stored JSON objects, newest first. ``total`` counts all that the filter lets through."""

    total: int
    documents: list[bytes]


def page_entries(session: Session, wanted: EntryFilter, *, limit: int, offset: int) -> EntryPage:
    """Return one page in total order: published_at, then id, both descending.

    Each source gives its newest ones from its own index; merging them costs the same however
    many entries there are.
    """
    total = _count(session, wanted)
    if offset >= total:
        return EntryPage(total, [])
    sources = {f"source_{place}": key for place, key in enumerate(sorted(wanted.source_ids))}
    asked: dict[str, Any] = {**sources, "most": limit + offset, "limit": limit, "offset": offset}
    if wanted.since is not None:
        asked["since"] = wanted.since
    places = _merged(len(sources), since=wanted.since is not None)
    keys = session.scalars(places, asked).all()
    found = session.execute(select(Entry.id, Entry.document).where(Entry.id.in_(keys)))
    by_key = dict(found.all())
    return EntryPage(total, [by_key[key] for key in keys])


@lru_cache(maxsize=256)
def _merged(sources: int, *, since: bool) -> AnySelect:
    """Ask for the newest of a number of sources; building it takes longer than answering it."""
    newest = [_newest_of(place, since=since) for place in range(sources)]
    merged = union_all(*(select(each) for each in newest)).subquery()
    order = (merged.c.published_at.desc(), merged.c.external_id.desc(), merged.c.source_id.desc())
    limit, offset = bindparam("limit", type_=Integer), bindparam("offset", type_=BigInteger)
    return select(merged.c.id).order_by(*order).limit(limit).offset(offset)


def _newest_of(place: int, *, since: bool) -> Subquery:
    query = select(Entry.id, Entry.published_at, Entry.external_id, Entry.source_id)
    query = query.where(Entry.source_id == bindparam(f"source_{place}"))
    if since:
        query = query.where(Entry.published_at > bindparam("since"))
    order = (Entry.published_at.desc(), Entry.external_id.desc())
    return query.order_by(*order).limit(bindparam("most", type_=BigInteger)).subquery()


def _count(session: Session, wanted: EntryFilter) -> int:
    if wanted.since is None:
        kept = select(func.sum(Source.entry_count)).where(Source.id.in_(wanted.source_ids))
        return session.scalar(kept) or 0
    newer = and_(Entry.source_id.in_(wanted.source_ids), Entry.published_at > wanted.since)
    return session.scalar(select(func.count()).select_from(Entry).where(newer)) or 0


def page_latest(
    session: Session, *, limit: int, offset: int, now: datetime, future: bool = False
) -> EntryPage:
    """Return the newest entries of all sources; those ahead of now only when asked for."""
    query = select(Entry.public_document)
    total = session.scalar(select(func.sum(Source.entry_count))) or 0
    if not future:
        query = query.where(Entry.published_at <= now + FUTURE_TOLERANCE)
        total -= _count_ahead(session, now)
    if offset >= total:
        return EntryPage(total, [])
    return EntryPage(total, list(session.scalars(_newest_first(query, limit, offset))))


def page_important(session: Session, *, limit: int, offset: int, now: datetime) -> EntryPage:
    """Return the newest important entries, each with why it is."""
    query = select(Entry.public_document, Entry.importance).where(
        Entry.important, Entry.published_at <= now + FUTURE_TOLERANCE
    )
    total = session.scalar(select(func.sum(Source.important_count))) or 0
    total -= _count_ahead(session, now, Entry.important)
    if offset >= total:
        return EntryPage(total, [])
    rows = session.execute(_newest_first(query, limit, offset)).all()
    return EntryPage(total, [with_importance(public, why) for public, why in rows])


@dataclass(frozen=True, slots=True)
class FeedEntry:
    """An entry as feeds for readers show it.

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


def newest_for_readers(
    session: Session,
    *,
    most: int,
    now: datetime,
    only_important: bool,
    source_id: int | None = None,
) -> list[FeedEntry]:
    """Return the newest entries that are not ahead of now, of one source or of all."""
    query = (
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
        .where(Entry.published_at <= now + FUTURE_TOLERANCE)
    )
    if only_important:
        query = query.where(Entry.important)
    if source_id is not None:
        query = query.where(Entry.source_id == source_id)
    return [FeedEntry(*row) for row in session.execute(_newest_first(query, most, 0))]


def _newest_first(query: AnySelect, limit: int, offset: int) -> AnySelect:
    order = (Entry.published_at.desc(), Entry.external_id.desc(), Entry.source_id.desc())
    return query.order_by(*order).limit(limit).offset(offset)


def _count_ahead(session: Session, now: datetime, *conditions: Any) -> int:
    ahead = Entry.published_at > now + FUTURE_TOLERANCE
    return session.scalar(select(func.count()).select_from(Entry).where(ahead, *conditions)) or 0
