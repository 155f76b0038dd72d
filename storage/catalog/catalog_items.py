"""Sources as lists and pages show them, and the states by which they are cached.

A list is read in two steps: the states of its page, in order, and then the items that the caller
does not have in that state. An item says the same as long as its state does, and until the moment
when time alone changes it (``next_entry_at``, and what its health is judged by).
"""

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Any, Final, NamedTuple

from sqlalchemy import (
    BigInteger,
    BindParameter,
    ColumnElement,
    Subquery,
    bindparam,
    cast,
    func,
    select,
)
from sqlalchemy.orm import Session

from openapi.vocabulary import AdapterType, Kind, Tier
from storage.catalog.search.catalog_search import search_index
from storage.catalog.source_filter import FilterShape, SourceFilter
from storage.catalog.sources import ids_of
from storage.engine.statements import PreparedQuery, batches, list_parameters, list_values
from storage.engine.types import AnySelect
from storage.models import CatalogTotals, Entry, FetchFacts, Source

_BATCH: Final = 100  # items of one query: as many as a page of the API has
_WHOLE_CATALOG: Final = FilterShape(frozenset(), None)


class ItemState(NamedTuple):
    """What an item depends on, besides Totals.catalog_version and time.

    ``facts_version``: see FetchFacts.version; ``newest_change``: see Source.newest_change.
    """

    id: int
    facts_version: int
    newest_change: int


class StatePage(NamedTuple):
    """The states of one page by slug. ``total`` counts all that the filter lets through."""

    total: int
    states: list[ItemState]


@dataclass(frozen=True, slots=True)
class CatalogItem:
    """A source with what its health is judged by; nothing that may not be shown.

    ``last_updated_at``: the vendor's newest publish time that is not in the future.
    ``next_entry_at``: when the first entry that is ahead of now is no longer.
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
    next_entry_at: datetime | None


@dataclass(frozen=True, slots=True)
class ItemPage:
    """The items of one page by slug. ``total`` counts all that the filter lets through."""

    total: int
    items: list[CatalogItem]


def page_states(
    session: Session,
    filter_: SourceFilter,
    *,
    limit: int | None = None,
    offset: int = 0,
    products_first: bool = False,
) -> StatePage:
    """Return the states of one page of the catalog; without ``limit``, of all from ``offset``.

    The order is that of a search, where the filter has one; else by slug, and with
    ``products_first`` by tier before that.
    """
    unknown_kind = filter_.kind is not None and filter_.kind not in list(Kind)
    if unknown_kind or filter_.slugs == frozenset():
        return StatePage(0, [])
    if filter_.q is not None or products_first:
        index, accepts = search_index(session), filter_.acceptance()
        q = filter_.q
        sources = index.listed(accepts) if q is None else index.find(q, accepts)
        ids = [source.id for source in sources[offset:][:limit]]
        return StatePage(len(sources), states_of(session, ids))
    shape, values = filter_.prepared()
    total = _count(shape).value(session, values) or 0
    if offset >= total:
        return StatePage(total, [])
    values |= {"limit": total if limit is None else limit, "offset": offset}
    return StatePage(total, list(map(ItemState._make, _page(shape).rows(session, values))))


def states_of(session: Session, ids: Sequence[int]) -> list[ItemState]:
    """Return the states of some sources, in the order of their ids here."""
    rows = (row for batch in batches(ids, _BATCH) for row in _rows(session, _states, batch))
    states = {row[0]: ItemState._make(row) for row in rows}
    return [states[id_] for id_ in ids if id_ in states]


def items_of(session: Session, ids: Collection[int], *, now: datetime) -> Iterator[CatalogItem]:
    """Yield the items of some sources, in no order."""
    for batch in batches(ids, _BATCH):
        for row in _rows(session, _items, batch, now=now):
            yield CatalogItem(*row)


def page_items(
    session: Session,
    filter_: SourceFilter,
    *,
    now: datetime,
    limit: int | None = None,
    offset: int = 0,
    products_first: bool = False,
) -> ItemPage:
    """Return one page of the catalog as ``page_states`` does."""
    page = page_states(session, filter_, limit=limit, offset=offset, products_first=products_first)
    ids = [state.id for state in page.states]
    items = {item.id: item for item in items_of(session, ids, now=now)}
    return ItemPage(page.total, [items[id_] for id_ in ids])


def find_item(session: Session, slug: str, *, now: datetime) -> CatalogItem | None:
    """Return one source of the catalog, or None."""
    return next(items_of(session, ids_of(session, [slug]).values(), now=now), None)


def _rows(
    session: Session,
    query: Callable[[int], PreparedQuery],
    ids: list[int],
    **values: object,
) -> list[tuple[Any, ...]]:
    """Return the rows of a query that takes a list of ids of a given size."""
    listed = list_values("id", ids)
    return query(len(listed)).rows(session, {**listed, **values})


_NOW: Final[BindParameter[Any]] = bindparam("now")
_STATES: Final[AnySelect] = select(Source.id, FetchFacts.version, Source.newest_change).join(
    FetchFacts, FetchFacts.source_id == Source.id
)
_LAST_UPDATED_AT: Final = (
    select(Entry.published_at)
    .where(Entry.source_id == Source.id, Entry.published_at <= _NOW, Entry.listed)
    .order_by(Entry.published_at.desc())
    .limit(1)
    .correlate(Source)
    .scalar_subquery()
)
_NEXT_ENTRY_AT: Final = (
    select(func.min(Entry.published_at))
    .where(Entry.source_id == Source.id, Entry.published_at > _NOW)
    .correlate(Source)
    .scalar_subquery()
)
_ITEMS: Final[AnySelect] = select(  # the fields of a CatalogItem in their order
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
    _LAST_UPDATED_AT,
    _NEXT_ENTRY_AT,
).join(FetchFacts, FetchFacts.source_id == Source.id)


@lru_cache(maxsize=256)
def _page(shape: FilterShape) -> PreparedQuery:
    limit, offset = bindparam("limit", type_=BigInteger), bindparam("offset", type_=BigInteger)
    keys = select(Source.id, Source.slug).where(*shape.conditions()).order_by(Source.slug)
    page: Subquery = keys.limit(limit).offset(offset).subquery()
    return PreparedQuery(_STATES.join(page, page.c.id == Source.id).order_by(page.c.slug))


@lru_cache(maxsize=256)
def _count(shape: FilterShape) -> PreparedQuery:
    if shape == _WHOLE_CATALOG:  # known without counting
        return PreparedQuery(select(cast(func.sum(CatalogTotals.sources), BigInteger)))
    return PreparedQuery(select(func.count()).select_from(Source).where(*shape.conditions()))


@lru_cache
def _states(size: int) -> PreparedQuery:
    return PreparedQuery(_STATES.where(_among(size)))


@lru_cache
def _items(size: int) -> PreparedQuery:
    return PreparedQuery(_ITEMS.where(_among(size)))


def _among(size: int) -> ColumnElement[bool]:
    return Source.id.in_(list_parameters("id", size, type_=BigInteger))
