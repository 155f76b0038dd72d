"""Counts over the whole catalog, for pages that describe the service."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from storage.catalog.source_queries import EVERY_ROW
from storage.catalog.sources import CatalogItem
from storage.models import Source


@dataclass(frozen=True, slots=True)
class CatalogFigures:
    """How much there is of everything."""

    sources: int
    vendors: int
    entries: int
    important: int


def catalog_figures(session: Session) -> CatalogFigures:
    """Count sources, vendors and entries; the entries from the counts kept with each source."""
    query = select(
        func.count(),
        func.count(Source.vendor.distinct()),
        func.coalesce(func.sum(Source.entry_count), 0),
        func.coalesce(func.sum(Source.important_count), 0),
    )
    sources, vendors, entries, important = session.execute(query.select_from(Source)).one()
    return CatalogFigures(sources, vendors, int(entries), int(important))


def every_item(session: Session) -> Iterator[CatalogItem]:
    """Yield every source with its facts, without its newest publish time."""
    rows: Iterable[Any] = session.connection().execute(EVERY_ROW)
    for row in rows:
        yield CatalogItem(row, row, None)
