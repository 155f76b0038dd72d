"""Answers to requests that may be sent twice (docs/decisions/0040)."""

import hashlib
from datetime import datetime, timedelta
from typing import Final, TypeAlias

from sqlalchemy import delete
from sqlalchemy.orm import Session

from storage.models import IdempotentAnswer
from storage.people.secret_box import SecretBox, box_of

KEPT: Final = timedelta(hours=24)
SEALED: Final = b"\x01"  # the prefix of an encrypted answer; no JSON begins with it
Answer: TypeAlias = tuple[int, bytes]
"""Status and body."""


def request_name(operation: str, key: str, body: bytes) -> str:
    """Return a hash that names a request of an account; the same key with another body is new."""
    digest = hashlib.sha256()
    for part in (operation.encode(), key.encode(), body):
        digest.update(len(part).to_bytes(8) + part)
    return digest.hexdigest()


def earlier_answer(session: Session, account_id: int, name: str, *, now: datetime) -> Answer | None:
    """Return the answer to a request that was sent before, None for a new one."""
    row = session.get(IdempotentAnswer, (account_id, name))
    if row is None or row.created_at <= now - KEPT:
        return None
    return row.status, _opened(session, row.body, name)


def keep_answer(
    session: Session, account_id: int, name: str, answer: Answer, *, now: datetime
) -> None:
    """Keep the answer to a request, in the transaction of what it did; forget old ones."""
    old = (IdempotentAnswer.account_id == account_id, IdempotentAnswer.created_at <= now - KEPT)
    session.execute(delete(IdempotentAnswer).where(*old))
    session.add(
        IdempotentAnswer(
            account_id=account_id,
            name=name,
            status=answer[0],
            body=_sealed(session, answer[1], name),
            created_at=now,
        )
    )


def _sealed(session: Session, body: bytes, name: str) -> bytes:
    """Return an answer as it is stored: it may hold the secret of a webhook."""
    box = box_of(session)
    return body if box is None else SEALED + box.seal(body, name)


def _opened(session: Session, stored: bytes, name: str) -> bytes:
    if not stored.startswith(SEALED):
        return stored
    return (box_of(session) or SecretBox(())).open(stored.removeprefix(SEALED), name)
