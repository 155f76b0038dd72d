"""The tag feeds: the public lists of entries."""

from collections.abc import Callable
from functools import partial

from starlette.responses import Response

from handlers.api.render import list_response
from handlers.context import context
from handlers.http.auth import Caller
from handlers.http.caching import LazyResponse, etag_of_state
from openapi.queries import ListImportant, ListLatest
from openapi.vocabulary import SearchOrder
from storage.entries.entry_filter import EntryFilter, depends_on_catalog
from storage.entries.entry_pages import EntryPage, page_important, page_latest
from storage.entries.filter_parsing import entry_filter_of
from storage.entries.states import FeedState, Totals, feed_state


def list_latest(query: ListLatest, _caller: Caller | None) -> LazyResponse:
    """Answer GET /latest."""
    future = query.future is not None

    def counts(state: FeedState) -> tuple[object, ...]:
        hidden, totals = None if future else state.ahead, state.totals
        return hidden, totals.entries, totals.public_version, state.newest

    return _entry_list("latest", query, partial(page_latest, future=future), counts)


def list_important(query: ListImportant, _caller: Caller | None) -> LazyResponse:
    """Answer GET /important."""

    def counts(state: FeedState) -> tuple[object, ...]:
        return state.important_ahead, state.totals.important, state.totals.important_version

    return _entry_list("important", query, page_important, counts)


def _entry_list(
    name: str,
    query: ListLatest | ListImportant,
    read_page: Callable[..., EntryPage],
    counts: Callable[[FeedState], tuple[object, ...]],
) -> LazyResponse:
    """Return a page of entries; ``counts`` are what its unfiltered list depends on."""
    services, now = context(), context().now()
    with services.db.read() as session:
        state = feed_state(session, now=now)
    entry_filter, order = entry_filter_of(query), query.order or SearchOrder.DATE
    page = partial(read_page, limit=query.limit, offset=query.offset, now=now, order=order)

    def write() -> Response:
        with services.db.read() as session:
            found = page(session, entry_filter)
        return list_response(query, found.documents, total=found.total)

    catalog = _of_catalog(entry_filter, state.totals)
    depends = (query.to_link(), *counts(state), *catalog)
    return LazyResponse(etag_of_state(services.api_url, name, *depends), write)


def _of_catalog(entry_filter: EntryFilter, totals: Totals) -> tuple[int, ...]:
    """Return what a filter depends on besides the entries."""
    if not depends_on_catalog(entry_filter):
        return ()
    return totals.catalog_version, totals.important_version
