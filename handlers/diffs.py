"""The tag diffs: what changed between snapshots of a source."""

from starlette.responses import Response

from handlers.access import require_diffs, require_scope
from handlers.auth import TokenInfo
from handlers.context import context
from handlers.entries import allowed_ids
from handlers.render import as_page, json_response
from openapi.vocabulary import Scope
from storage.diffs import newest_diffs
from storage.models import Source


def get_diffs(token_info: TokenInfo, source: str) -> Response:
    """Answer GET /diffs for a source that the caller may read."""
    caller = token_info["caller"]
    require_scope(caller, Scope.READ_DIFFS)
    require_diffs(caller)
    services = context()
    with services.db.read() as session:
        (source_id,) = allowed_ids(session, caller, [source], now=services.now())
        adapter_type = session.get_one(Source, source_id).adapter_type
        page = newest_diffs(session, source_id)
    head = {"source": source, "adapterType": adapter_type.value, "total": page.total}
    return json_response(as_page({**head}, page.documents))
