"""Filters of entries that accounts keep under a name (docs/decisions/0114)."""

from datetime import datetime
from typing import Final

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from storage.engine.types import AnySelect
from storage.models import Digest, SavedFilter, Webhook
from storage.people.credentials import new_public_id
from storage.people.keys import lock_account

FILTERS_PER_ACCOUNT: Final = 20


class TooManyFilters(Exception):
    """The account has as many saved filters as it may have."""


class FilterInUse(Exception):
    """A webhook or the digest follows the filter. The message names them."""


def add_filter(
    session: Session, account_id: int, *, name: str, query: str, now: datetime
) -> SavedFilter:
    """Save a filter, ``query`` as ``filter_text`` writes it. Raises TooManyFilters."""
    lock_account(session, account_id)
    of_account = select(func.count()).where(SavedFilter.account_id == account_id)
    if (session.scalar(of_account) or 0) >= FILTERS_PER_ACCOUNT:
        raise TooManyFilters(f"An account has at most {FILTERS_PER_ACCOUNT} saved filters.")
    saved = SavedFilter(
        public_id=new_public_id(), account_id=account_id, name=name, query=query, created_at=now
    )
    session.add(saved)
    session.flush()
    return saved


def list_filters(session: Session, account_id: int) -> list[SavedFilter]:
    """Return the filters of an account, oldest first."""
    query = select(SavedFilter).where(SavedFilter.account_id == account_id)
    return list(session.scalars(query.order_by(SavedFilter.id)))


def find_filter(session: Session, account_id: int, public_id: str) -> SavedFilter | None:
    """Return a filter of this account, and of no other."""
    query = select(SavedFilter).where(SavedFilter.public_id == public_id)
    return session.scalar(query.where(SavedFilter.account_id == account_id))


def followers_of_filters(session: Session, account_id: int) -> dict[int, list[str]]:
    """Return what follows the filters of an account, in words, by the key of each filter.

    Webhooks by their names, and the digest; private addresses are not among them.
    """
    followers: dict[int, list[str]] = {}
    hooks: AnySelect = select(Webhook.filter_id, Webhook.name).order_by(Webhook.id)
    of_account = (Webhook.account_id == account_id, Webhook.filter_id.is_not(None))
    for filter_id, name in session.execute(hooks.where(*of_account)):
        followers.setdefault(filter_id, []).append(f"the webhook “{name}”")
    digest = session.get(Digest, account_id)
    if digest is not None and digest.filter_id is not None:
        followers.setdefault(digest.filter_id, []).append("the digest")
    return followers


def delete_filter(session: Session, saved: SavedFilter) -> None:
    """Delete a filter, with the private addresses that read it.

    Raises FilterInUse while something else follows it, which would be told of everything then.
    """
    lock_account(session, saved.account_id)
    followers = followers_of_filters(session, saved.account_id).get(saved.id)
    if followers:
        raise FilterInUse(
            f"The filter “{saved.name}” is followed by {' and '.join(followers)}:"
            " choose something else there first."
        )
    session.delete(saved)
    session.flush()
