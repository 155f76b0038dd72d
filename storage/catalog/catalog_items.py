"""Sources as lists and pages show them."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from openapi.vocabulary import AdapterType, Kind, Tier
from storage.catalog.search.catalog_search import search_index
from storage.catalog.source_filter import SourceFilter
from storage.catalog.sources import ids_of
from storage.engine.statements import rows_among
from storage.engine.types import AnySelect
from storage.models import Entry, FetchFacts, Source

_STORED: Final[tuple[Any, ...]] = (
    Source.id,
    Source.slug,
    Source.vendor,
    Source.name,
    Source.kind,
    Source.homepage,
    Source.changelog_url,
    Source.adapter_type,
    Source.tier,
    Source.tags,
    Source.entry_count,
    FetchFacts.interval,
    FetchFacts.fail_score,
    FetchFacts.failures,
    FetchFacts.empty_streak,
    FetchFacts.first_attempt_at,
    FetchFacts.last_attempt_at,
    FetchFacts.last_success_at,
    FetchFacts.last_failure,
    FetchFacts.last_status,
    FetchFacts.entries_180d,
    FetchFacts.median_gap,
    FetchFacts.newest_published_at,
    FetchFacts.next_check_at,
    FetchFacts.open_gap,
)


@dataclass(frozen=True, slots=True)
class CatalogItem:
    """A source with what its health is judged by; nothing that may not be shown.

    ``last_updated_at``: the vendor's newest publish time that is not in the future.
    """

    id: int
    slug: str
    vendor: str
    name: str
    kind: Kind
    homepage: str | None
    changelog_url: str
    adapter_type: AdapterType
    tier: Tier
    tags: list[str]
    entry_count: int
    interval: timedelta | None
    fail_score: float
    failures: int
    empty_streak: int
    first_attempt_at: datetime | None
    last_attempt_at: datetime | None
    last_success_at: datetime | None
    last_failure: str | None
    last_status: int | None
    entries_180d: int
    median_gap: timedelta | None
    newest_published_at: datetime | None
    next_check_at: datetime | None
    open_gap: bool
    last_updated_at: datetime | None


def page_items(
    session: Session,
    filter_: SourceFilter,
    *,
    now: datetime,
    limit: int | None = None,
    offset: int = 0,
    products_first: bool = False,
) -> tuple[int, list[CatalogItem]]:
    """Return how many sources a filter lets through, and one page of them.

    Without ``limit`` these are all from ``offset``. The order is that of a search, where the filter
    has one; else by slug, and with ``products_first`` by tier before that.
    """
    unknown_kind = filter_.kind is not None and filter_.kind not in list(Kind)
    if unknown_kind or filter_.slugs == frozenset():
        return 0, []
    if filter_.q is not None or products_first:
        index, accepts = search_index(session), filter_.acceptance()
        q = filter_.q
        sources = index.listed(accepts) if q is None else index.find(q, accepts)
        total, ids = len(sources), [source.id for source in sources[offset:][:limit]]
    else:
        conditions = filter_.conditions()
        total = session.scalar(select(func.count()).select_from(Source).where(*conditions)) or 0
        page = select(Source.id).where(*conditions).order_by(Source.slug)
        most = total if limit is None else limit
        ids = [*session.scalars(page.limit(most).offset(offset))] if offset < total else []
    return total, items_of(session, ids, now=now)


def items_of(session: Session, ids: Iterable[int], *, now: datetime) -> list[CatalogItem]:
    """Return some sources in the order of their ids here, without those that are gone."""
    wanted = list(ids)
    rows = rows_among(session, _items(now), Source.id, wanted)
    items = {row.id: CatalogItem(*row) for row in rows}
    return [items[id_] for id_ in wanted if id_ in items]


def find_item(session: Session, slug: str, *, now: datetime) -> CatalogItem | None:
    """Return one source of the catalog, or None."""
    return next(iter(items_of(session, ids_of(session, [slug]).values(), now=now)), None)


def _items(now: datetime) -> AnySelect:
    """Return the query of the fields of a CatalogItem, in their order."""
    last_updated_at = (
        select(Entry.published_at)
        .where(Entry.source_id == Source.id, Entry.published_at <= now, Entry.listed)
        .order_by(Entry.published_at.desc())
        .limit(1)
        .correlate(Source)
        .scalar_subquery()
    )
    query: AnySelect = select(*_STORED, last_updated_at)
    return query.join(FetchFacts, FetchFacts.source_id == Source.id)
