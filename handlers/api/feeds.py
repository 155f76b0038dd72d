"""The tag feeds: the public lists of entries."""

from datetime import datetime

from sqlalchemy.orm import Session
from starlette.responses import Response

from handlers.api.render import list_response
from handlers.context import context
from handlers.http.auth import Caller
from handlers.http.refusals import unauthorized
from openapi.queries import ListDeadlines, ListImportant, ListLatest
from openapi.vocabulary import SearchOrder
from storage.delivery.subscriptions import followed_slugs
from storage.entries.entry_filter import EntryFilter, entry_filter_of
from storage.entries.entry_pages import page_documents
from storage.entries.entry_query import LISTED, PUBLIC, PUBLIC_IMPORTANT, EntryList


def list_latest(query: ListLatest, caller: Caller | None) -> Response:
    """Answer GET /latest."""
    return _entry_list(query, caller, PUBLIC if query.future is None else frozenset({LISTED}))


def list_important(query: ListImportant, caller: Caller | None) -> Response:
    """Answer GET /important."""
    return _entry_list(query, caller, PUBLIC_IMPORTANT)


def public_filter(
    session: Session,
    query: ListLatest | ListImportant | ListDeadlines,
    caller: Caller | None,
    *,
    now: datetime,
) -> EntryFilter:
    """Return the filter of a public list; its sources may be chosen with a key or a session."""
    if caller is None and (query.sources or query.following):
        raise unauthorized("sources and following need an API key or a session.")
    entry_filter = entry_filter_of(query, but=())
    if caller is None or query.following is None:
        return entry_filter
    return entry_filter.among(followed_slugs(session, caller.account_id, now=now))


def _entry_list(
    query: ListLatest | ListImportant, caller: Caller | None, chosen: frozenset[str]
) -> Response:
    services, now = context(), context().now()
    with services.db.read() as session:
        filter_ = public_filter(session, query, caller, now=now)
        entries = EntryList(now, chosen, filter_, order=query.order or SearchOrder.DATE)
        page = page_documents(session, entries, limit=query.limit, offset=query.offset)
    return list_response(query, page.documents, total=page.total)
