"""The secret addresses of an account's feeds and calendar (docs/decisions/0114)."""

from datetime import datetime
from typing import Final, NamedTuple

from sqlalchemy import delete, func, select
from sqlalchemy.orm import Session

from storage.engine.types import AnySelect
from storage.models import Account, PrivateFeed, SavedFilter
from storage.people.credentials import digest_of, new_token
from storage.people.keys import lock_account

FEEDS_PER_ACCOUNT: Final = 20


class TooManyFeeds(Exception):
    """The account has as many private addresses as it may have."""


class FollowedFilter(NamedTuple):
    """What a private address shows: an account's selection, narrowed by a saved filter or not.

    ``name`` and ``query`` are those of the filter, None without one.
    """

    account: Account
    name: str | None
    query: str | None


class PrivateAddress(NamedTuple):
    """A private address as its owner may see it again. ``filter_name``: None without a filter."""

    id: int
    filter_name: str | None
    created_at: datetime


def add_private_feed(
    session: Session, account_id: int, *, filter_id: int | None, now: datetime
) -> str:
    """Add a private address and return its token, which is not stored. Raises TooManyFeeds."""
    lock_account(session, account_id)
    of_account = select(func.count()).where(PrivateFeed.account_id == account_id)
    if (session.scalar(of_account) or 0) >= FEEDS_PER_ACCOUNT:
        raise TooManyFeeds(f"An account has at most {FEEDS_PER_ACCOUNT} private addresses.")
    token = new_token()
    session.add(
        PrivateFeed(
            account_id=account_id, filter_id=filter_id, digest=digest_of(token), created_at=now
        )
    )
    session.flush()
    return token


def list_private_feeds(session: Session, account_id: int) -> list[PrivateAddress]:
    """Return the private addresses of an account, oldest first."""
    query: AnySelect = (
        select(PrivateFeed.id, SavedFilter.name, PrivateFeed.created_at)
        .outerjoin(SavedFilter, SavedFilter.id == PrivateFeed.filter_id)
        .where(PrivateFeed.account_id == account_id)
        .order_by(PrivateFeed.id)
    )
    return [PrivateAddress(*row) for row in session.execute(query)]


def revoke_private_feed(session: Session, account_id: int, feed_id: int) -> bool:
    """End a private address of this account, and of no other; return whether there was one."""
    ended = delete(PrivateFeed).where(
        PrivateFeed.id == feed_id, PrivateFeed.account_id == account_id
    )
    return session.scalar(ended.returning(PrivateFeed.id)) is not None


def followed_filter(session: Session, token: str) -> FollowedFilter | None:
    """Return what the address with a token shows; None for any other text."""
    query: AnySelect = (
        select(Account, SavedFilter.name, SavedFilter.query)
        .select_from(PrivateFeed)
        .join(Account, Account.id == PrivateFeed.account_id)
        .outerjoin(SavedFilter, SavedFilter.id == PrivateFeed.filter_id)
        .where(PrivateFeed.digest == digest_of(token))
    )
    row = session.execute(query).one_or_none()
    return None if row is None else FollowedFilter(*row)
