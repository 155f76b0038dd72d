"""Keys and the sources selected for them (specification 5, docs/decisions/0013)."""

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime, timedelta
from hmac import compare_digest
from typing import Any, NamedTuple

from sqlalchemy import (
    BindParameter,
    ColumnElement,
    Select,
    and_,
    bindparam,
    delete,
    or_,
    select,
    update,
)
from sqlalchemy.orm import Session, joinedload

from openapi.vocabulary import Plan, Scope
from storage.engine.statements import PreparedQuery
from storage.models import Account, ApiKey, RemovedSelection, Selection, Source, Webhook
from storage.people.accounts import Refused, lock_account
from storage.people.credentials import digest_of, new_key, public_id_of
from storage.people.plans import PLANS
from storage.people.slots import held_slots, hold_slots

LIVE_KEYS_PER_ACCOUNT = 10
ROTATION_OVERLAP = timedelta(hours=24)
LAST_USED_PRECISION = timedelta(minutes=1)


class TooManySelections(Refused):
    """The selection would take more sources than the account's plan has slots.

    ``frees_at``: when a slot is free again whose source was dropped within a day of its selection.
    """

    def __init__(self, slots: int, requested: int, frees_at: datetime | None = None) -> None:
        text = f"The plan has {slots} source slots; this would take {requested}."
        when = "" if frees_at is None else f" The next is free at {frees_at:%Y-%m-%d %H:%M} UTC."
        rule = " A slot that was used is free again after a day." if when else ""
        super().__init__(text + rule + when)
        self.slots = slots
        self.frees_at = frees_at


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
    if len(session.scalars(_live_keys(account.id, now)).all()) >= LIVE_KEYS_PER_ACCOUNT:
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
    """End a key at once, if it has not ended before."""
    key.revoked_at = key.revoked_at or now


def rotate_key(
    session: Session, key: ApiKey, *, now: datetime, overlap: timedelta = ROTATION_OVERLAP
) -> tuple[ApiKey, str]:
    """Add a successor with the same name, scopes and selection.

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
    chosen = session.scalars(select(Selection.source_id).where(Selection.key_id == key.id))
    session.add_all(
        Selection(key_id=successor.id, source_id=source_id) for source_id in chosen.all()
    )
    follows_it = update(Webhook).where(Webhook.key_id == key.id)
    session.execute(follows_it.values(key_id=successor.id))
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
    account_id: int
    plan: Plan
    diffs_addon: bool


_WITH_ACCOUNT = PreparedQuery(
    select(
        ApiKey.id,
        ApiKey.public_id,
        ApiKey.digest,
        ApiKey.scopes,
        ApiKey.expires_at,
        ApiKey.revoked_at,
        ApiKey.last_used_at,
        Account.id,
        Account.plan,
        Account.diffs_addon,
    )
    .join(Account, Account.id == ApiKey.account_id)
    .where(ApiKey.public_id == bindparam("public_id"))
)


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
    """Return True for a live key in its last day, which is no time to rotate it."""
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


def select_sources(
    session: Session, key: ApiKey, source_ids: Iterable[int], *, now: datetime
) -> None:
    """Make these the key's selected sources.

    Slots count the distinct sources over all live keys of the account, and for a new one those
    that were selected within a day as well, dropped or not (docs/decisions/0013).
    Raises TooManySelections and changes nothing when the plan has too few.
    """
    account = lock_account(session, key.account_id)
    chosen = set(source_ids)
    slots = PLANS[account.plan].slots
    if slots is not None:
        _take_slots(session, key, chosen, slots, now=now)
    session.execute(delete(Selection).where(Selection.key_id == key.id))
    session.add_all(Selection(key_id=key.id, source_id=source_id) for source_id in sorted(chosen))
    session.flush()


def add_selections(
    session: Session, key: ApiKey, source_ids: Collection[int], *, now: datetime
) -> int:
    """Select more sources for a key, all or none; return how many of them are new to it.

    Raises TooManySelections when the account's plan has too few slots left.
    """
    lock_account(session, key.account_id)
    chosen = set(session.scalars(select(Selection.source_id).where(Selection.key_id == key.id)))
    more = set(source_ids) - chosen
    if more:
        select_sources(session, key, chosen | more, now=now)
    return len(more)


def drop_selection(session: Session, key: ApiKey, source_id: int) -> None:
    """Remove one source; allowed above the slots too, or nobody could get below them again."""
    lock_account(session, key.account_id)
    session.execute(
        delete(Selection).where(Selection.key_id == key.id, Selection.source_id == source_id)
    )


def _take_slots(
    session: Session, key: ApiKey, chosen: set[int], slots: int, *, now: datetime
) -> None:
    """Let the account's sources take slots. Raises TooManySelections."""
    selected = session.execute(
        _selected_ids(key.account_id, now).add_columns(Selection.key_id)
    ).all()
    taken = chosen | {source_id for source_id, key_id in selected if key_id != key.id}
    held = held_slots(session, key.account_id, now=now)
    new = taken.difference(held, (source_id for source_id, _ in selected))
    if len(taken) > slots:
        raise TooManySelections(slots, len(taken))
    if new and len(taken.union(held)) > slots:
        let_go = sorted(until for source_id, until in held.items() if source_id not in taken)
        raise TooManySelections(slots, len(taken.union(held)), let_go[0])
    hold_slots(session, key.account_id, new, now=now)


_OF_ACCOUNT = PreparedQuery(
    select(Source.slug, Selection.key_id)
    .join(Selection, Selection.source_id == Source.id)
    .join(ApiKey, ApiKey.id == Selection.key_id)
    .where(ApiKey.account_id == bindparam("account_id"), live_condition(bindparam("now")))
)


def selected_slugs(session: Session, key_id: int) -> set[str]:
    """Return the slugs selected for one key."""
    query = select(Source.slug).join(Selection, Selection.source_id == Source.id)
    return set(session.scalars(query.where(Selection.key_id == key_id)))


def account_selection(session: Session, account_id: int, *, now: datetime) -> set[str]:
    """Return the slugs selected for any live key of an account."""
    return {slug for slug, _ in account_choices(session, account_id, now=now)}


def account_choices(session: Session, account_id: int, *, now: datetime) -> list[tuple[Any, ...]]:
    """Return what is selected for the live keys of an account: slug and id of the key."""
    return _OF_ACCOUNT.rows(session, {"account_id": account_id, "now": now})


def removed_slugs(
    session: Session, account_id: int, *, key_id: int | None, now: datetime
) -> set[str]:
    """Return the sources that a key had selected when they were removed from the catalog.

    Without ``key_id`` those of all live keys of the account.
    """
    keys = _live_keys(account_id, now) if key_id is None else [key_id]
    query = select(RemovedSelection.slug).where(RemovedSelection.key_id.in_(keys))
    return set(session.scalars(query))


def _live_keys(account_id: int, now: datetime) -> Select[int]:
    return select(ApiKey.id).where(ApiKey.account_id == account_id, live_condition(now))


def _selected_ids(account_id: int, now: datetime) -> Select[int]:
    return (
        select(Selection.source_id)
        .where(Selection.key_id.in_(_live_keys(account_id, now)))
        .distinct()
    )
