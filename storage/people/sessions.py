"""Sessions of browsers: rows, not signed cookies, so that they can be revoked."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from sqlalchemy import delete, select
from sqlalchemy.orm import Session, joinedload

from storage.models import Account, WebSession
from storage.people.credentials import digest_of, new_token

LIFETIME = timedelta(days=30)  # how long a session lasts after its last visit
LONGEST = timedelta(days=180)  # how long it lasts, however often it is used
SEEN_PRECISION = timedelta(minutes=5)
SESSIONS_PER_ACCOUNT = 50


def add_session(
    session: Session, account: Account, *, now: datetime, browser: str = "", client: str = ""
) -> str:
    """Store a session by the hash of its token; return the token for the cookie.

    ``browser`` and ``client`` are shown to its owner. One more than an account may have ends
    the one that was used longest ago.
    """
    token = new_token()
    session.add(
        WebSession(
            digest=digest_of(token),
            account_id=account.id,
            created_at=now,
            last_seen_at=now,
            expires_at=now + LIFETIME,
            browser=browser,
            client=client,
        )
    )
    session.flush()
    for left in list_sessions(session, account.id, now=now)[SESSIONS_PER_ACCOUNT:]:
        session.delete(left)
    return token


def list_sessions(session: Session, account_id: int, *, now: datetime) -> Sequence[WebSession]:
    """Return the sessions of an account, the one that was used last first."""
    query = select(WebSession).where(
        WebSession.account_id == account_id, WebSession.expires_at > now
    )
    newest = (WebSession.last_seen_at.desc(), WebSession.created_at.desc(), WebSession.digest)
    return session.scalars(query.order_by(*newest)).all()


def find_session(session: Session, token: str, *, now: datetime) -> WebSession | None:
    """Return the session of a cookie, with its account, if it has not expired; else None."""
    return session.scalar(
        select(WebSession)
        .where(WebSession.digest == digest_of(token), WebSession.expires_at > now)
        .options(joinedload(WebSession.account))
    )


def extend_session(session: Session, web_session: WebSession, *, now: datetime) -> bool:
    """Extend a session that is in use; return whether it was written."""
    if now - web_session.last_seen_at < SEEN_PRECISION:
        return False
    web_session.last_seen_at = now
    web_session.expires_at = min(now + LIFETIME, web_session.created_at + LONGEST)
    session.flush()
    return True


def end_session(session: Session, token: str) -> None:
    """Sign one browser out."""
    session.execute(delete(WebSession).where(WebSession.digest == digest_of(token)))


def end_session_of(session: Session, account_id: int, digest: str) -> WebSession | None:
    """End a session of this account, by its hash; return it, or None for one of another account."""
    own = (WebSession.account_id == account_id, WebSession.digest == digest)
    return session.scalars(delete(WebSession).where(*own).returning(WebSession)).one_or_none()


def end_sessions(session: Session, account_id: int) -> None:
    """Sign an account out everywhere."""
    session.execute(delete(WebSession).where(WebSession.account_id == account_id))


def drop_expired_sessions(session: Session, *, now: datetime) -> None:
    """Delete expired sessions."""
    session.execute(delete(WebSession).where(WebSession.expires_at <= now))
