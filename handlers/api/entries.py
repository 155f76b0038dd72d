"""The tag entries: what the selected sources published."""

from collections.abc import Sequence
from datetime import datetime
from operator import attrgetter
from typing import Final

import orjson
from sqlalchemy.orm import Session
from starlette.responses import Response

from handlers.api.access import require_scope, require_sources
from handlers.api.cursor import InvalidCursor, cursor_of, number_of
from handlers.api.links import link, page_links
from handlers.api.render import as_page, json_response
from handlers.context import context
from handlers.http.auth import Caller
from handlers.http.caching import LazyResponse, etag_of_state
from handlers.http.refusals import InvalidRequest
from openapi.parsing import parse_instant
from openapi.queries import ListEntries
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


def list_entries(query: ListEntries, caller: Caller) -> LazyResponse:
    """Answer GET /entries for the sources that the caller may read."""
    if query.follow is not None:
        place = parse_cursor(query, query.follow)
        require_scope(caller, Scope.READ_ENTRIES)
        return _changes(query, caller, place)
    require_scope(caller, Scope.READ_ENTRIES)
    since = None if query.since is None else parse_instant(query.since)
    services, now = context(), context().now()
    with services.db.read() as session:
        states = allowed_states(session, caller, query.sources, now=now)

    def write() -> Response:
        total = sum(state.entries for state in states)
        entry_filter = EntryFilter(frozenset(state.id for state in states), since, total)
        with services.db.read() as session:
            page = page_entries(session, entry_filter, limit=query.limit, offset=query.offset)
        head = _head(query, caller, total=page.total)
        links = page_links(query, services.site_url, total=page.total)
        return json_response(as_page(head, page.documents), headers={"Link": links})

    of_sources = orjson.dumps(list(map(_DEPENDS, states)))
    depends = (caller.plan.value, query.to_link(), of_sources)
    return LazyResponse(etag_of_state(services.site_url, "entries", *depends), write)


def parse_cursor(query: ListEntries, follow: str) -> int | None:
    """Return the number of the change that a cursor comes after; None for the newest change.

    Raises InvalidRequest for a cursor that this service never issued, and for parameters that
    exclude each other.
    """
    if query.since is not None:
        raise InvalidRequest(
            f"{INVALID_QUERY} follow and since do not go together.", hint=SINCE_MISSES
        )
    if query.offset:
        raise InvalidRequest(
            f"{INVALID_QUERY} follow and offset do not go together.", hint=OFFSET_SLIPS
        )
    if follow in ("start", "now"):
        return BEGINNING if follow == "start" else None
    try:
        return number_of(follow)
    except InvalidCursor:
        raise InvalidRequest(
            f"{INVALID_QUERY} follow is no place that this service named.", hint=LOST_PLACE
        ) from None


def _changes(query: ListEntries, caller: Caller, place: int | None) -> LazyResponse:
    """Return the changes after a place, with a link to the place after them."""
    services, now = context(), context().now()
    with services.db.read() as session:
        states = allowed_states(session, caller, query.sources, now=now)
        number = newest_change(session) if place is None else place

    def next_link(number: int) -> dict[str, str]:
        return {
            "Link": link(
                query, services.site_url, "next", limit=query.limit, follow=cursor_of(number)
            )
        }

    if place is None or all(state.newest <= place for state in states):
        empty = as_page(_head(query, caller, total=0), ())
        etag = etag_of_state(services.site_url, "changes", query.to_link(), empty)
        return LazyResponse(etag, lambda: json_response(empty), next_link(number))

    def write() -> Response:
        with services.db.read() as session:
            page = changes_after(
                session, number, limit=query.limit, source_ids=[state.id for state in states]
            )
        reached = page.changes[-1].number if page.changes else number
        documents = [change.document for change in page.changes]
        head = _head(query, caller, total=len(documents) + page.more)
        return json_response(as_page(head, documents), headers=next_link(reached))

    return LazyResponse(None, write)


def _head(query: ListEntries, caller: Caller, *, total: int) -> dict[str, object]:
    """Return a page without its items."""
    return {
        "plan": caller.plan.value,
        "total": total,
        "limit": query.limit,
        "offset": query.offset,
    }


def allowed_states(
    session: Session, caller: Caller, slugs: Sequence[str], *, now: datetime
) -> list[SourceState]:
    """Return the states of the sources with these slugs, in the order of their ids, or refuse."""
    requested = list(dict.fromkeys(slugs))
    states = source_states(session, requested)
    if caller.plan is Plan.ALL:
        selected, in_account = set(states), 0
    else:
        selected, in_account = caller.choices(session, now=now)
    require_sources(
        caller.plan,
        requested,
        existing=states,
        selected=selected,
        in_account=in_account,
        near=lambda slug: near_slugs(session, slug),
    )
    return sorted(states.values())
