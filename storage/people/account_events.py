"""Events of an account, shown to its owner; limited to a number of each kind.

They are bounded by kind, so that a hundred exports cannot push a sign-in out of the log.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from storage.models import Account, AccountEvent, ApiKey
from storage.models.people import AccountEventKind, Actor

KEPT_OF_A_KIND: Final = 50
LONGEST_SUBJECT: Final = 200


@dataclass(frozen=True, slots=True)
class Doer:
    """Who did something, and from where if a browser did it."""

    actor: Actor
    browser: str = ""
    client: str = ""


BY_OPERATOR: Final = Doer(Actor.OPERATOR)
BY_SERVICE: Final = Doer(Actor.SERVICE)
BY_KEY: Final = Doer(Actor.KEY)


def note_event(
    session: Session,
    account_id: int,
    kind: AccountEventKind,
    subject: str,
    *,
    by: Doer,
    now: datetime,
) -> None:
    """Record an event in the transaction in which it happens; drop the oldest of its kind."""
    session.add(
        AccountEvent(
            account_id=account_id,
            at=now,
            kind=kind,
            actor=by.actor,
            subject=subject[:LONGEST_SUBJECT],
            browser=by.browser,
            client=by.client,
        )
    )
    session.flush()
    alike = (AccountEvent.account_id == account_id, AccountEvent.kind == kind)
    newest = select(AccountEvent.id).where(*alike).order_by(AccountEvent.id.desc())
    oldest_kept = newest.limit(1).offset(KEPT_OF_A_KIND - 1).scalar_subquery()
    session.execute(delete(AccountEvent).where(*alike, AccountEvent.id < oldest_kept))


def note_plan(session: Session, account: Account, *, now: datetime) -> None:
    """Record the plan that an operator has given an account."""
    plan = f"{account.plan.value}{'+diffs' if account.diffs_addon else ''}"
    note_event(session, account.id, AccountEventKind.PLAN_SET, plan, by=BY_OPERATOR, now=now)


def note_key_by_operator(
    session: Session, kind: AccountEventKind, key: ApiKey, *, now: datetime
) -> None:
    """Record what an operator does with a key."""
    subject = f"{key.name} (cw_{key.public_id}_…)"
    note_event(session, key.account_id, kind, subject, by=BY_OPERATOR, now=now)


def newest_events(session: Session, account_id: int, *, most: int) -> Sequence[AccountEvent]:
    """Return the newest events of an account."""
    query = select(AccountEvent).where(AccountEvent.account_id == account_id)
    return session.scalars(query.order_by(AccountEvent.id.desc()).limit(most)).all()
