"""Sessions of browsers: rows, not signed cookies, so that they can be revoked."""

from datetime import datetime, timedelta

from sqlalchemy import delete, select
from sqlalchemy.orm import Session, joinedload

from storage.models import Account, WebSession
from storage.people.credentials import digest_of, new_token

LIFETIME = timedelta(days=30)
SEEN_PRECISION = timedelta(minutes=5)


def add_session(session: Session, account: Account, *, now: datetime) -> str:
    """Store a session by the hash of its token; return the token for the cookie."""
    token = new_token()
    session.add(
        WebSession(
            digest=digest_of(token),
            account_id=account.id,
            created_at=now,
            last_seen_at=now,
            expires_at=now + LIFETIME,
        )
    )
    session.flush()
    return token


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
    web_session.last_seen_at, web_session.expires_at = now, now + LIFETIME
    session.flush()
    return True


def end_session(session: Session, token: str) -> None:
    """Sign one browser out."""
    session.execute(delete(WebSession).where(WebSession.digest == digest_of(token)))


def end_sessions(session: Session, account_id: int) -> None:
    """Sign an account out everywhere."""
    session.execute(delete(WebSession).where(WebSession.account_id == account_id))


def drop_expired_sessions(session: Session, *, now: datetime) -> None:
    """Delete expired sessions."""
    session.execute(delete(WebSession).where(WebSession.expires_at <= now))
