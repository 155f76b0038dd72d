"""What is done beside delivering: mails that are due, and forgetting what is old."""

import threading
from typing import Final

import structlog

from delivery.digests import send_one_digest
from delivery.notices import disabled_mail
from delivery.pushing import Pushing
from outbound.mail import Undelivered
from storage.delivery.deliveries import call_webhooks_back, webhooks_ahead
from storage.delivery.delivery_log import ended_long_ago, forget_deliveries
from storage.delivery.digests import digests_ahead, next_digest_at, take_digest, wanted_of
from storage.delivery.webhooks import put_back_telling, take_telling, untold_owners

log = structlog.get_logger(__name__)

FORGOTTEN_AT_A_TIME: Final = 500


def do_chores(pushing: Pushing, stop: threading.Event) -> bool:
    """Do what there is to do; return whether mails got through. Raises DBAPIError."""
    all_well = send_mails(pushing, stop)
    while not stop.is_set() and forget_some(pushing):
        pass
    return all_well


def call_back(pushing: Pushing) -> None:
    """Let nothing wait for a time that only a clock that has been put back since has shown."""
    now = pushing.now()
    with pushing.db.read() as session:
        webhooks = webhooks_ahead(session, now=now)
        digests = digests_ahead(session, now=now)
    if not (webhooks or digests):
        return
    with pushing.db.write() as session:
        call_webhooks_back(session, webhooks, now=now)
        for each in digests:
            take_digest(session, each, next_at=next_digest_at(wanted_of(each), after=now))
    log.warning("the clock was put back", webhooks=len(webhooks), digests=len(digests))


def send_mails(pushing: Pushing, stop: threading.Event) -> bool:
    """Send the mails that are due, until one shows that none gets through.

    Returns False if the mail server has to be given time.
    """
    try:
        all_well = tell_owners(pushing)
        while not stop.is_set() and send_one_digest(pushing):
            pass
    except Undelivered as error:
        log.error("mails wait for the mail server", reason=str(error))  # noqa: TRY400 - the reason is enough
        return False
    return all_well


def tell_owners(pushing: Pushing) -> bool:
    """Mail those whose webhooks were switched off because nothing got through; once each.

    Returns False if one is to be tried again. Raises Undelivered when no mail gets through.
    """
    with pushing.db.read() as session:
        mails = {
            each.id: disabled_mail(each, site_url=pushing.site_url)
            for each in untold_owners(session)
        }
    all_well = True
    for webhook_id, mail in mails.items():
        with pushing.db.write() as session:
            mine = take_telling(session, webhook_id, now=pushing.now())
        try:
            if mine:
                pushing.carry(mail)
        except Undelivered as error:
            if error.any_mail or not error.lasting:
                with pushing.db.write() as session:
                    put_back_telling(session, webhook_id)
                all_well = False
            if error.any_mail:
                raise
            log.warning("mail about a webhook not sent", reason=str(error), lasting=error.lasting)
    return all_well


def forget_some(pushing: Pushing) -> bool:
    """Forget some deliveries that ended long ago; return whether there may be more."""
    with pushing.db.read() as session:
        keys = ended_long_ago(session, now=pushing.now(), most=FORGOTTEN_AT_A_TIME)
    if keys:
        with pushing.db.write() as session:
            forget_deliveries(session, keys)
    return len(keys) == FORGOTTEN_AT_A_TIME
