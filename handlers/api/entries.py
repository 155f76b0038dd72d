"""The tag entries: what the selected sources published."""

from collections.abc import Sequence
from datetime import datetime
from operator import attrgetter
from typing import Final

import orjson
from sqlalchemy.orm import Session
from starlette.responses import Response

from handlers.api.access import require_scope, require_sources
from handlers.api.render import list_response
from handlers.context import context
from handlers.http.auth import Caller
from handlers.http.caching import LazyResponse, etag_of_state
from openapi.queries import ListEntries
from openapi.vocabulary import Scope, SearchOrder
from storage.catalog.sources import near_slugs
from storage.entries.entry_filter import depends_on_catalog
from storage.entries.entry_pages import EntryPage, page_entries
from storage.entries.filter_parsing import entry_filter_of
from storage.entries.search.search import search_entries
from storage.entries.states import SourceState, catalog_totals, source_states

_DEPENDS: Final = attrgetter("id", "entries", "newest", "document_version")


def list_entries(query: ListEntries, caller: Caller) -> LazyResponse:
    """Answer GET /entries for the sources that the caller may read."""
    require_scope(caller, Scope.READ_ENTRIES)
    entry_filter = entry_filter_of(query)
    services, now = context(), context().now()
    with services.db.read() as session:
        states = allowed_states(session, caller, query.sources, now=now)
        totals = catalog_totals(session) if depends_on_catalog(entry_filter) else None

    def write() -> Response:
        total = sum(state.entries for state in states)
        with services.db.read() as session:
            page = _page(session, query, [state.id for state in states], total, now=now)
        return list_response(query, page.documents, total=page.total, plan=caller.plan.value)

    of_sources = orjson.dumps(list(map(_DEPENDS, states)))
    of_catalog = () if totals is None else (totals.catalog_version, totals.important_version)
    depends = (caller.plan.value, query.to_link(), of_sources, *of_catalog)
    return LazyResponse(etag_of_state(services.api_url, "entries", *depends), write)


def _page(
    session: Session, query: ListEntries, source_ids: list[int], total: int, *, now: datetime
) -> EntryPage:
    """Return a page of the entries of sources that have so many in all."""
    entry_filter, place = entry_filter_of(query), {"limit": query.limit, "offset": query.offset}
    if entry_filter.q is None:
        return page_entries(session, source_ids, entry_filter, **place, unfiltered_total=total)
    order = query.order or SearchOrder.DATE
    page = search_entries(session, source_ids, entry_filter, **place, now=now, order=order)
    return EntryPage(*page)


def allowed_states(
    session: Session, caller: Caller, slugs: Sequence[str], *, now: datetime
) -> list[SourceState]:
    """Return the states of the sources with these slugs, in the order of their ids, or refuse."""
    requested = list(dict.fromkeys(slugs))
    states = source_states(session, requested)
    if caller.reads_everything:
        selected, in_account = set(states), 0
    else:
        selected, in_account = caller.choices(session, now=now)
    require_sources(
        caller.plan,
        requested,
        existing=states,
        selected=selected,
        in_account=in_account,
        near=lambda slug: near_slugs(session, slug),
    )
    return sorted(states.values())
