"""The tag diffs: what changed between snapshots of a source."""

from starlette.responses import Response

from handlers.api.access import require_diffs, require_scope
from handlers.api.entries import allowed_states
from handlers.api.render import as_page, json_response
from handlers.context import context
from handlers.http.auth import Caller
from handlers.http.caching import LazyResponse, etag_of_state
from openapi.queries import GetDiffs
from openapi.vocabulary import Scope
from storage.entries.diffs import newest_diffs
from storage.entries.states import diff_state


def get_diffs(query: GetDiffs, caller: Caller) -> LazyResponse:
    """Answer GET /diffs for a source that the caller may read."""
    require_scope(caller, Scope.READ_DIFFS)
    require_diffs(caller)
    services = context()
    with services.db.read() as session:
        (state,) = allowed_states(session, caller, [query.source], now=services.now())
        diffs = diff_state(session, state.id)

    def write() -> Response:
        with services.db.read() as session:
            page = newest_diffs(session, state.id)
        head = {"source": query.source, "adapterType": state.adapter_type, "total": page.total}
        return json_response(as_page(head, page.documents))

    depends = (query.to_link(), state.id, state.adapter_type, tuple(diffs))
    return LazyResponse(etag_of_state(services.api_url, "diffs", *depends), write)
