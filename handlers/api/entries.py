"""The tag entries: what the selected sources published."""

from datetime import datetime
from operator import attrgetter
from typing import Final

import orjson
from sqlalchemy.orm import Session
from starlette.responses import Response

from handlers.api.access import require_scope, require_sources
from handlers.api.cursor import NoCursor, cursor_of, number_of
from handlers.api.links import Asked, link, page_links
from handlers.api.render import as_page, json_response
from handlers.context import context
from handlers.http.auth import Caller, TokenInfo
from handlers.http.caching import LazyResponse, etag_of, etag_of_state
from handlers.http.refusals import InvalidRequest
from openapi.contract import base_path
from openapi.parsing import parse_instant
from openapi.vocabulary import Plan, Scope
from storage.catalog.sources import near_slugs
from storage.entries.changes import BEGINNING, changes_after, newest_change
from storage.entries.entry_pages import EntryFilter, page_entries
from storage.entries.states import SourceState, source_states

_DEPENDS: Final = attrgetter("id", "entries", "newest", "document_version")
INVALID_QUERY: Final = "One or more query parameters are invalid."
SINCE_MISSES: Final = "since is about the vendor's time, by which what comes late is missed."
OFFSET_SLIPS: Final = "A place says where to go on; ask for the address of the last Link header."
LOST_PLACE: Final = (
    "Ask for the address of the last Link header as it is. If it is lost, begin anew with "
    "follow=start, or with follow=now for what comes from now on."
)


def list_entries(
    token_info: TokenInfo,
    sources: list[str],
    limit: int,
    offset: int,
    since: str | None = None,
    follow: str | None = None,
) -> LazyResponse:
    """Answer GET /entries for the sources that the caller may read."""
    caller = token_info["caller"]
    if follow is not None:
        place = place_of(follow, since=since, offset=offset)
        require_scope(caller, Scope.READ_ENTRIES)
        return _followed(caller, sources, limit, place)
    require_scope(caller, Scope.READ_ENTRIES)
    after = None if since is None else parse_instant(since)
    services, now = context(), context().now()
    with services.db.read() as session:
        states = allowed_states(session, caller, sources, now=now)

    def write() -> Response:
        total = sum(each.entries for each in states)
        wanted = EntryFilter(frozenset(each.id for each in states), after, total)
        with services.db.read() as session:
            page = page_entries(session, wanted, limit=limit, offset=offset)
        asked = {"sources": ",".join(sources), "since": since}
        links = page_links(_address(), asked, total=page.total, limit=limit, offset=offset)
        head = {"plan": caller.plan.value, "total": page.total, "limit": limit, "offset": offset}
        return json_response(as_page(head, page.documents), headers={"Link": links})

    of_sources = orjson.dumps(list(map(_DEPENDS, states)))
    depends = (caller.plan.value, limit, offset, after, of_sources)
    return LazyResponse(etag_of_state(services.site_url, "entries", *depends), write)


def place_of(follow: str, *, since: str | None, offset: int) -> int | None:
    """Return the number of the change to go on after; None for the newest of all.

    Raises InvalidRequest for a place we never named, and for what does not go together.
    """
    if since is not None:
        raise InvalidRequest(
            f"{INVALID_QUERY} follow and since do not go together.", hint=SINCE_MISSES
        )
    if offset:
        raise InvalidRequest(
            f"{INVALID_QUERY} follow and offset do not go together.", hint=OFFSET_SLIPS
        )
    if follow in ("start", "now"):
        return BEGINNING if follow == "start" else None
    try:
        return number_of(follow)
    except NoCursor:
        raise InvalidRequest(
            f"{INVALID_QUERY} follow is no place that this service named.", hint=LOST_PLACE
        ) from None


def _followed(caller: Caller, sources: list[str], limit: int, place: int | None) -> LazyResponse:
    """Answer with what was learned after a place, and with the place after that."""
    services, now = context(), context().now()
    with services.db.read() as session:
        states = allowed_states(session, caller, sources, now=now)
        number = newest_change(session) if place is None else place
    asked: Asked = {"sources": ",".join(sources), "limit": limit}
    head = {"plan": caller.plan.value, "total": 0, "limit": limit, "offset": 0}
    if place is None or all(each.newest <= place for each in states):
        nothing = as_page(head, ())
        return LazyResponse(
            etag_of(nothing),
            lambda: json_response(nothing),
            {"Link": link(_address(), {**asked, "follow": cursor_of(number)}, "next")},
        )

    def write() -> Response:
        with services.db.read() as session:
            page = changes_after(
                session, number, limit=limit, source_ids=[each.id for each in states]
            )
        reached = page.changes[-1].number if page.changes else number
        documents = [each.document for each in page.changes]
        body = as_page({**head, "total": len(documents) + page.more}, documents)
        links = link(_address(), {**asked, "follow": cursor_of(reached)}, "next")
        return json_response(body, headers={"Link": links})

    return LazyResponse(None, write)


def _address() -> str:
    return f"{context().site_url}{base_path()}/entries"


def allowed_states(
    session: Session, caller: Caller, slugs: list[str], *, now: datetime
) -> list[SourceState]:
    """Return the states of the sources asked for, in the order of their ids, or refuse."""
    asked = list(dict.fromkeys(slugs))
    known = source_states(session, asked)
    if caller.plan is Plan.ALL:
        selected, in_account = set(known), 0
    else:
        selected, in_account = caller.choices(session, now=now)
    require_sources(
        caller.plan,
        asked,
        known=known,
        selected=selected,
        in_account=in_account,
        near=lambda slug: near_slugs(session, slug),
    )
    return sorted(known.values())
