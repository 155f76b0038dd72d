"""The tag feeds: what everybody may read."""

from starlette.responses import Response

from handlers.context import context
from handlers.render import as_feed_page, json_response
from storage.entries import page_important, page_latest


def list_latest(limit: int, offset: int, future: str | None = None) -> Response:
    """Answer GET /latest."""
    services = context()
    with services.db.read() as session:
        page = page_latest(
            session, limit=limit, offset=offset, now=services.now(), future=future is not None
        )
    return json_response(as_feed_page(page.documents, total=page.total, limit=limit, offset=offset))


def list_important(limit: int, offset: int) -> Response:
    """Answer GET /important."""
    services = context()
    with services.db.read() as session:
        page = page_important(session, limit=limit, offset=offset, now=services.now())
    return json_response(as_feed_page(page.documents, total=page.total, limit=limit, offset=offset))
