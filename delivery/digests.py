"""Send digests: once a period, by any worker, and only if an entry changed."""

from datetime import timedelta
from typing import Final

import structlog

from delivery.context import DeliveryContext
from delivery.digest_mail import digest_mail
from outbound.mail import Mail, Undelivered
from storage.catalog.stack_upgrades import stack_sources, upgrades_of_entries
from storage.delivery.digests import (
    breaking_releases,
    digest_content,
    digest_done,
    digest_ends,
    digest_failed,
    end_digest,
    next_digest_at,
    next_due_digest,
    take_digest,
)
from storage.delivery.subscriptions import NOTHING, followed_sources, pushed_filter
from storage.entries.changes import newest_change
from storage.entries.entry_filter import EVERYTHING
from storage.entries.part_deadlines import RunningPart
from storage.models import Digest

log = structlog.get_logger(__name__)

RETRY_AFTER: Final = timedelta(minutes=15)
GIVEN_UP_AFTER: Final = 5  # digests in a row that a mail server refused permanently


def send_one_digest(context: DeliveryContext) -> bool:
    """Send the digest that is due the longest; return whether there was one.

    Its next time is stored before it is sent, so that no other worker sends it too. Its position
    is stored afterwards: a crash in between loses one mail, and the next one has its content.
    Raises Undelivered when no mail gets through; this one is tried again.
    """
    now = context.now()
    with context.db.read() as session:
        digest = next_due_digest(session, now=now)
    if digest is None:
        return False
    with context.db.write() as session:
        is_ours = take_digest(session, digest, next_at=next_digest_at(digest, after=now))
    if is_ours:
        _send(context, digest)
    return True


def _send(context: DeliveryContext, digest: Digest) -> None:
    position, mail = _mail(context, digest)
    try:
        if mail is not None:
            context.carry(mail)
    except Undelivered as error:
        _refused(context, digest, error)
        if error.any_mail:
            raise
        log.warning("digest not sent", reason=str(error), lasting=error.lasting)
        return
    with context.db.write() as session:
        sent_at = None if mail is None else context.now()
        digest_done(session, digest.account_id, position=position, sent_at=sent_at)


def _mail(context: DeliveryContext, digest: Digest) -> tuple[int, Mail | None]:
    """Return the number of a digest's last change, and its mail; None when nothing is new."""
    now = context.now()
    with context.db.read() as session:
        position = newest_change(session)
        filter_ = pushed_filter(session, digest.filter_id)
        followed = followed_sources(session, digest.account, key_id=None, now=now)
        stack = stack_sources(session, digest.account_id, digest.stack)
        content = digest_content(
            session,
            digest,
            NOTHING if filter_ is None or digest.stack else followed,
            up_to=position,
            filter_=filter_ or EVERYTHING,
            releases_of=stack,
        )
        releases = dict(content.releases)
        if digest.filter_id is None:  # a stack follows nothing, and is told what breaks it
            breaking = breaking_releases(session, digest, stack, up_to=position)
            releases = {key: releases.get(key, breaking.get(key, ())) for key in stack}
        upgrades = upgrades_of_entries(session, stack, releases)
        running = {
            key: [RunningPart(it.part.part, it.from_ or None) for it in of_source]
            for key, of_source in stack.items()
        }
        ends = []
        if filter_ is not None:
            ends = digest_ends(session, digest, filter_, running, now=now)
    if not content.total and not upgrades and not ends:
        return position, None
    mail = digest_mail(digest, content, upgrades, ends, site_url=context.site_url, at=now)
    return position, mail


def _refused(context: DeliveryContext, digest: Digest, error: Undelivered) -> None:
    """Schedule another attempt if that can help; end a digest that is refused every time."""
    now = context.now()
    regular = next_digest_at(digest, after=now)
    for_good = error.lasting and not error.any_mail
    soon = regular if for_good else min(now + RETRY_AFTER, regular)
    with context.db.write() as session:
        if for_good and digest.failures + 1 >= GIVEN_UP_AFTER:
            end_digest(session, digest.account_id)
        else:
            digest_failed(session, digest.account_id, for_good=for_good, next_at=soon)
