"""The stream of who is signed in: which sources it has, and what of them a view shows."""

from dataclasses import dataclass, replace
from datetime import datetime

from flask import abort
from sqlalchemy.orm import Session

from handlers.site.account.filters import own_filter
from handlers.site.account.stream_view import StreamView, both, within
from handlers.site.session import signed_in_user
from openapi.requests import InvalidParameters
from storage.catalog.sources import slugs_of
from storage.delivery.subscriptions import followed_sources
from storage.entries.entry_filter import EVERYTHING, EntryFilter
from storage.entries.filter_parsing import parse_filter
from storage.models import Account, SavedFilter
from storage.people.keys import account_selection
from storage.people.plans import PLANS


@dataclass(frozen=True, slots=True)
class OwnStream:
    """A view of an account's stream.

    ``slugs``: the sources that it has, None for the whole catalog. ``selected``: how many the
    account has selected, which may be more than its ``slots``. ``saved``: what its saved filter
    says. ``filter``: everything that is shown.
    """

    view: StreamView
    slugs: frozenset[str] | None
    selected: int
    slots: int | None
    saved: SavedFilter | None
    said: EntryFilter
    filter: EntryFilter

    @property
    def is_empty(self) -> bool:
        """Whether it has no source."""
        return self.slugs is not None and not self.slugs


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
    )


def _said(saved: SavedFilter) -> EntryFilter:
    try:
        return parse_filter(saved.query)
    except InvalidParameters:
        abort(404)
