"""The sources that an account follows, and those that its keys are narrowed to.

See docs/decisions/0013.
"""

from collections.abc import Collection, Iterable
from datetime import datetime
from typing import Final

from sqlalchemy import bindparam, delete, select
from sqlalchemy.orm import Session

from storage.engine.statements import PreparedQuery
from storage.models import ApiKey, Follow, RemovedFollow, RemovedSelection, Selection, Source
from storage.people.accounts import Refused, lock_account
from storage.people.plans import PLANS
from storage.people.slots import held_slots, hold_slots

_FOLLOWED: Final = PreparedQuery(
    select(Source.slug)
    .join(Follow, Follow.source_id == Source.id)
    .where(Follow.account_id == bindparam("account_id"))
)
_OF_KEY: Final = PreparedQuery(
    select(Source.slug)
    .join(Selection, Selection.source_id == Source.id)
    .where(Selection.key_id == bindparam("key_id"))
)


class TooManySources(Refused):
    """The account would follow more sources than its plan has slots.

    ``frees_at``: when the first slot that still belongs to its source can be changed.
    """

    def __init__(self, slots: int, frees_at: datetime | None = None) -> None:
        said = "Unfollow a source or upgrade."
        if frees_at is not None:
            when = f"{frees_at:%Y-%m-%d at %H:%M} UTC"
            said = f"You can change a source after 24 hours: the next slot from {when}."
        super().__init__(f"All {slots} source slots of your plan are in use. {said}")


def follow_sources(
    session: Session, account_id: int, source_ids: Iterable[int], *, now: datetime
) -> int:
    """Follow sources, all or none; return how many of them are new to the account.

    Each takes a slot, which it holds for a day (docs/decisions/0013). Raises TooManySources and
    changes nothing when the account's plan has too few.
    """
    account = lock_account(session, account_id)
    followed = set(session.scalars(select(Follow.source_id).where(Follow.account_id == account_id)))
    new = set(source_ids) - followed
    slots = PLANS[account.plan].slots
    if new and slots is not None:
        taken = followed | new
        held = held_slots(session, account_id, now=now)
        if len(taken) > slots:
            free = min((held.get(source_id, now) for source_id in followed), default=now)
            raise TooManySources(slots, free if free > now else None)
        if len(taken.union(held)) > slots and new.difference(held):
            frees_at = min(until for source_id, until in held.items() if source_id not in taken)
            raise TooManySources(slots, frees_at)
        hold_slots(session, account_id, new.difference(held), now=now)
    session.add_all(Follow(account_id=account_id, source_id=each) for each in sorted(new))
    account.has_followed = account.has_followed or bool(new)
    session.flush()
    return len(new)


def locked_slots(session: Session, account_id: int, *, now: datetime) -> list[datetime]:
    """Return when slots are free again whose sources were unfollowed within a day, in order."""
    followed = set(session.scalars(select(Follow.source_id).where(Follow.account_id == account_id)))
    held = held_slots(session, account_id, now=now)
    return sorted(until for source_id, until in held.items() if source_id not in followed)


def unfollow_sources(session: Session, account_id: int, source_ids: Collection[int]) -> None:
    """Stop following sources; always possible, also above the slots of the plan."""
    lock_account(session, account_id)
    rows = delete(Follow).where(Follow.account_id == account_id, Follow.source_id.in_(source_ids))
    session.execute(rows)


def narrow_key(session: Session, key: ApiKey, source_ids: Iterable[int], *, now: datetime) -> None:
    """Let a key read these sources only, and follow them. Raises TooManySources."""
    chosen = set(source_ids)
    follow_sources(session, key.account_id, chosen, now=now)
    session.execute(delete(Selection).where(Selection.key_id == key.id))
    session.add_all(Selection(key_id=key.id, source_id=each) for each in sorted(chosen))
    key.narrowed = True
    session.flush()


def widen_key(session: Session, key: ApiKey) -> None:
    """Let a key read whatever its account does."""
    session.execute(delete(Selection).where(Selection.key_id == key.id))
    key.narrowed = False


def account_follows(session: Session, account_id: int) -> set[str]:
    """Return the slugs that an account follows."""
    return {slug for (slug,) in _FOLLOWED.rows(session, {"account_id": account_id})}


def key_sources(session: Session, key_id: int) -> set[str]:
    """Return the slugs that a key is narrowed to; none for a key that is not narrowed."""
    return {slug for (slug,) in _OF_KEY.rows(session, {"key_id": key_id})}


def sources_of_key(session: Session, key: ApiKey) -> set[str]:
    """Return the slugs that a key reads: its own, or all that its account follows."""
    if key.narrowed:
        return key_sources(session, key.id)
    return account_follows(session, key.account_id)


def removed_slugs(session: Session, account_id: int, *, key_id: int | None) -> set[str]:
    """Return followed sources that were removed from the catalog.

    With ``key_id``, those that a narrowed key had.
    """
    if key_id is None:
        query = select(RemovedFollow.slug).where(RemovedFollow.account_id == account_id)
    else:
        query = select(RemovedSelection.slug).where(RemovedSelection.key_id == key_id)
    return set(session.scalars(query))
