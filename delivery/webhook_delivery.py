"""Deliver to one webhook, one message after the other, while the lease lasts.

Messages are signed by Standard Webhooks 1.0, symmetric.
"""

import base64
import hashlib
import hmac
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final

import structlog

from delivery.chat_messages import address_of, message_body
from delivery.context import DeliveryContext
from delivery.retry_policy import consequence_of
from delivery.webhook_client import TIMEOUT, SendResult, WebhookClientClosed
from outbound.response_fields import parse_retry_after
from storage.catalog.stack_upgrades import PartUpgrade, upgrades_of_entry
from storage.delivery.deliveries import (
    DueDelivery,
    WebhookLease,
    next_delivery,
    record_attempt,
    release_webhook,
)
from storage.models import DeliveryAttempt
from storage.models.webhooks import DeliveryState

log = structlog.get_logger(__name__)

TIME_FOR_ONE: Final = TIMEOUT + timedelta(seconds=5)  # to send a message and store the result
PREFIX: Final = "whsec_"
INTERNAL_ERROR: Final = "Internal error of this service; it has been logged."


def deliver_claimed(context: DeliveryContext, claim: WebhookLease) -> int:
    """Send due messages to one webhook; return the number of attempts.

    Each attempt is stored before the next one is made. A crash in between sends one message again,
    under the same id.
    """
    attempts = 0
    try:
        while claim[1] - context.now() > TIME_FOR_ONE:
            with context.db.read() as session:
                job = next_delivery(session, claim, now=context.now())
            if job is None or not _attempt(context, claim, job):
                break
            attempts += 1
    except WebhookClientClosed:
        log.debug("delivery stopped", webhook_id=claim[0])
    with context.db.write() as session:
        release_webhook(session, claim)
    return attempts


def _attempt(context: DeliveryContext, claim: WebhookLease, job: DueDelivery) -> bool:
    """Send one message and store the result. False if another worker has the webhook by now."""
    at = context.now()
    result = _send(context, job)
    attempt = DeliveryAttempt(
        at=at,
        duration_ms=round(result.duration.total_seconds() * 1000),
        status=result.status,
        fault=result.fault,
        answer=result.body,
    )
    consequence = consequence_of(
        job,
        attempt,
        retry_after=parse_retry_after(result.retry_after, now=at + result.duration),
        draw=context.draw(),
    )
    with context.db.write() as session:
        stored = record_attempt(session, claim, job, attempt, consequence)
    if stored:
        context.on_attempt(consequence.state)
    write_log = log.debug if consequence.state is DeliveryState.DELIVERED else log.info
    write_log(
        "delivery",
        webhook=job.webhook,
        message=job.message_id,
        state=consequence.state.value,
        status=result.status,
        fault=result.fault,
        stored=stored,
    )
    return stored


def _upgrades(context: DeliveryContext, job: DueDelivery) -> Sequence[PartUpgrade]:
    """Return what a message says of the stack of its account as it is now."""
    if job.entry_key is None:
        return ()
    with context.db.read() as session:
        return upgrades_of_entry(session, job.account_id, job.entry_key)


def _send(context: DeliveryContext, job: DueDelivery) -> SendResult:
    """Sign and send a message; an error of this service counts as a failed attempt."""
    if not job.secrets:
        return SendResult(None, INTERNAL_ERROR, timedelta())
    try:
        body = message_body(job, _upgrades(context, job))
        headers = signed_headers(job.secrets, job.message_id, body, at=context.now())
        return context.webhook_client.post(address_of(job.url), body, headers)
    except WebhookClientClosed:
        raise
    except Exception:
        log.exception("delivery failed", webhook=job.webhook, message=job.message_id)
        return SendResult(None, INTERNAL_ERROR, timedelta())


def signed_headers(
    secrets: Sequence[str], message_id: str, body: bytes, *, at: datetime
) -> dict[str, str]:
    """Return the signature headers of a message. ``at`` is the time of this attempt.

    There is one signature for each secret, so that a receiver may still use the old one.
    """
    timestamp = str(int(at.timestamp()))
    signed = b".".join((message_id.encode(), timestamp.encode(), body))
    return {
        "webhook-id": message_id,
        "webhook-timestamp": timestamp,
        "webhook-signature": " ".join(signature(secret, signed) for secret in secrets),
    }


def signature(secret: str, signed: bytes) -> str:
    """Return the signature of id, timestamp and body, joined by dots."""
    key = base64.b64decode(secret.removeprefix(PREFIX))
    return f"v1,{base64.b64encode(hmac.digest(key, signed, hashlib.sha256)).decode()}"
