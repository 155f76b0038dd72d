"""The catalog's items as lists show them: what each depends on, and the rows they are written from.

An item is the same as long as its state is, and until the moment when time alone changes it
(``next_entry_at`` and what its health is judged by).
"""

from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Any, Final, NamedTuple, cast

from sqlalchemy import (
    BigInteger,
    Integer,
    Subquery,
    bindparam,
    false,
    func,
    select,
)
from sqlalchemy.orm import Session

from openapi.vocabulary import AdapterType, Kind
from storage.catalog.source_queries import COLUMNS, CONDITIONS, SourceFilter, last_updated_at
from storage.catalog.sources import CatalogItem
from storage.engine.statements import PreparedQuery
from storage.engine.types import AnySelect
from storage.models import Entry, FetchFacts, Source

EVERYTHING: Final = (frozenset[str](), -1)
MOST_ITEMS: Final = 100  # of one statement: as many as a page has


class ItemState(NamedTuple):
    """What an item depends on, besides Totals.catalog_moves and time.

    ``facts_moves``: see FetchFacts.moves; ``newest``: see Source.newest_change.
    """

    id: int
    facts_moves: int
    newest: int


class ItemRow(NamedTuple):
    """A row of the columns of ``storage.catalog.source_queries.COLUMNS`` and two times of entries.

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
    tags: Any
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

    def as_item(self) -> CatalogItem:
        """Return it as what health is judged and answers are written from."""
        row = cast("Any", self)
        return CatalogItem(row, row, self.last_updated_at)


class StatePage(NamedTuple):
    """The states of one page by slug; ``total`` counts all that the filter lets through.

    They are tuples of an ItemState's fields: mostly they are compared, and nothing else.
    """

    total: int
    states: Sequence[tuple[Any, ...]]


def page_states(
    session: Session, wanted: SourceFilter, *, everything: int, limit: int, offset: int
) -> StatePage:
    """Return the states of one page of the catalog, which has ``everything`` sources in all."""
    if wanted.kind is not None and wanted.kind not in list(Kind):
        return StatePage(0, ())
    if wanted.q is not None:
        session.connection()  # a search reads every source: nothing for a Glance
    filters, asked = _asked(wanted)
    total = everything if filters == EVERYTHING else _count(*filters).value(session, asked)
    asked |= {"limit": limit, "offset": offset}
    rows = _page(*filters).rows(session, asked) if offset < total else []
    return StatePage(total, rows)


def states_of(session: Session, ids: Sequence[int]) -> list[ItemState]:
    """Return the states of some sources, at most MOST_ITEMS, in the order of their ids here."""
    if not ids:
        return []
    asked = _ids(ids)
    found = {row[0]: ItemState(*row) for row in _states(len(asked)).rows(session, asked)}
    return [found[each] for each in ids if each in found]


def item_rows(session: Session, ids: Collection[int], *, now: datetime) -> list[ItemRow]:
    """Return the rows of some sources, at most MOST_ITEMS, in no order."""
    asked = _ids(ids)
    return [ItemRow(*row) for row in _rows(len(asked)).rows(session, {**asked, "now": now})]


def _ids(ids: Collection[int]) -> dict[str, Any]:
    return {f"id_{place}": each for place, each in enumerate(ids)}


def _asked(wanted: SourceFilter) -> tuple[tuple[frozenset[str], int], dict[str, Any]]:
    """Return what a filter's statement is known by, and its values: slugs one by one."""
    asked = wanted.asked()
    slugs = asked.pop("slugs", None)
    names = frozenset(asked)
    if slugs is None:
        return (names, -1), asked
    return (names, len(slugs)), asked | {f"slug_{place}": each for place, each in enumerate(slugs)}


def _conditions(filters: frozenset[str], slugs: int) -> list[Any]:
    """Return the conditions of a filter; ``slugs`` is how many it names, -1 for all."""
    found: list[Any] = [CONDITIONS[each] for each in sorted(filters)]
    if slugs >= 0:
        places: list[Any] = [bindparam(f"slug_{place}") for place in range(slugs)]
        found.append(Source.slug.in_(places) if places else false())
    return found


_STATES: Final[AnySelect] = select(Source.id, FetchFacts.moves, Source.newest_change).join(
    FetchFacts, FetchFacts.source_id == Source.id
)
_NEXT_ENTRY_AT: Final = (
    select(func.min(Entry.published_at))
    .where(Entry.source_id == Source.id, Entry.published_at > bindparam("now"))
    .correlate(Source)
    .scalar_subquery()
)


@lru_cache(maxsize=256)
def _page(filters: frozenset[str], slugs: int) -> PreparedQuery:
    limit, offset = bindparam("limit", type_=Integer), bindparam("offset", type_=BigInteger)
    keys = select(Source.id, Source.slug).where(*_conditions(filters, slugs))
    page: Subquery = keys.order_by(Source.slug).limit(limit).offset(offset).subquery()
    return PreparedQuery(_STATES.join(page, page.c.id == Source.id).order_by(page.c.slug))


@lru_cache(maxsize=256)
def _count(filters: frozenset[str], slugs: int) -> PreparedQuery:
    return PreparedQuery(
        select(func.count()).select_from(Source).where(*_conditions(filters, slugs))
    )


@lru_cache(maxsize=MOST_ITEMS)
def _states(count: int) -> PreparedQuery:
    places: list[Any] = [bindparam(f"id_{place}", type_=BigInteger) for place in range(count)]
    return PreparedQuery(_STATES.where(Source.id.in_(places)))


@lru_cache(maxsize=MOST_ITEMS)
def _rows(count: int) -> PreparedQuery:
    places: list[Any] = [bindparam(f"id_{place}", type_=BigInteger) for place in range(count)]
    query: AnySelect = select(*COLUMNS, last_updated_at(bindparam("now")), _NEXT_ENTRY_AT)
    query = query.join(FetchFacts, FetchFacts.source_id == Source.id)
    return PreparedQuery(query.where(Source.id.in_(places)))
