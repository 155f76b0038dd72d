"""The tag entries: what the selected sources published."""

from datetime import datetime

from sqlalchemy.orm import Session
from starlette.responses import Response

from handlers.access import require_scope, require_sources
from handlers.auth import Caller, TokenInfo
from handlers.context import context
from handlers.render import as_entry_page, json_response
from openapi.parsing import parse_instant
from openapi.vocabulary import Plan, Scope
from storage.entries import EntryFilter, page_entries
from storage.keys import account_selection
from storage.sources import ids_of, near_slugs


def list_entries(
    token_info: TokenInfo, sources: list[str], limit: int, offset: int, since: str | None = None
) -> Response:
    """Answer GET /entries for the sources that the caller may read."""
    caller = token_info["caller"]
    require_scope(caller, Scope.READ_ENTRIES)
    after = None if since is None else parse_instant(since)
    services, now = context(), context().now()
    with services.db.read() as session:
        wanted = EntryFilter(allowed_ids(session, caller, sources, now=now), after)
        page = page_entries(session, wanted, limit=limit, offset=offset)
    return json_response(
        as_entry_page(caller.plan, page.documents, total=page.total, limit=limit, offset=offset)
    )


def allowed_ids(
    session: Session, caller: Caller, slugs: list[str], *, now: datetime
) -> frozenset[int]:
    """Return the ids of the sources asked for, or refuse."""
    asked = list(dict.fromkeys(slugs))
    known = ids_of(session, asked)
    if caller.plan is Plan.ALL:
        selected, in_account = set(known), 0
    else:
        selected = caller.selection(session, now=now)
        in_account = len(account_selection(session, caller.account_id, now=now))
    require_sources(
        caller.plan,
        asked,
        selected=selected,
        in_account=in_account,
        near=lambda slug: () if slug in known else near_slugs(session, slug),
    )
    return frozenset(known.values())
