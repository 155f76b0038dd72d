"""Passkeys of accounts, found by the id of their credential."""

from collections.abc import Sequence
from datetime import datetime
from typing import Final

from sqlalchemy import delete, func, select, update
from sqlalchemy.orm import Session, joinedload

from storage.models import Account, Passkey
from storage.people.credentials import digest_of

PASSKEYS_PER_ACCOUNT: Final = 10


def add_passkey(
    session: Session,
    account: Account,
    credential_id: str,
    *,
    credential: bytes,
    name: str,
    counter: int,
    now: datetime,
) -> bool:
    """Store a passkey of an account that is locked; False if there is no room or it is known."""
    own = select(func.count()).where(Passkey.account_id == account.id)
    digest = digest_of(credential_id)
    full = (session.scalar(own) or 0) >= PASSKEYS_PER_ACCOUNT
    if full or session.get(Passkey, digest) is not None:
        return False
    passkey = Passkey(digest=digest, account_id=account.id, credential=credential, name=name)
    passkey.counter, passkey.created_at = counter, now
    session.add(passkey)
    return True


def list_passkeys(session: Session, account_id: int) -> Sequence[Passkey]:
    """Return the passkeys of an account, oldest first."""
    query = select(Passkey).where(Passkey.account_id == account_id)
    return session.scalars(query.order_by(Passkey.created_at, Passkey.digest)).all()


def find_passkey(session: Session, credential_id: str) -> Passkey | None:
    """Return the passkey of a credential, with its account; None for an unknown one."""
    query = select(Passkey).where(Passkey.digest == digest_of(credential_id))
    return session.scalar(query.options(joinedload(Passkey.account)))


def use_passkey(session: Session, passkey: Passkey, counter: int, *, now: datetime) -> bool:
    """Record that a passkey has signed; False if it is gone, or its device counts backwards.

    A counter that is not above the stored one says that the passkey was copied.
    """
    used = update(Passkey).where(Passkey.digest == passkey.digest)
    if counter or passkey.counter:
        used = used.where(Passkey.counter < counter)
    used = used.values(counter=counter, last_used_at=now)
    return session.scalar(used.returning(Passkey.digest)) is not None


def remove_passkey(session: Session, account_id: int, digest: str) -> str | None:
    """Delete a passkey of this account, and of no other; return its name."""
    own = (Passkey.account_id == account_id, Passkey.digest == digest)
    return session.scalar(delete(Passkey).where(*own).returning(Passkey.name))
