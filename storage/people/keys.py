"""API keys: created, found, rotated and revoked (specification 5)."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from hmac import compare_digest
from typing import NamedTuple

from sqlalchemy import BindParameter, ColumnElement, and_, bindparam, or_, select, update
from sqlalchemy.orm import Session, joinedload

from openapi.vocabulary import Plan, Scope
from storage.engine.statements import PreparedQuery
from storage.models import Account, ApiKey, Selection, Webhook
from storage.people.accounts import Refused, lock_account
from storage.people.credentials import digest_of, new_key, public_id_of

LIVE_KEYS_PER_ACCOUNT = 10
ROTATION_OVERLAP = timedelta(hours=24)
LAST_USED_PRECISION = timedelta(minutes=1)
_WITH_ACCOUNT = PreparedQuery(
    select(
        ApiKey.id,
        ApiKey.public_id,
        ApiKey.digest,
        ApiKey.scopes,
        ApiKey.expires_at,
        ApiKey.revoked_at,
        ApiKey.last_used_at,
        ApiKey.narrowed,
        Account.id,
        Account.plan,
        Account.diffs_addon,
    )
    .join(Account, Account.id == ApiKey.account_id)
    .where(ApiKey.public_id == bindparam("public_id"))
)


def add_key(
    session: Session,
    account: Account,
    *,
    name: str,
    scopes: Sequence[Scope],
    now: datetime,
    expires_at: datetime | None = None,
) -> tuple[ApiKey, str]:
    """Add a key and return it with its text, which is not stored.

    Raises Refused at the eleventh live key of an account.
    """
    lock_account(session, account.id)
    live = select(ApiKey.id).where(ApiKey.account_id == account.id, live_condition(now))
    if len(session.scalars(live).all()) >= LIVE_KEYS_PER_ACCOUNT:
        raise Refused(f"An account has at most {LIVE_KEYS_PER_ACCOUNT} live keys.")
    text = new_key()
    key = ApiKey(
        account_id=account.id,
        public_id=public_id_of(text),
        digest=digest_of(text),
        name=name,
        scopes=[str(scope) for scope in scopes],
        created_at=now,
        expires_at=expires_at,
    )
    session.add(key)
    session.flush()
    return key, text


def revoke_key(key: ApiKey, *, now: datetime) -> None:
    """Revoke a key immediately, unless it has already ended."""
    key.revoked_at = key.revoked_at or now


def rotate_key(
    session: Session, key: ApiKey, *, now: datetime, overlap: timedelta = ROTATION_OVERLAP
) -> tuple[ApiKey, str]:
    """Add a successor with the same name, scopes and sources.

    The old key lives on for ``overlap``, or ends at once where that is nothing. Webhooks that
    follow the key follow its successor.
    """
    if not overlap:
        key.revoked_at = now
        session.flush()  # it is one of the live keys no more
    account = session.get_one(Account, key.account_id)
    scopes = [Scope(scope) for scope in key.scopes]
    successor, text = add_key(
        session, account, name=key.name, scopes=scopes, now=now, expires_at=key.expires_at
    )
    successor.narrowed = key.narrowed
    chosen = session.scalars(select(Selection.source_id).where(Selection.key_id == key.id))
    session.add_all(Selection(key_id=successor.id, source_id=source) for source in chosen.all())
    session.execute(update(Webhook).where(Webhook.key_id == key.id).values(key_id=successor.id))
    end = now + overlap
    key.expires_at = end if key.expires_at is None else min(key.expires_at, end)
    return successor, text


class LiveKey(NamedTuple):
    """A live key, with what its account may do."""

    id: int
    public_id: str
    digest: str
    scopes: list[str]
    expires_at: datetime | None
    revoked_at: datetime | None
    last_used_at: datetime | None
    narrowed: bool
    account_id: int
    plan: Plan
    diffs_addon: bool


def find_live_key(session: Session, text: str, *, now: datetime) -> LiveKey | None:
    """Return the live key that a text is; None for anything else."""
    public_id = public_id_of(text)
    if public_id is None:
        return None
    for row in _WITH_ACCOUNT.rows(session, {"public_id": public_id}):
        key = LiveKey(*row)
        if compare_digest(key.digest, digest_of(text)) and is_live(key, now=now):
            return key
    return None


def is_live(key: ApiKey | LiveKey, *, now: datetime) -> bool:
    """Return True for a key that is neither revoked nor expired."""
    return key.revoked_at is None and (key.expires_at is None or key.expires_at > now)


def live_condition(now: datetime | BindParameter[datetime]) -> ColumnElement[bool]:
    """Return the condition of live keys."""
    unexpired = or_(ApiKey.expires_at.is_(None), ApiKey.expires_at > now)
    return and_(ApiKey.revoked_at.is_(None), unexpired)


def is_ending(key: ApiKey, *, now: datetime) -> bool:
    """Return True for a live key in its last day, which is not a time to rotate it."""
    ends = key.expires_at
    return is_live(key, now=now) and ends is not None and ends - now <= ROTATION_OVERLAP


def record_use(session: Session, key_id: int, *, now: datetime) -> None:
    """Record the time of a key's last use."""
    session.execute(update(ApiKey).where(ApiKey.id == key_id).values(last_used_at=now))


def find_key(session: Session, public_id: str) -> ApiKey | None:
    """Return the key of a public id, live or not, with its account; or None."""
    return session.scalar(
        select(ApiKey).where(ApiKey.public_id == public_id).options(joinedload(ApiKey.account))
    )


def list_keys(session: Session, account_id: int) -> list[ApiKey]:
    """Return all keys of an account, newest first."""
    query = select(ApiKey).where(ApiKey.account_id == account_id)
    return list(session.scalars(query.order_by(ApiKey.created_at.desc(), ApiKey.id.desc())))
