"""Send due mails, delete old deliveries, repair times after a clock was put back."""

import threading
from typing import Final

import structlog

from delivery.context import DeliveryContext
from delivery.digests import send_one_digest
from outbound.mail import Mail, Undelivered
from storage.delivery.deliveries import reset_future_deliveries, webhooks_ahead
from storage.delivery.delivery_log import ended_long_ago, forget_deliveries
from storage.delivery.digests import digests_ahead, next_digest_at, take_digest
from storage.delivery.webhooks import claim_notice, owners_to_notify, release_notice
from storage.models import Webhook
from storage.models.webhooks import DisabledReason

log = structlog.get_logger(__name__)

DELETED_AT_A_TIME: Final = 500
SUBJECT: Final = "Your Changewire webhook “{name}” was disabled"
REASONS: Final = {
    DisabledReason.GONE: "its server responded with 410 Gone.",
    DisabledReason.FAILING: "all deliveries failed for three days.",
}
AFTER_FAILURE: Final = (
    "Failed messages are kept for 30 days. When your server is back, enable the webhook and\n"
    "resend them:"
)


def do_maintenance(context: DeliveryContext, stop: threading.Event) -> bool:
    """Send due mails and delete old deliveries; return whether mails were accepted.

    Raises DBAPIError.
    """
    mails_sent = send_mails(context, stop)
    while not stop.is_set() and delete_old_deliveries(context):
        pass
    return mails_sent


def repair_future_times(context: DeliveryContext) -> None:
    """Reschedule deliveries and digests that a fast clock scheduled too late."""
    now = context.now()
    with context.db.read() as session:
        webhooks = webhooks_ahead(session, now=now)
        digests = digests_ahead(session, now=now)
    if not (webhooks or digests):
        return
    with context.db.write() as session:
        reset_future_deliveries(session, webhooks, now=now)
        for digest in digests:
            take_digest(session, digest, next_at=next_digest_at(digest, after=now))
    log.warning("the clock was put back", webhooks=len(webhooks), digests=len(digests))


def send_mails(context: DeliveryContext, stop: threading.Event) -> bool:
    """Send the mails that are due, until one shows that none gets through.

    Returns False if the mail server has to be given time.
    """
    try:
        all_sent = notify_owners(context)
        while not stop.is_set() and send_one_digest(context):
            pass
    except Undelivered as error:
        log.error("mails wait for the mail server", reason=str(error))
        return False
    return all_sent


def notify_owners(context: DeliveryContext) -> bool:
    """Mail those whose webhooks were disabled because nothing got through; once each.

    Returns False if one is to be tried again. Raises Undelivered when no mail gets through.
    """
    with context.db.read() as session:
        mails = {
            webhook.id: disabled_mail(webhook, site_url=context.site_url)
            for webhook in owners_to_notify(session)
        }
    all_sent = True
    for webhook_id, mail in mails.items():
        with context.db.write() as session:
            is_ours = claim_notice(session, webhook_id, now=context.now())
        try:
            if is_ours:
                context.carry(mail)
        except Undelivered as error:
            if error.any_mail or not error.lasting:
                with context.db.write() as session:
                    release_notice(session, webhook_id)
                all_sent = False
            if error.any_mail:
                raise
            log.warning("mail about a webhook not sent", reason=str(error), lasting=error.lasting)
    return all_sent


def delete_old_deliveries(context: DeliveryContext) -> bool:
    """Delete some deliveries that ended long ago; return whether there may be more."""
    with context.db.read() as session:
        keys = ended_long_ago(session, now=context.now(), most=DELETED_AT_A_TIME)
    if keys:
        with context.db.write() as session:
            forget_deliveries(session, keys)
    return len(keys) == DELETED_AT_A_TIME


def disabled_mail(webhook: Webhook, *, site_url: str) -> Mail:
    """Return the mail to the owner of a disabled webhook. The webhook has its account loaded."""
    reason = webhook.disabled_reason
    assert reason is not None
    text = f"""Hi,

Your webhook “{webhook.name}” was disabled: {REASONS[reason]}

{AFTER_FAILURE}

{site_url}/app/webhooks/{webhook.public_id}
"""
    return Mail(webhook.account.email, SUBJECT.format(name=webhook.name), text)
