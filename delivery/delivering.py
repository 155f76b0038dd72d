"""Delivering to one webhook: one message after the other, for as long as the lease lasts."""

from datetime import timedelta
from typing import Final

import structlog

from delivery.events import body_of
from delivery.pushing import Pushing
from delivery.sending import WITHIN, Answer, SenderClosed
from delivery.signing import signed_headers
from delivery.verdicts import consequence_of
from outbound.retry_after import parse_retry_after
from storage.delivery.deliveries import Attempt, Claim, Job, next_job, record_attempt, release
from storage.models.webhooks import DeliveryState

log = structlog.get_logger(__name__)

ENOUGH: Final = WITHIN + timedelta(seconds=5)  # of a lease, to send once more and keep the result
OUR_FAULT: Final = "This is a fault of ours, which has been noted."


def deliver_claimed(pushing: Pushing, claim: Claim) -> int:
    """Send what is due to one webhook; return how many attempts were made.

    Each attempt is kept before the next one is made. A crash in between sends one message again,
    under the same id.
    """
    attempts = 0
    try:
        while claim.until - pushing.now() > ENOUGH:
            with pushing.db.read() as session:
                job = next_job(session, claim, now=pushing.now())
            if job is None or not _attempt(pushing, claim, job):
                break
            attempts += 1
    except SenderClosed:
        log.debug("delivery stopped", webhook_id=claim.webhook_id)
    with pushing.db.write() as session:
        release(session, claim)
    return attempts


def _attempt(pushing: Pushing, claim: Claim, job: Job) -> bool:
    """Send one message and keep how that went. False if somebody else has the webhook by now."""
    at = pushing.now()
    answer = _answer(pushing, job)
    attempt = Attempt(at, answer.took, answer.status, answer.fault, answer.body)
    asked = parse_retry_after(answer.retry_after, now=at)
    consequence = consequence_of(job, attempt, asked=asked, draw=pushing.draw())
    with pushing.db.write() as session:
        kept = record_attempt(session, claim, job, attempt, consequence)
    if kept:
        pushing.on_attempt(consequence.state)
    tell = log.debug if consequence.state is DeliveryState.DELIVERED else log.info
    tell(
        "delivery",
        webhook=job.webhook,
        message=job.message_id,
        state=consequence.state.value,
        status=answer.status,
        fault=answer.fault,
        kept=kept,
    )
    return kept


def _answer(pushing: Pushing, job: Job) -> Answer:
    """Sign and send; what goes wrong on our side is an attempt that failed, not the end of all."""
    try:
        body = body_of(job)
        headers = signed_headers(job.secrets, job.message_id, body, at=pushing.now())
        return pushing.sender.post(job.url, body, headers)
    except SenderClosed:
        raise
    except Exception:
        log.exception("delivery broke", webhook=job.webhook, message=job.message_id)
        return Answer(None, OUR_FAULT, timedelta())
