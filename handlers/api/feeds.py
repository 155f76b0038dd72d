"""The tag feeds: what everybody may read."""

from starlette.responses import Response

from handlers.api.links import Asked, page_links
from handlers.api.render import as_feed_page, json_response
from handlers.context import context
from handlers.http.caching import LazyResponse, etag_of_state
from openapi.contract import base_path
from storage.entries.entry_pages import EntryPage, page_important, page_latest
from storage.entries.states import feed_state


def list_latest(limit: int, offset: int, future: str | None = None) -> LazyResponse:
    """Answer GET /latest."""
    services, now = context(), context().now()
    with services.db.read() as session:
        state = feed_state(session, now=now)

    def write() -> Response:
        with services.db.read() as session:
            page = page_latest(
                session, limit=limit, offset=offset, now=now, future=future is not None
            )
        return _as_page("latest", page, {"future": future}, limit=limit, offset=offset)

    hidden = state.ahead if future is None else None
    totals = state.totals
    depends = (limit, offset, hidden, totals.entries, totals.public_version, state.newest)
    return LazyResponse(etag_of_state(services.site_url, "latest", *depends), write)


def list_important(limit: int, offset: int) -> LazyResponse:
    """Answer GET /important."""
    services, now = context(), context().now()
    with services.db.read() as session:
        state = feed_state(session, now=now)

    def write() -> Response:
        with services.db.read() as session:
            page = page_important(session, limit=limit, offset=offset, now=now)
        return _as_page("important", page, {}, limit=limit, offset=offset)

    totals = state.totals
    depends = (limit, offset, state.important_ahead, totals.important, totals.important_version)
    return LazyResponse(etag_of_state(services.site_url, "important", *depends), write)


def _as_page(name: str, page: EntryPage, asked: Asked, *, limit: int, offset: int) -> Response:
    address = f"{context().site_url}{base_path()}/{name}"
    links = page_links(address, asked, total=page.total, limit=limit, offset=offset)
    body = as_feed_page(page.documents, total=page.total, limit=limit, offset=offset)
    return json_response(body, headers={"Link": links})
