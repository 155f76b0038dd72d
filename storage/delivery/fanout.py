"""From changes of entries to deliveries: which webhooks are behind, and what is queued.

A webhook keeps the number of the last change that was fanned out to it, and moves it on in the
transaction that adds the deliveries: a crash loses nothing and doubles nothing.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import and_, func, insert, select, update
from sqlalchemy.orm import Session, joinedload

from storage.models import Delivery, Entry, EntryChange, EntryRevision, Webhook
from storage.models.webhooks import DeliveryState, EventType
from storage.people.credentials import new_public_id


@dataclass(frozen=True, slots=True)
class Event:
    """A change of an entry as it is sent. ``message_id`` is the same at every attempt."""

    entry_key: int
    revision: int
    event_type: EventType
    message_id: str
    occurred_at: datetime


def webhooks_behind(session: Session, newest: int, *, most_waiting: int) -> Sequence[Webhook]:
    """Return webhooks, with their accounts, to which changes are to be fanned out.

    Left out are those with ``most_waiting`` deliveries in their queue: the changes wait in the
    log, where they cost nothing.
    """
    waiting = (
        select(func.count())
        .where(Delivery.webhook_id == Webhook.id, Delivery.next_attempt_at.is_not(None))
        .scalar_subquery()
    )
    query = select(Webhook).where(
        Webhook.disabled_at.is_(None), Webhook.position < newest, waiting < most_waiting
    )
    return session.scalars(query.options(joinedload(Webhook.account)).order_by(Webhook.id)).all()


def learned_at(session: Session, numbers: Collection[int]) -> dict[int, datetime]:
    """Return when changes were stored, by their numbers."""
    before = and_(
        EntryRevision.entry_id == EntryChange.entry_id,
        EntryRevision.revision == EntryChange.revision - 1,
    )
    query = (
        select(EntryChange.number, func.coalesce(EntryRevision.replaced_at, Entry.first_seen_at))
        .join(Entry, Entry.id == EntryChange.entry_id)
        .outerjoin(EntryRevision, before)
        .where(EntryChange.number.in_(numbers))
    )
    return dict(session.execute(query).all())


def add_events(
    session: Session,
    webhook_id: int,
    events: Sequence[Event],
    *,
    after: int,
    position: int,
    now: datetime,
) -> bool:
    """Queue events for a webhook and move it on. False if another process did so before."""
    moved = (
        update(Webhook)
        .where(Webhook.id == webhook_id, Webhook.position == after, Webhook.disabled_at.is_(None))
        .values(position=position)
        .returning(Webhook.id)
    )
    if session.scalar(moved) is None:
        return False
    if events:
        session.execute(insert(Delivery), [_as_row(webhook_id, event, now) for event in events])
    return True


def end_pause(session: Session, webhook_id: int) -> None:
    """Send to a webhook again before its pause is over: its owner asked for it."""
    session.execute(update(Webhook).where(Webhook.id == webhook_id).values(paused_until=None))


def add_test_event(session: Session, webhook_id: int, *, now: datetime) -> int:
    """Queue a test event, to be sent at once; return the key of its delivery."""
    end_pause(session, webhook_id)
    test = Delivery(
        webhook_id=webhook_id,
        event_type=EventType.TEST,
        message_id=f"test_{new_public_id()}",
        occurred_at=now,
        created_at=now,
        began_at=now,
        state=DeliveryState.PENDING,
        next_attempt_at=now,
    )
    session.add(test)
    session.flush()
    return test.id


def _as_row(webhook_id: int, event: Event, now: datetime) -> dict[str, object]:
    return {
        "webhook_id": webhook_id,
        "entry_id": event.entry_key,
        "revision": event.revision,
        "event_type": event.event_type,
        "message_id": event.message_id,
        "occurred_at": event.occurred_at,
        "created_at": now,
        "began_at": now,
        "state": DeliveryState.PENDING,
        "next_attempt_at": now,
    }
