"""The catalog: what the lists, the sample and the loader ask of it."""

import difflib
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol
from urllib.parse import urlsplit

from sqlalchemy import ScalarSelect, func, or_, select, update
from sqlalchemy.orm import Session, contains_eager

from openapi.vocabulary import AdapterType, Health, Json, Kind
from storage.models import Entry, FetchFacts, Source
from storage.types import AnySelect

_HEALTHIEST_FIRST = (
    Health.HEALTHY,
    Health.OK,
    Health.UNKNOWN,
    Health.DEGRADED,
    Health.PROBLEMATIC,
)


@dataclass(frozen=True, slots=True)
class SourceFilter:
    """What a caller of /sources asks for. ``slugs``: only these, None for all."""

    vendor: str | None = None
    q: str | None = None
    adapter_type: AdapterType | None = None
    kind: str | None = None
    slugs: frozenset[str] | None = None

    def apply(self, query: AnySelect) -> AnySelect:
        """Narrow a query on Source."""
        if self.vendor is not None:
            query = query.where(Source.vendor == self.vendor)
        if self.q is not None:
            wanted = self.q.casefold()
            query = query.where(
                or_(
                    Source.name_folded.contains(wanted, autoescape=True),
                    Source.vendor.contains(wanted, autoescape=True),
                )
            )
        if self.adapter_type is not None:
            query = query.where(Source.adapter_type == self.adapter_type)
        if self.kind is not None:
            query = query.where(Source.kind == self.kind)
        return query if self.slugs is None else query.where(Source.slug.in_(self.slugs))


@dataclass(frozen=True, slots=True)
class CatalogItem:
    """A source with what is shown beside it."""

    source: Source
    facts: FetchFacts
    last_updated_at: datetime | None


@dataclass(frozen=True, slots=True)
class SourcePage:
    """``total`` counts all that the filter lets through."""

    total: int
    items: list[CatalogItem]


def page_sources(
    session: Session, wanted: SourceFilter, *, limit: int, offset: int, now: datetime
) -> SourcePage:
    """Return one page of the catalog by slug."""
    if wanted.kind is not None and wanted.kind not in list(Kind):
        return SourcePage(0, [])
    total = session.scalar(wanted.apply(select(func.count()).select_from(Source))) or 0
    query = wanted.apply(_items(now)).order_by(Source.slug)
    return SourcePage(total, _as_items(session, query.limit(limit).offset(offset)))


def sample_sources(session: Session, *, limit: int, now: datetime) -> list[CatalogItem]:
    """Return the same few sources at every call: one a vendor, healthy and big ones first."""
    chosen: list[int] = []
    vendors: list[str] = []
    for health in _HEALTHIEST_FIRST:
        while len(chosen) < limit and (found := _biggest(session, health, vendors)) is not None:
            chosen.append(found[0])
            vendors.append(found[1])
    items = _as_items(session, _items(now).where(Source.id.in_(chosen)))
    return sorted(items, key=lambda item: chosen.index(item.source.id))


def _biggest(session: Session, health: Health, without: list[str]) -> tuple[int, str] | None:
    """Find the first source by slug of the vendors with most sources, except some vendors."""
    fitting = (Source.health == health, Source.vendor.not_in(without))
    most = select(func.max(Source.prominence)).where(*fitting).scalar_subquery()
    query = select(Source.id, Source.vendor).where(*fitting, Source.prominence == most)
    row = session.execute(query.order_by(Source.slug).limit(1)).one_or_none()
    return None if row is None else (row.id, row.vendor)


def find_source(session: Session, slug: str, *, now: datetime) -> CatalogItem | None:
    """Return one source of the catalog, or None."""
    found = _as_items(session, _items(now).where(Source.slug == slug))
    return found[0] if found else None


def _items(now: datetime) -> AnySelect:
    query = select(Source, last_updated_at(now)).join(Source.facts)
    return query.options(contains_eager(Source.facts))


def _as_items(session: Session, query: AnySelect) -> list[CatalogItem]:
    return [CatalogItem(source, source.facts, last) for source, last in session.execute(query)]


def last_updated_at(now: datetime) -> ScalarSelect[datetime]:
    """Ask for the vendor's newest publish time that is not in the future."""
    return (
        select(Entry.published_at)
        .where(Entry.source_id == Source.id, Entry.published_at <= now)
        .order_by(Entry.published_at.desc())
        .limit(1)
        .correlate(Source)
        .scalar_subquery()
    )


def count_sources(session: Session) -> int:
    """Return the size of the whole catalog."""
    return session.scalar(select(func.count()).select_from(Source)) or 0


