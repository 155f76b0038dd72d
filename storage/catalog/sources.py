"""The catalog: what the lists, the sample and the loader ask of it."""

import difflib
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol
from urllib.parse import urlsplit

from sqlalchemy import func, select, update
from sqlalchemy.orm import Session, contains_eager

from openapi.vocabulary import AdapterType, Health, Kind
from storage.catalog import source_queries as listing
from storage.catalog.source_queries import SourceFilter as SourceFilter
from storage.models import FetchFacts, Source

BATCH = 100  # slugs of one statement: as many as a request may name

_HEALTHIEST_FIRST = (
    Health.HEALTHY,
    Health.OK,
    Health.UNKNOWN,
    Health.DEGRADED,
    Health.PROBLEMATIC,
)


@dataclass(frozen=True, slots=True)
class CatalogItem:
    """A source with what is shown beside it.

    In lists, ``source`` and ``facts`` are one row that has only the columns of
    ``storage.catalog.source_queries``: what a list shows, and what health is judged by.
    """

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
    asked = wanted.asked()
    filters, connection = frozenset(asked), session.connection()
    total = connection.execute(listing.count(filters), asked).scalar() or 0
    asked |= {"now": now, "limit": limit, "offset": offset}
    rows: Sequence[Any] = connection.execute(listing.page(filters), asked).all()
    return SourcePage(total, [CatalogItem(row, row, row.last_updated_at) for row in rows])


def sample_ids(session: Session, *, limit: int) -> list[int]:
    """Return the same few sources at every call: one a vendor, healthy and big ones first.

    The choice changes only when Totals.sample_moves does (storage.entries.states).
    """
    chosen: list[int] = []
    vendors: list[str] = []
    for health in _HEALTHIEST_FIRST:
        while len(chosen) < limit:
            without = {f"vendor_{place}": vendor for place, vendor in enumerate(vendors)}
            asked = {"health": health, **without}
            found = listing.most_prominent(len(vendors)).rows(session, asked)
            if not found:
                break
            chosen.append(found[0][0])
            vendors.append(found[0][1])
    return chosen


def find_source(session: Session, slug: str, *, now: datetime) -> CatalogItem | None:
    """Return one source of the catalog with all that is known of it, or None."""
    query = select(Source, listing.last_updated_at(now)).join(Source.facts)
    query = query.options(contains_eager(Source.facts)).where(Source.slug == slug)
    row = session.execute(query).one_or_none()
    return None if row is None else CatalogItem(row[0], row[0].facts, row[1])


def count_sources(session: Session) -> int:
    """Return the size of the whole catalog."""
    return session.scalar(select(func.count()).select_from(Source)) or 0


def ids_of(session: Session, slugs: Collection[str]) -> dict[str, int]:
    """Return the ids of those slugs that are in the catalog."""
    found: dict[str, int] = {}
    for some in _batches(sorted(set(slugs))):
        asked = {f"slug_{place}": slug for place, slug in enumerate(some)}
        found |= dict(listing.ids(len(some)).rows(session, asked))
    return found


def _batches(slugs: list[str]) -> Iterator[list[str]]:
    return (slugs[place : place + BATCH] for place in range(0, len(slugs), BATCH))


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
    count_vendors(session)
    return CatalogChange(added, updated, unchanged, tuple(retagged))


def _columns(row: CatalogFacts) -> dict[str, Any]:
    return {
        "vendor": row.vendor,
        "name": row.name,
        "name_folded": listing.folded(row.name),
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


def count_vendors(session: Session) -> None:
    """Write down anew of how many sources each vendor has."""
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
