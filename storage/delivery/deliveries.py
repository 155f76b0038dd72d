"""The queue of deliveries: leases of webhooks, what is sent next, the result of attempts.

A webhook is one worker's at a time, by a lease that ends by itself: so its deliveries go out one
after the other, and any number of processes share the work.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final, TypeAlias

import structlog
from sqlalchemy import ColumnElement, and_, exists, func, or_, select, update
from sqlalchemy.orm import Session

from openapi.vocabulary import WebhookFormat
from storage.delivery.webhook_secrets import open_secret
from storage.delivery.webhooks import disable_webhook
from storage.engine.types import AnySelect
from storage.entries.changes import newest_change
from storage.models import Delivery, DeliveryAttempt, Entry, EntryRevision, Source, Webhook
from storage.models.webhooks import DeliveryState, DisabledReason, EventType
from storage.people.secret_box import SecretUnreadable
from storage.scheduling.due import CLOCKS_DIFFER

log = structlog.get_logger(__name__)

LEASE: Final = timedelta(minutes=1)
DAY: Final = timedelta(hours=24)  # of attempts to send a message
WebhookLease: TypeAlias = tuple[int, datetime]
"""The key of a webhook that is this worker's, and when the lease ends."""


@dataclass(frozen=True, slots=True)
class DueDelivery:
    """A due delivery: its message, URL and previous attempts.

    ``attempts`` were made since ``began_at``; ``failures`` of the webhook are in a row since
    ``failing_since``. ``document`` is the ChangelogEntry of the revision, None of a test.
    ``entry_key`` is of the entry, ``account_id`` of the account that the webhook is of.
    ``importance`` is that of the entry as it is now, for the formats that name it, and
    ``changelog_url`` the page of its source, for those that link.
    """

    delivery_id: int
    webhook: str
    url: str
    secrets: tuple[str, ...]
    message_id: str
    event_type: EventType
    occurred_at: datetime
    began_at: datetime
    attempts: int
    failures: int
    failing_since: datetime | None
    document: bytes | None
    entry_key: int | None = None
    account_id: int = 0
    format: WebhookFormat = WebhookFormat.PLAIN
    importance: bytes | None = None
    changelog_url: str | None = None


@dataclass(frozen=True, slots=True)
class Consequence:
    """The result of an attempt, for the delivery and for its webhook."""

    state: DeliveryState
    next_attempt_at: datetime | None
    failures: int
    failing_since: datetime | None
    paused_until: datetime | None
    disable: DisabledReason | None = None


def any_due(session: Session, *, now: datetime) -> bool:
    """Return whether there may be something to claim, without writing."""
    return session.scalar(select(Webhook.id).where(*_may_be_claimed(now)).limit(1)) is not None


def any_to_do(session: Session, *, now: datetime) -> bool:
    """Return whether a webhook may be behind or have something to claim, without writing.

    A worker asks it every second, mostly in vain.
    """
    is_behind = and_(Webhook.disabled_at.is_(None), Webhook.position < newest_change(session))
    query = select(Webhook.id).where(or_(is_behind, and_(*_may_be_claimed(now))))
    return session.scalar(query.limit(1)) is not None


def claim_webhooks(
    session: Session, *, now: datetime, most: int, avoid: Collection[int] = ()
) -> list[WebhookLease]:
    """Lease some webhooks that have something due, those first that have waited the longest."""
    oldest_first = (Webhook.last_attempt_at.asc().nulls_first(), Webhook.id)
    query = select(Webhook.id).where(*_may_be_claimed(now), Webhook.id.not_in(avoid))
    keys = session.scalars(query.order_by(*oldest_first).limit(most)).all()
    until = now + LEASE
    leased = session.scalars(
        update(Webhook)
        .where(Webhook.id.in_(keys), _is_free(now))
        .values(leased_until=until)
        .returning(Webhook.id),
        execution_options={"synchronize_session": False},
    )
    return [(key, until) for key in sorted(leased)]


def _is_free(now: datetime) -> ColumnElement[bool]:
    return and_(
        Webhook.disabled_at.is_(None),
        or_(Webhook.leased_until.is_(None), Webhook.leased_until <= now),
    )


def _may_be_claimed(now: datetime) -> Sequence[ColumnElement[bool]]:
    due = exists().where(Delivery.webhook_id == Webhook.id, Delivery.next_attempt_at <= now)
    return (_is_free(now), or_(Webhook.paused_until.is_(None), Webhook.paused_until <= now), due)


def _is_held(claim: WebhookLease) -> Sequence[ColumnElement[bool]]:
    key, until = claim
    return (Webhook.id == key, Webhook.leased_until == until)


def release_webhook(session: Session, claim: WebhookLease) -> None:
    """End the lease of a webhook, unless another worker has it by now."""
    session.execute(update(Webhook).where(*_is_held(claim)).values(leased_until=None))


