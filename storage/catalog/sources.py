"""The sources of the catalog: load them, find them by slug, choose the sample."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from typing import Any

from sqlalchemy import func, select, update
from sqlalchemy.orm import Session, contains_eager

from openapi.vocabulary import AdapterType, AddressStatus, Health, Kind, Tier
from storage.catalog.packages import save_repositories
from storage.catalog.rows import CatalogRow
from storage.catalog.search.catalog_search import forget_index, search_index
from storage.engine.statements import PreparedQuery, batches, list_parameters, list_values
from storage.engine.types import AnySelect
from storage.models import FetchFacts, Source
from storage.scheduling.due import host_of

_BATCH = 100  # slugs of one query: as many as a request may name

_HEALTHIEST_FIRST = (Health.HEALTHY, Health.OK, Health.UNKNOWN, Health.DEGRADED, Health.PROBLEMATIC)


def sources_with_facts(session: Session) -> Iterator[Source]:
    """Yield the sources of the catalog by slug, each with its facts in memory."""
    query = select(Source).where(~Source.on_demand).join(Source.facts).order_by(Source.slug)
    yield from session.scalars(query.options(contains_eager(Source.facts)))


def sample_ids(session: Session, *, limit: int) -> list[int]:
    """Return the same few sources at every call, one a vendor.

    Products come first; among them healthy ones, and those of vendors with many sources.
    """
    ids: list[int] = []
    vendors: list[str] = []
    for tier, health in product(Tier, _HEALTHIEST_FIRST):
        while len(ids) < limit:
            row = session.execute(_most_prominent(tier, health, vendors)).first()
            if row is None:
                break
            ids.append(row.id)
            vendors.append(row.vendor)
    return ids


def _most_prominent(tier: Tier, health: Health, without: Sequence[str]) -> AnySelect:
    """Return the query of the first source by slug of the vendors with most sources."""
    conditions = [
        Source.tier == tier,
        Source.health == health,
        Source.vendor.not_in(without),
        ~Source.on_demand,
    ]
    most = select(func.max(Source.prominence)).where(*conditions).scalar_subquery()
    query: AnySelect = select(Source.id, Source.vendor)
    return query.where(*conditions, Source.prominence == most).order_by(Source.slug).limit(1)


def count_sources(session: Session) -> int:
    """Return the size of the whole catalog."""
    return session.scalar(select(func.count()).select_from(Source).where(~Source.on_demand)) or 0


def ids_of(session: Session, slugs: Collection[str]) -> dict[str, int]:
    """Return the ids of those slugs that are in the catalog."""
    ids: dict[str, int] = {}
    for batch in batches(sorted(set(slugs)), _BATCH):
        values = list_values("slug", batch)
        ids |= dict(_ids(len(values)).rows(session, values))
    return ids


@lru_cache
def _ids(size: int) -> PreparedQuery:
    slugs = list_parameters("slug", size)
    query = select(Source.slug, Source.id).where(Source.slug.in_(slugs), ~Source.on_demand)
    return PreparedQuery(query)


def all_source_ids(session: Session) -> Sequence[int]:
    """Return the keys of all sources."""
    return session.scalars(select(Source.id).order_by(Source.id)).all()


def near_slugs(session: Session, slug: str, *, most: int = 3) -> list[str]:
    """Return slugs of the catalog that are similar to a wrong one."""
    return search_index(session).near(slug, most=most)


@dataclass(frozen=True, slots=True)
class CatalogChange:
    """The result of loading a catalog. ``retagged``: sources whose entries carry old tags now."""

    added: int
    updated: int
    unchanged: int
    retagged: tuple[int, ...]


def save_sources(session: Session, rows: Iterable[CatalogRow]) -> CatalogChange:
    """Insert or update sources by slug; sources that are not among the rows stay."""
    stored = {row.slug: row for row in session.scalars(select(Source))}
    facts = {row.source_id: row for row in session.scalars(select(FetchFacts))}
    added = updated = unchanged = 0
    retagged = []
    for row in rows:
        source = stored.get(row.slug)
        if source is None:
            session.add(_new_source(row))
            added += 1
            continue
        changes = _changes(source, row)
        moved = move_feed(facts[source.id], _fetch_address(row))
        _take_status(facts[source.id], row, is_new=moved or "changelog_url" in changes)
        if {"vendor", "tags", "name"} & changes.keys():
            retagged.append(source.id)
        for name, value in changes.items():
            setattr(source, name, value)
        if changes or moved:
            updated += 1
        else:
            unchanged += 1
    session.flush()
    count_vendors(session)
    save_repositories(session)
    forget_index()
    return CatalogChange(added, updated, unchanged, tuple(retagged))


def _columns(row: CatalogRow) -> dict[str, Any]:
    may_be_unsaid = {"tier": row.tier, "aliases": list(row.aliases), "basis": row.basis}
    return {
        "vendor": row.vendor,
        "name": row.name,
        "kind": row.kind,
        "homepage": row.homepage,
        "changelog_url": row.changelog_url,
        "adapter_type": row.adapter_type,
        "tags": list(row.tags),
    } | {name: value for name, value in may_be_unsaid.items() if value}


def _likely_tier(row: CatalogRow) -> Tier:
    """Return the tier of a source of which nobody has said it."""
    if row.adapter_type is AdapterType.GITHUB_RELEASES:
        return Tier.COMPONENT
    return Tier.BLOG if row.kind is Kind.BLOG else Tier.PRODUCT


def _new_source(row: CatalogRow) -> Source:
    address = _fetch_address(row)
    status = row.status or AddressStatus.UNCONFIRMED
    facts = FetchFacts(feed_url=address, host=host_of(address), address_status=status)
    columns = {"tier": _likely_tier(row), "aliases": [], **_columns(row)}
    return Source(slug=row.slug, facts=facts, **columns)


def _changes(source: Source, row: CatalogRow) -> dict[str, Any]:
    return {name: value for name, value in _columns(row).items() if getattr(source, name) != value}


def _fetch_address(row: CatalogRow) -> str:
    return row.feed_url or row.changelog_url


def move_feed(facts: FetchFacts, address: str) -> bool:
    """Set a new feed address, and clear the validators, which belong to the old one."""
    if facts.feed_url == address:
        return False
    facts.feed_url, facts.host = address, host_of(address)
    facts.redirect_url = facts.redirect_seen_at = None
    facts.etag = facts.last_modified = facts.validators_url = None
    facts.body_hash = facts.next_check_at = None
    return True


def _take_status(facts: FetchFacts, row: CatalogRow, *, is_new: bool) -> None:
    """Set what is known of an address: nothing, if it is new, unless the row knows more."""
    if is_new:
        facts.address_status, facts.address_checked_at = AddressStatus.UNCONFIRMED, None
        facts.moved_from = facts.moved_to = None
    if facts.address_status is AddressStatus.UNCONFIRMED and row.status is not None:
        facts.address_status = row.status


def every_slug(session: Session) -> set[str]:
    """Return the slugs of the whole catalog."""
    return set(session.scalars(select(Source.slug).where(~Source.on_demand)))


def count_vendors(session: Session) -> None:
    """Update the number of sources of each vendor."""
    counts = dict(
        session.execute(
            select(Source.vendor, func.count()).where(~Source.on_demand).group_by(Source.vendor)
        ).all()
    )
    every = select(Source.id, Source.vendor, Source.prominence).where(~Source.on_demand)
    stale = session.execute(every).all()
    changes = [
        {"id": key, "prominence": counts[vendor]}
        for key, vendor, prominence in stale
        if prominence != counts[vendor]
    ]
    if changes:
        session.execute(update(Source), changes)
