"""Filters of entries that accounts keep under a name (docs/decisions/0114)."""

from datetime import datetime
from typing import Final

from sqlalchemy import select
from sqlalchemy.orm import Session

from storage.engine.types import AnySelect
from storage.models import Digest, SavedFilter, Webhook
from storage.people.accounts import Refused, lock_account, require_room
from storage.people.credentials import new_public_id

FILTERS_PER_ACCOUNT: Final = 20


def add_filter(
    session: Session, account_id: int, *, name: str, query: str, now: datetime
) -> SavedFilter:
    """Save a filter, ``query`` as ``filter_text`` writes it. Raises Refused."""
    require_room(session, account_id, SavedFilter, "saved filters", most=FILTERS_PER_ACCOUNT)
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
    """Return the names of the webhooks, and the digest, that follow each filter, by its key."""
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

    Raises Refused while something else follows it, which would then get everything.
    """
    lock_account(session, saved.account_id)
    followers = followers_of_filters(session, saved.account_id).get(saved.id)
    if followers:
        raise Refused(
            f"The filter “{saved.name}” is followed by {' and '.join(followers)}:"
            " choose something else there first."
        )
    session.delete(saved)
    session.flush()
