"""Webhooks, their deliveries and attempts, and digests."""

from datetime import datetime
from enum import StrEnum

from sqlalchemy import BigInteger, ForeignKey, Index, String, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column, relationship

from openapi.vocabulary import WebhookFormat
from storage.engine.types import Address, Id, ShortText, ordered_text
from storage.models.base import AccountId, Base
from storage.models.people import Account


class EventType(StrEnum):
    """The type of an event: a closed list (docs/webhooks.md)."""

    PUBLISHED = "entry.published"
    EDITED = "entry.edited"
    BREAKS_STACK = "stack.breaking"  # of a source that the account does not follow
    TEST = "webhook.test"


class DeliveryState(StrEnum):
    """The state of a delivery: a closed list."""

    PENDING = "pending"
    DELIVERED = "delivered"
    DEAD = "dead"  # given up, and kept so that it can be sent again


class DisabledReason(StrEnum):
    """Why a webhook gets nothing: a closed list."""

    OWNER = "owner"
    OPERATOR = "operator"
    GONE = "gone"  # its server answered 410
    FAILING = "failing"  # nothing got through for days


class DigestFrequency(StrEnum):
    """How often a digest is mailed: a closed list."""

    DAILY = "daily"
    WEEKLY = "weekly"


class Webhook(Base):
    """An address that events are sent to.

    ``key_id`` names the key whose sources it sends; None: all that the account follows.
    ``filter_id`` names the saved filter that narrows it, None for no filter.
    ``position`` is the number of the last change of entries that was fanned out to it.
    The secrets are sealed (``storage.delivery.webhook_secrets``), for every message is signed.
    """

    __tablename__ = "webhooks"

    id: Mapped[Id]
    public_id: Mapped[str] = mapped_column(ordered_text(20), unique=True)
    account_id: Mapped[AccountId] = mapped_column(index=True)
    key_id: Mapped[int | None] = mapped_column(
        ForeignKey("api_keys.id", ondelete="CASCADE"), index=True
    )
    filter_id: Mapped[int | None] = mapped_column(BigInteger)  # no reference: it only adds
    name: Mapped[ShortText]
    url: Mapped[Address]
    format: Mapped[WebhookFormat] = mapped_column(
        default=WebhookFormat.PLAIN, server_default=WebhookFormat.PLAIN.value
    )
    only_important: Mapped[bool] = mapped_column(default=False)
    secret: Mapped[str] = mapped_column(String(100))
    old_secret: Mapped[str | None] = mapped_column(String(100))
    old_secret_until: Mapped[datetime | None]
    created_at: Mapped[datetime]
    position: Mapped[int] = mapped_column(BigInteger)
    disabled_at: Mapped[datetime | None]
    disabled_reason: Mapped[DisabledReason | None]
    owner_told_at: Mapped[datetime | None]  # of a webhook that the service disabled
    failures: Mapped[int] = mapped_column(default=0)  # in a row
    failing_since: Mapped[datetime | None]
    last_attempt_at: Mapped[datetime | None]
    last_success_at: Mapped[datetime | None]
    paused_until: Mapped[datetime | None]
    leased_until: Mapped[datetime | None]

    account: Mapped[Account] = relationship(lazy="raise")


class Delivery(Base):
    """An event on its way to one webhook. ``entry_id`` and ``revision`` are None of a test.

    ``next_attempt_at`` is None once it has ended. ``began_at`` is when its day of attempts began.
    """

    __tablename__ = "webhook_deliveries"

    id: Mapped[Id]
    webhook_id: Mapped[int] = mapped_column(ForeignKey("webhooks.id", ondelete="CASCADE"))
    entry_id: Mapped[int | None] = mapped_column(
        ForeignKey("entries.id", ondelete="CASCADE"), index=True
    )
    revision: Mapped[int | None]
    event_type: Mapped[EventType]
    message_id: Mapped[str] = mapped_column(ordered_text(80))
    occurred_at: Mapped[datetime]
    created_at: Mapped[datetime]
    began_at: Mapped[datetime]
    state: Mapped[DeliveryState]
    attempts: Mapped[int] = mapped_column(default=0)  # since began_at
    next_attempt_at: Mapped[datetime | None]
    ended_at: Mapped[datetime | None] = mapped_column(index=True)

    __table_args__ = (
        UniqueConstraint("webhook_id", "entry_id", "revision"),
        Index("ix_webhook_deliveries_due", "webhook_id", "next_attempt_at"),
        Index("ix_webhook_deliveries_state", "webhook_id", "state", "id"),
    )


class DeliveryAttempt(Base):
    """The result of one attempt. ``status`` is None when no response came.

    ``answer`` holds the first bytes of the response body.
    """

    __tablename__ = "webhook_attempts"

    id: Mapped[Id]
    delivery_id: Mapped[int] = mapped_column(
        ForeignKey("webhook_deliveries.id", ondelete="CASCADE"), index=True
    )
    at: Mapped[datetime]
    duration_ms: Mapped[int]
    status: Mapped[int | None]
    fault: Mapped[str | None] = mapped_column(String(300))
    answer: Mapped[bytes]


class IdempotentAnswer(Base):
    """The answer to a request that was sent with an Idempotency-Key.

    ``name`` is a hash of the operation, the key and the body.
    """

    __tablename__ = "idempotent_answers"

    account_id: Mapped[AccountId] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(ordered_text(64), primary_key=True)
    status: Mapped[int]
    body: Mapped[bytes]
    created_at: Mapped[datetime]


class Digest(Base):
    """A mail about what was learned since the last one.

    ``filter_id`` and ``position`` are as in Webhook. ``stack``: the one that it is about, None for
    what is followed and all stacks. Whoever moves ``next_at``, when it is due, sends it.
    """

    __tablename__ = "digests"

    account_id: Mapped[AccountId] = mapped_column(primary_key=True)
    filter_id: Mapped[int | None] = mapped_column(BigInteger)  # no reference: it only adds
    stack: Mapped[str | None] = mapped_column(ordered_text(80))
    frequency: Mapped[DigestFrequency]
    hour: Mapped[int]  # UTC
    only_important: Mapped[bool] = mapped_column(default=False)
    token: Mapped[str] = mapped_column(ordered_text(60), unique=True)  # ends it without signing in
    position: Mapped[int] = mapped_column(BigInteger)
    created_at: Mapped[datetime]
    next_at: Mapped[datetime] = mapped_column(index=True)
    failures: Mapped[int] = mapped_column(default=0)  # in a row
    last_sent_at: Mapped[datetime | None]

    account: Mapped[Account] = relationship(lazy="raise")
