"""GET /changes: what was learned since a cursor, each change once."""

from collections.abc import Sequence
from datetime import datetime
from typing import Final

import orjson
from sqlalchemy.orm import Session
from starlette.responses import Response

from handlers.api.access import require_scope, require_slots
from handlers.api.entries import allowed_sources
from handlers.api.render import json_response
from handlers.context import context
from handlers.http.auth import Caller
from handlers.http.outcome import HeldResponse
from openapi.queries import ListChanges
from openapi.vocabulary import Scope
from storage.catalog.sources import ids_of
from storage.delivery.subscriptions import followed_slugs
from storage.entries.change_log import (
    ChangeLogPage,
    LoggedChange,
    Readable,
    read_change_log,
    read_filtered_log,
)
from storage.entries.changes import BEGINNING, newest_change, number_at
from storage.entries.entry_filter import EVERYTHING, entry_filter_of

NOW: Final = "now"
NOTHING: Final = ChangeLogPage((), more=False)


def cursor_of(number: int) -> str:
    """Return the cursor after the change with this number, as text that callers keep.

    Every one that the contract's pattern allows is a place in the log. Nothing about it is secret,
    and it never runs out (docs/decisions/0041).
    """
    return f"{number:016x}"


def list_changes(query: ListChanges, caller: Caller) -> Response | HeldResponse:
    """Answer with the changes after a cursor, and name the cursor after them.

    Only a request that has a cursor waits. ``now`` is answered at once, or what happens while it
    waits would be lost with the connection; so is a cursor that nothing has come to yet, which was
    never given out, and a filter that finds nothing from the beginning.
    """
    require_scope(caller, Scope.READ_ENTRIES)
    services, now = context(), context().now()
    with services.db.read() as session:
        sources = readable_sources(session, caller, query.sources)
        if query.following is not None:
            sources = _followed(session, caller, sources, now=now)
        newest = newest_change(session)
        place = _place(query.after, newest)
        page = _read(session, query, place, sources) if place < newest else NOTHING
    response = _response(query, page, place)
    was_given = query.after not in {None, NOW} and place <= max(newest, number_at(now))
    if page.changes or page.more or not query.wait or not was_given:
        return response
    return HeldResponse(response, query.wait, newest, caller.account_id)


def _read(
    session: Session, query: ListChanges, place: int, sources: Readable | None
) -> ChangeLogPage:
    entry_filter = entry_filter_of(query)
    if entry_filter == EVERYTHING:
        return read_change_log(session, place, limit=query.limit, sources=sources)
    return read_filtered_log(session, place, entry_filter, limit=query.limit, sources=sources)


def _place(after: str | None, newest: int) -> int:
    """Return the number of the change after which to go on."""
    if after is None:
        return BEGINNING
    return newest if after == NOW else int(after, 16)


def readable_sources(
    session: Session, caller: Caller, slugs: Sequence[str] | None
) -> Readable | None:
    """Return the sources to read: these, or all that the caller may; None for the whole catalog.

    Without slugs, those that were removed from the catalog are among them.
    """
    removed: set[str] = set()
    if slugs is None:
        if caller.reads_everything:
            return None
        selected, in_account = caller.sources(session)
        require_slots(caller.plan, in_account)
        slugs = sorted(selected)
        removed = caller.removed(session)
    allowed = allowed_sources(session, caller, slugs)
    return Readable(frozenset(allowed.values()), frozenset({*slugs, *removed}))


def _followed(
    session: Session, caller: Caller, sources: Readable | None, *, now: datetime
) -> Readable | None:
    """Return those of the sources to read that the account follows."""
    followed = followed_slugs(session, caller.account_id, now=now)
    if followed is None:
        return sources
    if sources is not None:
        followed &= sources.slugs
    return Readable(frozenset(ids_of(session, followed).values()), followed)


def _response(query: ListChanges, page: ChangeLogPage, place: int) -> Response:
    last = page.changes[-1].number if page.changes else place
    cursor = cursor_of(last if page.next is None else page.next)
    body = b'{"items":[%b],"next":%b,"more":%b}' % (
        b",".join(map(_item, page.changes)),
        orjson.dumps(cursor),
        orjson.dumps(page.more),
    )
    if not page.more:
        return json_response(body)
    address = f"{context().api_url}{query.PATH}?{query.to_link(limit=query.limit, after=cursor)}"
    return json_response(body, headers={"Link": f'<{address}>; rel="next"'})


def _item(change: LoggedChange) -> bytes:
    return b'{"change":%b,"entry":%b}' % (orjson.dumps(change.kind), change.document)
