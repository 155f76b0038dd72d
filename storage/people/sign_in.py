"""One-time links that let somebody sign in (docs/decisions/0030)."""

from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, delete, or_, select, update
from sqlalchemy.orm import Session

from openapi.vocabulary import Plan
from storage.engine.statements import insert_into
from storage.models import Account, SignInLink
from storage.people.accounts import find_account, folded
from storage.people.credentials import digest_of, new_token

LINK_LIFETIME = timedelta(minutes=15)


def add_link(
    session: Session,
    email: str,
    *,
    next_path: str,
    now: datetime,
    browser: str | None = None,
    code: str | None = None,
) -> str:
    """Store a link by the hash of its token; return the token.

    ``browser`` is the token that the asking browser keeps, and no other signs in by the link; None
    for any browser. ``code`` does the same as the link, typed in there. No account is looked up or
    made: known and unknown addresses cost the same.
    """
    token = new_token()
    session.add(
        SignInLink(
            digest=digest_of(token),
            email=email,
            next_path=next_path,
            created_at=now,
            expires_at=now + LINK_LIFETIME,
            browser=None if browser is None else digest_of(browser),
            code=None if browser is None or code is None else _digest_of_code(browser, code),
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


def belongs_to(link: SignInLink, browser: str | None) -> bool:
    """Return True if a link signs in the browser that keeps a token."""
    return link.browser is None or (browser is not None and link.browser == digest_of(browser))


def has_open_link(session: Session, browser: str, *, now: datetime) -> bool:
    """Return True if a browser has asked for a link that is still valid."""
    query = select(SignInLink.digest).where(SignInLink.browser == digest_of(browser))
    query = query.where(SignInLink.used_at.is_(None), SignInLink.expires_at > now)
    return session.scalar(query.limit(1)) is not None


def spend_link(
    session: Session, token: str, *, browser: str | None = None, now: datetime
) -> SignInLink | None:
    """Use a link up and return it; None when it is unknown, expired, used or another browser's."""
    own: ColumnElement[bool] = SignInLink.browser.is_(None)
    if browser is not None:
        own = or_(own, SignInLink.browser == digest_of(browser))
    return _spend(session, SignInLink.digest == digest_of(token), own, now=now)


def spend_code(session: Session, code: str, *, browser: str, now: datetime) -> SignInLink | None:
    """Use up the link whose code was typed into the browser that asked for it; None for others."""
    return _spend(session, SignInLink.code == _digest_of_code(browser, code), now=now)


def _spend(session: Session, *which: ColumnElement[bool], now: datetime) -> SignInLink | None:
    """Use a link up; one statement, so that of any number of parallel callers one gets it."""
    usable = (SignInLink.used_at.is_(None), SignInLink.expires_at > now)
    spent = update(SignInLink).where(*which, *usable).values(used_at=now).returning(SignInLink)
    return session.scalars(spent).one_or_none()


def _digest_of_code(browser: str, code: str) -> str:
    """Return the hash of a code and the browser's token: a code alone is too short to hash."""
    return digest_of(f"{browser}/{code}")


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
