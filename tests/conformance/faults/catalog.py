"""Faults of the catalog's pages and of its sample, told as other lists of sources."""

from datetime import UTC, datetime
from typing import Any

from faults.fault import Fault, patched
from storage.catalog.catalog_items import StatePage, items_of, page_items, states_of
from storage.catalog.sources import sample_ids


def of_catalog(name: str, make: Any) -> Fault:
    """Give other pages of the catalog: ``make`` changes what page_items gives."""
    found = make(page_items)

    def states(_: Any) -> Any:
        def page(session: Any, wanted: Any, *, limit: int, offset: int, **_: Any) -> StatePage:
            given = found(session, wanted, limit=limit, offset=offset, now=datetime.now(UTC))
            return StatePage(given.total, _states(session, given.items))

        return page

    return patched(name, "handlers.api.sources.page_states", states)


def of_sample(name: str, make: Any) -> Fault:
    """Give another sample: ``make`` changes what _sample gives."""
    found = make(_sample)

    def states(_: Any) -> Any:
        def sample(_: Any, session: Any, __: Any, *, limit: int) -> Any:
            return _states(session, found(session, limit=limit, now=datetime.now(UTC)))

        return sample

    return patched(name, "handlers.api.source_cache.SourceCache.sample", states)


def _sample(session: Any, *, limit: int, now: datetime) -> list[Any]:
    chosen = sample_ids(session, limit=limit)
    items = items_of(session, chosen, now=now)
    return sorted(items, key=lambda item: chosen.index(item.id))


def _states(session: Any, items: Any) -> list[Any]:
    return states_of(session, [item.id for item in items])
