"""The tag feeds: the public lists of entries."""

from starlette.responses import Response

from handlers.api.links import PageQuery, page_links
from handlers.api.render import as_page, json_response
from handlers.api.search_parameters import index_state, order_of
from handlers.context import context
from handlers.http.auth import Caller
from handlers.http.caching import LazyResponse, etag_of_state
from openapi.queries import ListImportant, ListLatest
from storage.entries.entry_filter import EntryFilter, depends_on_catalog
from storage.entries.entry_pages import EntryPage, page_important, page_latest
from storage.entries.filter_parsing import entry_filter_of
from storage.entries.states import Totals, feed_state


def list_latest(query: ListLatest, _caller: Caller | None) -> LazyResponse:
    """Answer GET /latest."""
    services, now = context(), context().now()
    with services.db.read() as session:
        state = feed_state(session, now=now)
        indexed = index_state(session, query.q)
    future, entry_filter = query.future is not None, entry_filter_of(query)

    def write() -> Response:
        with services.db.read() as session:
            page = page_latest(
                session,
                entry_filter,
                limit=query.limit,
                offset=query.offset,
                now=now,
                future=future,
                order=order_of(query.order),
            )
        return _page_response(page, query)

    hidden = None if future else state.ahead
    totals = state.totals
    of_all = (hidden, totals.entries, totals.public_version, state.newest)
    depends = (query.to_link(), *of_all, *_of_catalog(entry_filter, totals), *indexed)
    return LazyResponse(etag_of_state(services.api_url, "latest", *depends), write)


def list_important(query: ListImportant, _caller: Caller | None) -> LazyResponse:
    """Answer GET /important."""
    services, now = context(), context().now()
    with services.db.read() as session:
        state = feed_state(session, now=now)
        indexed = index_state(session, query.q)
    entry_filter = entry_filter_of(query)

    def write() -> Response:
        with services.db.read() as session:
            page = page_important(
                session,
                entry_filter,
                limit=query.limit,
                offset=query.offset,
                now=now,
                order=order_of(query.order),
            )
        return _page_response(page, query)

    totals = state.totals
    of_all = (state.important_ahead, totals.important, totals.important_version)
    depends = (query.to_link(), *of_all, *_of_catalog(entry_filter, totals), *indexed)
    return LazyResponse(etag_of_state(services.api_url, "important", *depends), write)


def _of_catalog(entry_filter: EntryFilter, totals: Totals) -> tuple[int, ...]:
    """Return what a filter depends on besides the entries."""
    if not depends_on_catalog(entry_filter):
        return ()
    return totals.catalog_version, totals.important_version


def _page_response(page: EntryPage, query: PageQuery) -> Response:
    links = page_links(query, context().api_url, total=page.total)
    head = {"total": page.total, "limit": query.limit, "offset": query.offset}
    return json_response(as_page(head, page.documents), headers={"Link": links})
