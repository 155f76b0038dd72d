"""The tag feeds: the public lists of entries."""

from collections.abc import Callable
from functools import partial

from starlette.responses import Response

from handlers.api.render import list_response
from handlers.context import context
from handlers.http.auth import Caller
from openapi.queries import ListImportant, ListLatest
from openapi.vocabulary import SearchOrder
from storage.entries.documents import DocumentPage
from storage.entries.entry_filter import entry_filter_of
from storage.entries.entry_pages import page_important, page_latest


def list_latest(query: ListLatest, _caller: Caller | None) -> Response:
    """Answer GET /latest."""
    return _entry_list(query, partial(page_latest, future=query.future is not None))


def list_important(query: ListImportant, _caller: Caller | None) -> Response:
    """Answer GET /important."""
    return _entry_list(query, page_important)


def _entry_list(
    query: ListLatest | ListImportant, read_page: Callable[..., DocumentPage]
) -> Response:
    services = context()
    with services.db.read() as session:
        page = read_page(
            session,
            entry_filter_of(query),
            limit=query.limit,
            offset=query.offset,
            now=services.now(),
            order=query.order or SearchOrder.DATE,
        )
    return list_response(query, page.documents, total=page.total)
