"""The tag feeds: the public lists of entries."""

from starlette.responses import Response

from handlers.api.links import PageQuery, page_links
from handlers.api.render import as_page, json_response
from handlers.context import context
from handlers.http.auth import Caller
from handlers.http.caching import LazyResponse, etag_of_state
from openapi.queries import ListImportant, ListLatest
from storage.entries.entry_pages import EntryPage, page_important, page_latest
from storage.entries.states import feed_state


def list_latest(query: ListLatest, _caller: Caller | None) -> LazyResponse:
    """Answer GET /latest."""
    services, now = context(), context().now()
    with services.db.read() as session:
        state = feed_state(session, now=now)
    future = query.future is not None

    def write() -> Response:
        with services.db.read() as session:
            page = page_latest(
                session, limit=query.limit, offset=query.offset, now=now, future=future
            )
        return _page_response(page, query)

    hidden = None if future else state.ahead
    totals = state.totals
    depends = (query.to_link(), hidden, totals.entries, totals.public_version, state.newest)
    return LazyResponse(etag_of_state(services.api_url, "latest", *depends), write)


def list_important(query: ListImportant, _caller: Caller | None) -> LazyResponse:
    """Answer GET /important."""
    services, now = context(), context().now()
    with services.db.read() as session:
        state = feed_state(session, now=now)

    def write() -> Response:
        with services.db.read() as session:
            page = page_important(session, limit=query.limit, offset=query.offset, now=now)
        return _page_response(page, query)

    totals = state.totals
    depends = (query.to_link(), state.important_ahead, totals.important, totals.important_version)
    return LazyResponse(etag_of_state(services.api_url, "important", *depends), write)


def _page_response(page: EntryPage, query: PageQuery) -> Response:
    links = page_links(query, context().api_url, total=page.total)
    head = {"total": page.total, "limit": query.limit, "offset": query.offset}
    return json_response(as_page(head, page.documents), headers={"Link": links})
