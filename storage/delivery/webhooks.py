"""Webhooks: add, change, disable, enable and delete them (docs/decisions/0040)."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final

from sqlalchemy import delete, select, update
from sqlalchemy.orm import Session, joinedload

from storage.delivery.webhook_secrets import open_secret, stored_secret
from storage.entries.changes import newest_change
from storage.models import Delivery, Webhook
from storage.models.people import AccountEventKind
from storage.models.webhooks import DeliveryState, DisabledReason
from storage.people.account_events import BY_OPERATOR, BY_SERVICE, note_event
from storage.people.accounts import require_room
from storage.people.credentials import new_public_id, new_signing_secret

WEBHOOKS_PER_ACCOUNT: Final = 5
SETTINGS: Final = ("name", "url", "key_id", "only_important", "filter_id", "format")
SECRET_OVERLAP: Final = timedelta(hours=24)
_DISABLED_BY: Final = {
    DisabledReason.OPERATOR: BY_OPERATOR,
    DisabledReason.GONE: BY_SERVICE,
    DisabledReason.FAILING: BY_SERVICE,
}


def add_webhook(session: Session, account_id: int, webhook: Webhook, *, now: datetime) -> Webhook:
    """Add a webhook with its settings, which gets the changes from now on.

    Raises Refused at the sixth webhook of an account.
    """
    require_room(session, account_id, Webhook, "webhooks", most=WEBHOOKS_PER_ACCOUNT)
    webhook.account_id, webhook.public_id = account_id, new_public_id()
    webhook.secret = stored_secret(session, new_signing_secret(), webhook.public_id)
    webhook.created_at, webhook.position = now, newest_change(session)
    session.add(webhook)
    session.flush()
    return webhook


def change_webhook(webhook: Webhook, wanted: Webhook) -> None:
    """Give a webhook other settings; what waits already goes to the new address."""
    for name in SETTINGS:
        setattr(webhook, name, getattr(wanted, name))
    webhook.paused_until = None


def find_webhook(session: Session, public_id: str) -> Webhook | None:
    """Return a webhook with its account, or None."""
    return session.scalar(
        select(Webhook).where(Webhook.public_id == public_id).options(joinedload(Webhook.account))
    )


def list_webhooks(session: Session, account_id: int | None = None) -> Sequence[Webhook]:
    """Return the webhooks of an account, or of all, with their accounts, oldest first."""
    query = select(Webhook).options(joinedload(Webhook.account)).order_by(Webhook.id)
    if account_id is not None:
        query = query.where(Webhook.account_id == account_id)
    return session.scalars(query).all()


def secret_of(session: Session, webhook: Webhook) -> str:
    """Return the secret of a webhook as its owner is shown it, once. Raises SecretUnreadable."""
    return open_secret(session, webhook.secret, webhook.public_id)


def rotate_secret(session: Session, webhook: Webhook, *, now: datetime) -> str:
    """Give a webhook a new secret and return it; the old one signs beside it for a day."""
    webhook.old_secret, webhook.old_secret_until = webhook.secret, now + SECRET_OVERLAP
    secret = new_signing_secret()
    webhook.secret = stored_secret(session, secret, webhook.public_id)
    return secret


def disable_webhook(
    session: Session, webhook_id: int, reason: DisabledReason, *, now: datetime
) -> bool:
    """Send nothing more to a webhook; what waits goes to the failed messages. False if it was off.

    What its owner does is recorded by the page it is done on.
    """
    off = (
        update(Webhook)
        .where(Webhook.id == webhook_id, Webhook.disabled_at.is_(None))
        .values(disabled_at=now, disabled_reason=reason, owner_told_at=None)
        .returning(Webhook.account_id, Webhook.name)
    )
    was = session.execute(off).one_or_none()
    if was is not None:
        session.execute(
            update(Delivery)
            .where(Delivery.webhook_id == webhook_id, Delivery.next_attempt_at.is_not(None))
            .values(state=DeliveryState.DEAD, next_attempt_at=None, ended_at=now)
        )
        if reason in _DISABLED_BY:
            kind, by = AccountEventKind.WEBHOOK_OFF, _DISABLED_BY[reason]
            note_event(session, was.account_id, kind, was.name, by=by, now=now)
    return was is not None


def disable_by_operator(session: Session, webhook: Webhook, *, now: datetime) -> None:
    """Send nothing more to a webhook; only an operator can undo that."""
    disable_webhook(session, webhook.id, DisabledReason.OPERATOR, now=now)
    webhook.disabled_reason = DisabledReason.OPERATOR


def enable_webhook(session: Session, webhook: Webhook, *, catch_up: bool) -> None:
    """Send to a webhook again: the changes meanwhile too with ``catch_up``, else from now on."""
    if webhook.disabled_at is not None and not catch_up:
        webhook.position = newest_change(session)
    webhook.disabled_at = webhook.disabled_reason = webhook.owner_told_at = None
    webhook.failing_since = webhook.paused_until = None
    webhook.failures = 0


def note_enabled_by_operator(session: Session, webhook: Webhook, *, now: datetime) -> None:
    """Record for its owner that an operator switched a webhook on."""
    kind = AccountEventKind.WEBHOOK_ON
    note_event(session, webhook.account_id, kind, webhook.name, by=BY_OPERATOR, now=now)


def delete_webhook(session: Session, webhook_id: int) -> None:
    """Delete a webhook and everything about it."""
    session.execute(delete(Webhook).where(Webhook.id == webhook_id))


def owners_to_notify(session: Session) -> Sequence[Webhook]:
    """Return webhooks that the service disabled and whose owners have not been notified."""
    query = select(Webhook).where(
        Webhook.disabled_reason.in_([DisabledReason.GONE, DisabledReason.FAILING]),
        Webhook.owner_told_at.is_(None),
    )
    return session.scalars(query.options(joinedload(Webhook.account)).order_by(Webhook.id)).all()


def claim_notice(session: Session, webhook_id: int, *, now: datetime) -> bool:
    """Record that an owner is notified; of any number of callers exactly one gets True."""
    noted = (
        update(Webhook)
        .where(Webhook.id == webhook_id, Webhook.owner_told_at.is_(None))
        .values(owner_told_at=now)
        .returning(Webhook.id)
    )
    return session.scalar(noted) is not None


def release_notice(session: Session, webhook_id: int) -> None:
    """Record that an owner could not be notified."""
    session.execute(update(Webhook).where(Webhook.id == webhook_id).values(owner_told_at=None))
