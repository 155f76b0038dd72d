"""The tag feeds: what everybody may read."""

from starlette.responses import Response

from handlers.context import context
from handlers.links import Asked, page_links
from handlers.render import as_feed_page, json_response
from openapi.contract import base_path
from storage.entries import EntryPage, page_important, page_latest


def list_latest(limit: int, offset: int, future: str | None = None) -> Response:
    """Answer GET /latest."""
    services = context()
    with services.db.read() as session:
        page = page_latest(
            session, limit=limit, offset=offset, now=services.now(), future=future is not None
        )
    return _as_page("latest", page, {"future": future}, limit=limit, offset=offset)


def list_important(limit: int, offset: int) -> Response:
    """Answer GET /important."""
    services = context()
    with services.db.read() as session:
        page = page_important(session, limit=limit, offset=offset, now=services.now())
    return _as_page("important", page, {}, limit=limit, offset=offset)


def _as_page(name: str, page: EntryPage, asked: Asked, *, limit: int, offset: int) -> Response:
    address = f"{context().site_url}{base_path()}/{name}"
    links = page_links(address, asked, total=page.total, limit=limit, offset=offset)
    body = as_feed_page(page.documents, total=page.total, limit=limit, offset=offset)
    return json_response(body, headers={"Link": links})
