"""One-time links that let somebody sign in (docs/decisions/0030)."""

from datetime import datetime, timedelta

from sqlalchemy import delete, select, update
from sqlalchemy.orm import Session

from openapi.vocabulary import Plan
from storage.engine.upsert import insert_into
from storage.models import Account, SignInLink
from storage.people.accounts import find_account, folded
from storage.people.credentials import digest_of, new_token

LINK_LIFETIME = timedelta(minutes=15)


def add_link(session: Session, email: str, *, next_path: str, now: datetime) -> str:
    """Store a link by the hash of its token; return the token.

    No account is looked up or made: known and unknown addresses cost the same.
    """
    token = new_token()
    session.add(
        SignInLink(
            digest=digest_of(token),
            email=email,
            next_path=next_path,
            created_at=now,
            expires_at=now + LINK_LIFETIME,
        )
    )
    session.flush()
    return token


def find_link(session: Session, token: str, *, now: datetime) -> SignInLink | None:
    """Return the link of a token if it could be used now; this does not use it."""
    return session.scalar(
        select(SignInLink).where(
            SignInLink.digest == digest_of(token),
            SignInLink.used_at.is_(None),
            SignInLink.expires_at > now,
        )
    )


def spend_link(session: Session, token: str, *, now: datetime) -> SignInLink | None:
    """Use a link up and return it; None when it is unknown, expired or used.

    One statement, so that of any number of parallel callers exactly one gets it.
    """
    spent = (
        update(SignInLink)
        .where(
            SignInLink.digest == digest_of(token),
            SignInLink.used_at.is_(None),
            SignInLink.expires_at > now,
        )
        .values(used_at=now)
        .returning(SignInLink)
    )
    return session.scalars(spent).one_or_none()


def account_of(session: Session, email: str, *, now: datetime) -> Account:
    """Return the account of an address; at the first sign-in it is made, on the Free plan."""
    made = insert_into(session, Account).values(
        email=folded(email), plan=Plan.FREE, diffs_addon=False, operator=False, created_at=now
    )
    session.execute(made.on_conflict_do_nothing())
    account = find_account(session, email)
    assert account is not None
    return account


def drop_expired_links(session: Session, *, now: datetime) -> None:
    """Delete expired links, and the addresses with them."""
    session.execute(delete(SignInLink).where(SignInLink.expires_at <= now))