def ids_of(session: Session, slugs: Collection[str]) -> dict[str, int]:
    """Return the ids of those slugs that are in the catalog."""
    query = select(Source.slug, Source.id).where(Source.slug.in_(slugs))
    return dict(session.execute(query).all())


def near_slugs(session: Session, slug: str, *, most: int = 3) -> list[str]:
    """Return slugs of the catalog that look like a wrong one."""
    vendor = slug.partition(".")[0]
    same_vendor = session.scalars(select(Source.slug).where(Source.vendor == vendor)).all()
    pool = same_vendor or session.scalars(select(Source.slug)).all()
    return difflib.get_close_matches(slug, pool, n=most, cutoff=0.6)


class CatalogFacts(Protocol):
    """One row of a catalog, as its reader gives it."""

    @property
    def slug(self) -> str: ...
    @property
    def vendor(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def kind(self) -> Kind: ...
    @property
    def homepage(self) -> str | None: ...
    @property
    def changelog_url(self) -> str: ...
    @property
    def adapter_type(self) -> AdapterType: ...
    @property
    def feed_url(self) -> str | None: ...
    @property
    def tags(self) -> Sequence[str]: ...


@dataclass(frozen=True, slots=True)
class CatalogChange:
    """What loading a catalog did. ``retagged``: sources whose entries carry old tags now."""

    added: int
    updated: int
    unchanged: int
    retagged: tuple[int, ...]


def save_sources(session: Session, rows: Iterable[CatalogFacts]) -> CatalogChange:
    """Insert or update sources by slug; sources that are not among the rows stay."""
    stored = {each.slug: each for each in session.scalars(select(Source))}
    facts = {each.source_id: each for each in session.scalars(select(FetchFacts))}
    added = updated = unchanged = 0
    retagged = []
    for row in rows:
        source = stored.get(row.slug)
        if source is None:
            session.add(_new_source(row))
            added += 1
            continue
        changes = _changes(source, row)
        moved = _move_feed(facts[source.id], row)
        if {"vendor", "tags"} & changes.keys():
            retagged.append(source.id)
        for name, value in changes.items():
            setattr(source, name, value)
        updated, unchanged = (
            (updated + 1, unchanged) if changes or moved else (updated, unchanged + 1)
        )
    session.flush()
    _count_vendors(session)
    return CatalogChange(added, updated, unchanged, tuple(retagged))


def _columns(row: CatalogFacts) -> dict[str, Any]:
    return {
        "vendor": row.vendor,
        "name": row.name,
        "name_folded": row.name.casefold(),
        "kind": row.kind,
        "homepage": row.homepage,
        "changelog_url": row.changelog_url,
        "adapter_type": row.adapter_type,
        "tags": list(row.tags),
    }


def _new_source(row: CatalogFacts) -> Source:
    address = _fetch_address(row)
    facts = FetchFacts(feed_url=address, host=host_of(address))
    return Source(slug=row.slug, facts=facts, **_columns(row))


def _changes(source: Source, row: CatalogFacts) -> dict[str, Any]:
    return {name: value for name, value in _columns(row).items() if getattr(source, name) != value}


def _fetch_address(row: CatalogFacts) -> str:
    return row.feed_url or row.changelog_url


def _move_feed(facts: FetchFacts, row: CatalogFacts) -> bool:
    """Take over a new feed address; validators belong to the old one and go."""
    address = _fetch_address(row)
    if facts.feed_url == address:
        return False
    facts.feed_url, facts.host = address, host_of(address)
    facts.redirect_url = facts.redirect_seen_at = None
    facts.etag = facts.last_modified = facts.validators_url = None
    facts.body_hash = facts.next_check_at = None
    return True


def host_of(address: str) -> str:
    """Return the host that an address is fetched from, in lower case."""
    return (urlsplit(address).hostname or "").lower()


def _count_vendors(session: Session) -> None:
    counts = dict(
        session.execute(select(Source.vendor, func.count()).group_by(Source.vendor)).all()
    )
    stale = session.execute(select(Source.id, Source.vendor, Source.prominence)).all()
    changes = [
        {"id": key, "prominence": counts[vendor]}
        for key, vendor, prominence in stale
        if prominence != counts[vendor]
    ]
    if changes:
        session.execute(update(Source), changes)


def tags_of(source: Source) -> list[str]:
    """Return the tags as stored."""
    tags: Json = source.tags
    assert isinstance(tags, list)
    return [str(tag) for tag in tags]