def next_delivery(session: Session, claim: WebhookLease, *, now: datetime) -> DueDelivery | None:
    """Return the delivery of a claimed webhook that is due the longest; None without one."""
    query = (
        select(Delivery, Webhook)
        .join(Webhook, Webhook.id == Delivery.webhook_id)
        .where(
            Delivery.webhook_id == claim[0],
            Delivery.next_attempt_at <= now,
            Webhook.disabled_at.is_(None),
            or_(Webhook.paused_until.is_(None), Webhook.paused_until <= now),
        )
        .order_by(Delivery.next_attempt_at, Delivery.id)
        .limit(1)
    )
    row = session.execute(query).one_or_none()
    if row is None:
        return None
    delivery, webhook = row
    return DueDelivery(
        delivery.id,
        webhook.public_id,
        webhook.url,
        secrets_of(session, webhook, now=now),
        delivery.message_id,
        delivery.event_type,
        delivery.occurred_at,
        delivery.began_at,
        delivery.attempts,
        webhook.failures,
        webhook.failing_since,
        document_of(session, delivery),
        delivery.entry_id,
        webhook.account_id,
        webhook.format,
        *_for_chats(session, delivery, webhook.format),
    )


def _for_chats(
    session: Session, delivery: Delivery, format_: WebhookFormat
) -> tuple[bytes | None, str | None]:
    """Return the importance of an entry and the page of its source, for chats."""
    if format_ is WebhookFormat.PLAIN or delivery.entry_id is None:
        return None, None
    query = select(Entry.importance, Source.changelog_url).join(
        Source, Source.id == Entry.source_id
    )
    importance, page = session.execute(query.where(Entry.id == delivery.entry_id)).one()
    return importance, page


def webhooks_ahead(session: Session, *, now: datetime) -> Sequence[int]:
    """Return the webhooks whose deliveries a fast clock has scheduled too late.

    Messages are tried for a day, so a right clock schedules none later than that.
    """
    at = now + CLOCKS_DIFFER
    waits = exists().where(Delivery.webhook_id == Webhook.id, Delivery.next_attempt_at > at + DAY)
    return session.scalars(select(Webhook.id).where(or_(Webhook.last_attempt_at > at, waits))).all()


def reset_future_deliveries(session: Session, keys: Sequence[int], *, now: datetime) -> None:
    """Make pending deliveries to these webhooks due now, with a new day of attempts.

    A pause that a fast clock set keeps its length and starts now.
    """
    for key in keys:
        webhook = session.get_one(Webhook, key)
        at = webhook.last_attempt_at
        if at is not None and at > now:
            since, until = webhook.failing_since, webhook.paused_until
            webhook.last_attempt_at = now
            webhook.failing_since = None if since is None else min(since, now)
            webhook.paused_until = None if until is None else now + (until - at)
        waiting = (Delivery.webhook_id == key, Delivery.next_attempt_at > now)
        session.execute(update(Delivery).where(*waiting).values(next_attempt_at=now, began_at=now))


def secrets_of(session: Session, webhook: Webhook, *, now: datetime) -> tuple[str, ...]:
    """Return what messages are signed with now, the newest secret first; none if unreadable."""
    old, until = webhook.old_secret, webhook.old_secret_until
    still = old is not None and until is not None and until > now
    stored = (webhook.secret, old) if still and old is not None else (webhook.secret,)
    try:
        return tuple(open_secret(session, secret, webhook.public_id) for secret in stored)
    except SecretUnreadable as error:
        log.error("a webhook cannot be signed", webhook=webhook.public_id, fault=str(error))
        return ()


def document_of(session: Session, delivery: Delivery) -> bytes | None:
    """Return the ChangelogEntry of a delivery as it was in its revision; None of a test.

    Of a source that the account does not follow it is the PublicEntry as it is now.
    """
    if delivery.entry_id is None:
        return None
    earlier = and_(EntryRevision.entry_id == Entry.id, EntryRevision.revision == delivery.revision)
    query: AnySelect = select(func.coalesce(EntryRevision.document, Entry.document)).outerjoin_from(
        Entry, EntryRevision, earlier
    )
    if delivery.event_type is EventType.BREAKS_STACK:
        query = select(Entry.public_document)
    document: bytes = session.scalars(query.where(Entry.id == delivery.entry_id)).one()
    return document


def record_attempt(
    session: Session,
    claim: WebhookLease,
    job: DueDelivery,
    attempt: DeliveryAttempt,
    consequence: Consequence,
) -> bool:
    """Store an attempt and what follows. False if another worker has the webhook by now."""
    mine = (
        update(Webhook)
        .where(*_is_held(claim))
        .values(_of_webhook(attempt, consequence))
        .returning(Webhook.id)
    )
    if session.scalar(mine) is None:
        return False
    ended = consequence.state is not DeliveryState.PENDING
    changed = (
        update(Delivery)
        .where(Delivery.id == job.delivery_id)
        .values(
            state=consequence.state,
            attempts=job.attempts + 1,
            next_attempt_at=consequence.next_attempt_at,
            ended_at=attempt.at if ended else None,
        )
    )
    if consequence.state is not DeliveryState.DELIVERED:
        changed = changed.where(Delivery.next_attempt_at.is_not(None))  # switched off meanwhile
    session.execute(changed)
    if session.scalar(select(Delivery.id).where(Delivery.id == job.delivery_id)) is not None:
        attempt.delivery_id = job.delivery_id  # else its entry is gone
        session.add(attempt)
    if consequence.disable is not None:
        disable_webhook(session, claim[0], consequence.disable, now=attempt.at)
    return True


def _of_webhook(attempt: DeliveryAttempt, consequence: Consequence) -> dict[str, Any]:
    changes: dict[str, Any] = {
        "failures": consequence.failures,
        "failing_since": consequence.failing_since,
        "paused_until": consequence.paused_until,
        "last_attempt_at": attempt.at,
    }
    if consequence.state is DeliveryState.DELIVERED:
        changes["last_success_at"] = attempt.at
    return changes
