"""Deliveries and attempts as owners and operators see them; sending again; deleting."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final, TypeAlias

from sqlalchemy import Row, delete, func, or_, select, update
from sqlalchemy.orm import Session, aliased

from storage.delivery.fanout import end_pause
from storage.engine.types import AnySelect
from storage.models import Delivery, DeliveryAttempt, Entry, Source, Webhook
from storage.models.webhooks import DeliveryState

DELIVERED_KEPT: Final = timedelta(days=7)
DEAD_KEPT: Final = timedelta(days=30)
LoggedDelivery: TypeAlias = Row[Any]
"""A delivery with ``title`` and ``slug`` of its entry and its ``last`` attempt, if any."""


def page_deliveries(
    session: Session,
    webhook_id: int,
    *,
    limit: int,
    offset: int = 0,
    state: DeliveryState | None = None,
    only: int | None = None,
) -> Sequence[LoggedDelivery]:
    """Return deliveries of a webhook, newest first; of one state, or ``only`` one by its key."""
    last = aliased(DeliveryAttempt, name="last")
    newest = select(func.max(DeliveryAttempt.id)).where(DeliveryAttempt.delivery_id == Delivery.id)
    query: AnySelect = (
        select(
            Delivery.id.label("delivery_id"),
            Delivery.message_id,
            Delivery.event_type,
            Delivery.state,
            Delivery.created_at,
            Delivery.attempts,
            Delivery.next_attempt_at,
            Entry.title,
            Source.slug,
            last,
        )
        .outerjoin(Entry, Entry.id == Delivery.entry_id)
        .outerjoin(Source, Source.id == Entry.source_id)
        .outerjoin(last, last.id == newest.scalar_subquery())
        .where(Delivery.webhook_id == webhook_id)
    )
    if state is not None:
        query = query.where(Delivery.state == state)
    if only is not None:
        query = query.where(Delivery.id == only)
    return session.execute(query.order_by(Delivery.id.desc()).limit(limit).offset(offset)).all()


def attempts_of(session: Session, delivery_id: int) -> Sequence[DeliveryAttempt]:
    """Return every attempt of a delivery, newest first."""
    query = select(DeliveryAttempt).where(DeliveryAttempt.delivery_id == delivery_id)
    return session.scalars(query.order_by(DeliveryAttempt.id.desc())).all()


def count_deliveries(session: Session, webhook_id: int, state: DeliveryState) -> int:
    """Return how many deliveries of a webhook are in a state."""
    query = select(func.count()).where(Delivery.webhook_id == webhook_id, Delivery.state == state)
    return session.scalar(query) or 0


@dataclass(frozen=True, slots=True)
class Backlog:
    """The deliveries that all webhooks have yet to send.

    ``pending`` deliveries have not ended. ``due_since`` is when the longest waiting one could have
    been sent, None if there is none; those of paused webhooks do not count.
    ``failing`` webhooks are on, and their last attempt failed.
    """

    pending: int
    due_since: datetime | None
    failing: int


def backlog(session: Session, *, now: datetime) -> Backlog:
    """Count the deliveries that all webhooks have yet to send."""
    pending = select(func.count()).where(Delivery.ended_at.is_(None))
    rested = or_(Webhook.paused_until.is_(None), Webhook.paused_until <= now)
    on = Webhook.disabled_at.is_(None)
    due_since = (
        select(func.min(Delivery.next_attempt_at))
        .join(Webhook, Webhook.id == Delivery.webhook_id)
        .where(Delivery.ended_at.is_(None), Delivery.next_attempt_at <= now, on, rested)
    )
    failing = select(func.count()).where(on, Webhook.failures > 0)
    return Backlog(
        pending=session.scalar(pending) or 0,
        due_since=session.scalar(due_since),
        failing=session.scalar(failing) or 0,
    )


def send_again(session: Session, webhook_id: int, delivery_id: int | None, *, now: datetime) -> int:
    """Queue an ended delivery again, or all failed messages; return how many.

    Each gets another day of attempts, under the id that it had, and the first one at once.
    """
    end_pause(session, webhook_id)
    query = update(Delivery).where(
        Delivery.webhook_id == webhook_id, Delivery.next_attempt_at.is_(None)
    )
    if delivery_id is None:
        query = query.where(Delivery.state == DeliveryState.DEAD)
    else:
        query = query.where(Delivery.id == delivery_id)
    queued = session.scalars(
        query.values(
            state=DeliveryState.PENDING,
            attempts=0,
            began_at=now,
            next_attempt_at=now,
            ended_at=None,
        ).returning(Delivery.id),
        execution_options={"synchronize_session": False},
    )
    return len(queued.all())


def ended_long_ago(session: Session, *, now: datetime, most: int) -> Sequence[int]:
    """Return the keys of some deliveries whose retention is over."""
    old = select(Delivery.id).where(
        Delivery.ended_at <= now - DELIVERED_KEPT,
        or_(Delivery.state == DeliveryState.DELIVERED, Delivery.ended_at <= now - DEAD_KEPT),
    )
    return session.scalars(old.limit(most)).all()


def forget_deliveries(session: Session, keys: Collection[int]) -> None:
    """Delete deliveries with their attempts."""
    session.execute(delete(Delivery).where(Delivery.id.in_(keys)))
