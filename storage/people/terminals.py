"""Terminals that ask for a key, and people who allow it in a browser."""

import secrets
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Final, NamedTuple

from sqlalchemy import ColumnElement, delete, or_, select, update
from sqlalchemy.orm import Session

from openapi.vocabulary import Scope
from storage.models import ApiKey, TerminalRequest
from storage.people.credentials import digest_of, new_token
from storage.people.keys import (
    TooManySelections,
    add_key,
    lock_account,
    select_sources,
    selected_source_ids,
)

LIFETIME: Final = timedelta(minutes=10)
KEY_LIFETIME: Final = timedelta(days=365)
SCOPES: Final = (Scope.READ_ENTRIES, Scope.READ_DIFFS)
LETTERS: Final = "BCDFGHJKLMNPQRSTVWXZ"
"""The letters of codes: no vowels, so that no code is a word."""
DIGITS: Final = 8


class LoopbackPort(NamedTuple):
    """Where the browser is redirected to: a port of the terminal's machine, and a state."""

    port: int
    state: str


def add_request(
    session: Session, challenge: str, *, name: str, place: LoopbackPort | None, now: datetime
) -> str | None:
    """Store a request; return its code, or None if the same challenge was sent before."""
    session.execute(delete(TerminalRequest).where(TerminalRequest.expires_at <= now))
    if session.get(TerminalRequest, challenge) is not None:
        return None
    code = "".join(secrets.choice(LETTERS) for _ in range(DIGITS))
    session.add(
        TerminalRequest(
            challenge=challenge,
            code=code,
            name=name,
            port=None if place is None else place.port,
            state=None if place is None else place.state,
            expires_at=now + LIFETIME,
        )
    )
    session.flush()
    return code


def find_request(session: Session, code: str, *, now: datetime) -> TerminalRequest | None:
    """Return the request with a code that nobody has answered yet."""
    return session.scalar(select(TerminalRequest).where(*_waiting(code, now)))


def allow(session: Session, code: str, *, account_id: int, now: datetime) -> str | None:
    """Allow a request; return what its browser takes back to it, None where it does not wait."""
    once = new_token()
    allowed = (
        update(TerminalRequest)
        .where(*_waiting(code, now))
        .values(account_id=account_id, once_digest=digest_of(once))
        .returning(TerminalRequest.code)
    )
    return None if session.scalar(allowed) is None else once


def refuse(session: Session, code: str, *, now: datetime) -> None:
    """Refuse a request: it is gone."""
    session.execute(delete(TerminalRequest).where(*_waiting(code, now)))


def is_waiting(session: Session, secret: str, *, now: datetime) -> bool:
    """Tell whether the request of a terminal was not answered yet."""
    request = session.get(TerminalRequest, digest_of(secret))
    return request is not None and request.account_id is None and request.expires_at > now


def take_key(
    session: Session, secret: str, once: str | None, *, now: datetime
) -> tuple[ApiKey, str] | None:
    """Make the key of a request that was allowed, once; None where there is none.

    A request that has a place has to bring what the browser took there. The key reads what the
    account has selected. Raises TooManyKeys.
    """
    taken = (
        delete(TerminalRequest)
        .where(
            TerminalRequest.challenge == digest_of(secret),
            TerminalRequest.account_id.is_not(None),
            TerminalRequest.expires_at > now,
            or_(
                TerminalRequest.port.is_(None),
                TerminalRequest.once_digest == digest_of(once or ""),
            ),
        )
        .returning(TerminalRequest.account_id, TerminalRequest.name)
    )
    row = session.execute(taken).one_or_none()
    if row is None:
        return None
    account = lock_account(session, row.account_id)
    selected = selected_source_ids(session, account.id, now=now)
    key, text = add_key(
        session, account, name=row.name, scopes=SCOPES, now=now, expires_at=now + KEY_LIFETIME
    )
    with suppress(TooManySelections):  # after a downgrade the account chooses anew
        select_sources(session, key, selected, now=now)
    return key, text


def _waiting(code: str, now: datetime) -> tuple[ColumnElement[bool], ...]:
    return (
        TerminalRequest.code == code,
        TerminalRequest.account_id.is_(None),
        TerminalRequest.expires_at > now,
    )
