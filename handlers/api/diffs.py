"""The tag diffs: what changed between snapshots of a source."""

from starlette.responses import Response

from handlers.api.access import require_scope
from handlers.api.entries import allowed_sources
from handlers.api.render import as_page, json_response
from handlers.context import context
from handlers.http.auth import Caller
from handlers.http.refusals import addon_required
from openapi.queries import GetDiffs
from openapi.vocabulary import Scope
from storage.entries.diffs import newest_diffs
from storage.models import Source


def get_diffs(query: GetDiffs, caller: Caller) -> Response:
    """Answer GET /diffs for a source that the caller may read."""
    require_scope(caller, Scope.READ_DIFFS)
    if not caller.has_diffs:
        raise addon_required()
    services = context()
    with services.db.read() as session:
        allowed = allowed_sources(session, caller, [query.source])
        source = session.get_one(Source, allowed[query.source])
        page = newest_diffs(session, source.id)
        head = {
            "source": source.slug,
            "adapterType": source.adapter_type.value,
            "total": page.total,
        }
    return json_response(as_page(head, page.documents))
