"""The tag entries: what the selected sources published."""

from collections.abc import Sequence

from sqlalchemy.orm import Session
from starlette.responses import Response

from handlers.api.access import require_scope, require_sources
from handlers.api.render import list_response
from handlers.context import context
from handlers.http.auth import Caller
from openapi.queries import ExportEntries, ListEntries
from openapi.vocabulary import Scope, SearchOrder
from storage.catalog.sources import ids_of, near_slugs
from storage.entries.entry_filter import entry_filter_of
from storage.entries.entry_pages import page_documents
from storage.entries.entry_query import EntryList
from storage.entries.search.matching import Scope as Search


def list_entries(query: ListEntries | ExportEntries, caller: Caller) -> Response:
    """Answer GET /entries for the sources that the caller may read."""
    require_scope(caller, Scope.READ_ENTRIES)
    services, now = context(), context().now()
    with services.db.read() as session:
        sources = allowed_sources(session, caller, query.sources)
        entries = EntryList(
            now,
            filter=entry_filter_of(query),
            source_ids=sources.values(),
            scope=Search.WHOLE,
            order=query.order or SearchOrder.DATE,
        )
        page = page_documents(session, entries, limit=query.limit, offset=query.offset)
    return list_response(query, page.documents, total=page.total, plan=caller.plan.value)


def allowed_sources(session: Session, caller: Caller, slugs: Sequence[str]) -> dict[str, int]:
    """Return the ids of the sources with these slugs, or refuse."""
    requested = list(dict.fromkeys(slugs))
    sources = ids_of(session, requested)
    if caller.reads_everything:
        selected, in_account = set(sources), 0
    else:
        selected, in_account = caller.sources(session)
    require_sources(
        caller.plan,
        requested,
        existing=sources,
        selected=selected,
        in_account=in_account,
        near=lambda slug: near_slugs(session, slug),
    )
    return sources
