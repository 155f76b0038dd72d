"""Counts over the whole catalog, for pages that describe the service."""

from collections import Counter
from dataclasses import dataclass

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from openapi.vocabulary import Tier
from storage.catalog.address_checks import unconfirmed_count
from storage.models import Source


@dataclass(frozen=True, slots=True)
class CatalogStats:
    """How many sources, vendors, entries and important entries there are.

    ``unconfirmed``: sources that were never read and whose address nobody has confirmed.
    """

    sources: int
    vendors: int
    entries: int
    important: int
    unconfirmed: int


def catalog_stats(session: Session) -> CatalogStats:
    """Count sources, vendors and entries; the entries from the counts kept with each source."""
    query = select(
        func.count(),
        func.count(Source.vendor.distinct()),
        func.coalesce(func.sum(Source.entry_count), 0),
        func.coalesce(func.sum(Source.important_count), 0),
    )
    sources, vendors, entries, important = session.execute(query.where(~Source.on_demand)).one()
    return CatalogStats(sources, vendors, int(entries), int(important), unconfirmed_count(session))


def largest_vendors(session: Session, *, most: int) -> list[str]:
    """Return the vendors with the most sources about products, those with the most first."""
    query = select(Source.vendor).where(Source.tier == Tier.PRODUCT).group_by(Source.vendor)
    return list(session.scalars(query.order_by(func.count().desc(), Source.vendor).limit(most)))


def facet_counts(session: Session) -> tuple[Counter[str], Counter[str], Counter[str]]:
    """Return how many sources have each tag, each vendor and each kind."""
    query = select(Source.tags, Source.vendor, Source.kind).where(~Source.on_demand)
    rows = session.execute(query).all()
    tags = Counter(tag for row in rows for tag in row.tags)
    return tags, Counter(row.vendor for row in rows), Counter(row.kind.value for row in rows)
