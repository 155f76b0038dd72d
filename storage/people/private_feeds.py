"""The secret addresses of an account's feeds and calendar (docs/decisions/0114)."""

from collections.abc import Sequence
from datetime import datetime
from typing import Final

from sqlalchemy import delete, select
from sqlalchemy.orm import Session, joinedload

from storage.models import PrivateFeed
from storage.people.accounts import require_room
from storage.people.credentials import digest_of, new_token

FEEDS_PER_ACCOUNT: Final = 20


def add_private_feed(
    session: Session,
    account_id: int,
    *,
    filter_id: int | None = None,
    stack: str | None = None,
    now: datetime,
) -> str:
    """Add a private address and return its token, which is not stored. Raises Refused."""
    require_room(session, account_id, PrivateFeed, "private addresses", most=FEEDS_PER_ACCOUNT)
    token = new_token()
    feed = PrivateFeed(account_id=account_id, filter_id=filter_id, stack=stack, created_at=now)
    feed.digest = digest_of(token)
    session.add(feed)
    session.flush()
    return token


def list_private_feeds(session: Session, account_id: int) -> Sequence[PrivateFeed]:
    """Return the private addresses of an account with their filters, oldest first."""
    query = select(PrivateFeed).where(PrivateFeed.account_id == account_id).order_by(PrivateFeed.id)
    return session.scalars(query.options(joinedload(PrivateFeed.filter))).all()


def revoke_private_feed(session: Session, account_id: int, feed_id: int) -> bool:
    """End a private address of this account, and of no other; return whether there was one."""
    this = PrivateFeed.id == feed_id, PrivateFeed.account_id == account_id
    return session.scalar(delete(PrivateFeed).where(*this).returning(PrivateFeed.id)) is not None


def find_private_feed(session: Session, token: str) -> PrivateFeed | None:
    """Return the private address with a token, its account and its filter; None for other text."""
    both = (joinedload(PrivateFeed.account), joinedload(PrivateFeed.filter))
    query = select(PrivateFeed).where(PrivateFeed.digest == digest_of(token))
    return session.scalar(query.options(*both))
