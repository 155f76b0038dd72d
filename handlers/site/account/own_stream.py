"""The stream of who is signed in: which sources it has, and what of them a view shows."""

from dataclasses import dataclass, replace
from datetime import date, datetime
from typing import Final

from flask import abort
from sqlalchemy.orm import Session

from handlers.site.account.filters import own_filter
from handlers.site.account.stream_view import StreamView, both, within
from handlers.site.error_pages import or_404
from handlers.site.session import signed_in_user
from handlers.site.stream_filter import StreamFilter
from openapi.requests import InvalidParameters
from storage.catalog.sources import slugs_of
from storage.delivery.subscriptions import followed_sources
from storage.entries.entry_filter import EVERYTHING, EntryFilter
from storage.entries.filter_parsing import parse_filter
from storage.entries.own_pages import entries_ahead, unread_entries
from storage.models import Account, SavedFilter
from storage.people.keys import account_selection
from storage.people.plans import PLANS
from storage.people.unread import (
    EntryKey,
    ReadState,
    find_entry_key,
    mark_entries,
    move_position,
    newest_key,
    read_state,
)

MARKED_AT_ONCE: Final = 1_000
"""Entries that a day or a narrowed view marks with one click."""


@dataclass(frozen=True, slots=True)
class OwnStream:
    """A view of an account's stream.

    ``slugs``: the sources that it has, None for the whole catalog. ``selected``: how many the
    account has selected, which may be more than its ``slots``. ``saved``: what its saved filter
    says. ``filter``: everything that is shown, read or unread.
    """

    view: StreamView
    slugs: frozenset[str] | None
    selected: int
    slots: int | None
    saved: SavedFilter | None
    said: EntryFilter
    filter: EntryFilter
    state: ReadState

    @property
    def is_empty(self) -> bool:
        """Whether it has no source."""
        return self.slugs is not None and not self.slugs

    @property
    def is_whole(self) -> bool:
        """Whether the view leaves out nothing, or read entries only."""
        return self.saved is None and not replace(self.view, unread=False).narrows


def own_stream(session: Session, view: StreamView, *, now: datetime) -> OwnStream:
    """Return a view of the stream of who is signed in; answer 404 for a filter of others."""
    user = signed_in_user()
    account = session.get_one(Account, user.account_id)
    source_ids = followed_sources(session, account, key_id=None, now=now)
    slugs = None if source_ids is None else slugs_of(session, source_ids)
    saved = own_filter(session, view.saved) if view.saved else None
    said = EVERYTHING if saved is None else _said(saved)
    shown = both(said, view.own_filter(now.date()))
    return OwnStream(
        view,
        slugs,
        len(account_selection(session, account.id, now=now)),
        PLANS[account.plan].slots,
        saved,
        said,
        replace(shown, sources=within(slugs, shown.sources)),
        read_state(session, account.id, now=now),
    )


def _said(saved: SavedFilter) -> EntryFilter:
    try:
        return parse_filter(saved.query)
    except InvalidParameters:
        abort(404)


def mark_one(session: Session, entry_id: int, *, unread: bool, now: datetime) -> None:
    """Mark an entry; answer 404 if there is none."""
    entry = or_404(find_entry_key(session, entry_id))
    mark_entries(session, signed_in_user().account_id, [entry], unread=unread, now=now)


def mark_day(session: Session, stream: OwnStream, day: date, *, seen: int, now: datetime) -> int:
    """Mark what is unread of a day in a view; return how many entries that were."""
    of_day = StreamFilter(since=day, until=day).entry_filter()
    shown = both(stream.filter, of_day)
    return _mark_shown(session, stream, shown, seen=seen, now=now)


def mark_all(session: Session, stream: OwnStream, *, seen: int, now: datetime) -> int:
    """Mark what is unread of a view; return how many entries that were, MARKED_AT_ONCE at most.

    ``seen``: the key of the newest entry that was stored when the page was made.
    """
    if not stream.is_whole:
        return _mark_shown(session, stream, stream.filter, seen=seen, now=now)
    state = stream.state
    unread = unread_entries(
        session, stream.filter, state.values(), most=MARKED_AT_ONCE + 1, now=now
    )
    ahead = [EntryKey(*row) for row in entries_ahead(session, state.read_to, now=now)]
    to = min(seen, newest_key(session))
    move_position(session, state.account_id, to, ahead=ahead, now=now)
    return sum(key <= seen for key, _ in unread)


def _mark_shown(
    session: Session, stream: OwnStream, shown: EntryFilter, *, seen: int, now: datetime
) -> int:
    values = stream.state.values()
    unread = unread_entries(session, shown, values, most=MARKED_AT_ONCE, now=now)
    marked = [EntryKey(*row) for row in unread if row[0] <= seen]
    mark_entries(session, stream.state.account_id, marked, unread=False, now=now)
    return len(marked)
