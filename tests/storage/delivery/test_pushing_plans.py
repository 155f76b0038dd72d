"""What deliveries, digests and figures ask all day is answered from indexes, on either database."""

from datetime import timedelta

import pytest

from storage.catalog.catalog_stats import catalog_stats
from storage.delivery.deliveries import (
    Consequence,
    any_due,
    any_to_do,
    claim_webhooks,
    next_delivery,
    record_attempt,
    reset_future_deliveries,
    webhooks_ahead,
)
from storage.delivery.delivery_log import (
    attempts_of,
    backlog,
    count_deliveries,
    ended_long_ago,
    forget_deliveries,
    page_deliveries,
    send_again,
)
from storage.delivery.digests import (
    digest_content,
    digests_ahead,
    find_digest_by_token,
    next_due_digest,
    take_digest,
)
from storage.delivery.fanout import learned_at, webhooks_behind
from storage.delivery.webhooks import disable_webhook
from storage.entries.changes import newest_change
from storage.models import (
    DeliveryAttempt,
    Digest,
)
from storage.models.webhooks import DeliveryState, DisabledReason
from storage.scheduling.progress import progress

pytestmark = pytest.mark.slow

OF_ONE_WEBHOOK = ("ix_webhook_deliveries_", "uq_webhook_deliveries_", "sqlite_autoindex_webhook_d")
BY_KEY = ("USING INTEGER PRIMARY KEY (rowid=?)", "pk_webhook_deliveries")
BY_NUMBER = ("sqlite_autoindex_entry_changes", "USING INTEGER PRIMARY KEY", "pk_entry_changes")


def anything_to_do(session, ids, now):
    any_to_do(session, now=now)


def anything_due(session, ids, now):
    any_due(session, now=now)


def a_claim_of_webhooks(session, ids, now):
    claim_webhooks(session, now=now, most=8)


def the_next_message(session, ids, now):
    next_delivery(session, (7, now), now=now)


def how_an_attempt_went(session, ids, now):
    (claim,) = claim_webhooks(session, now=now, most=1)
    job = next_delivery(session, claim, now=now)
    attempt = DeliveryAttempt(at=now, duration_ms=0, status=410, fault="gone", answer=b"")
    end = Consequence(DeliveryState.DEAD, None, 1, now, None, DisabledReason.GONE)
    assert record_attempt(session, claim, job, attempt, end)


def who_is_behind(session, ids, now):
    webhooks_behind(session, newest_change(session), most_waiting=1000)


def when_it_was_learned(session, ids, now):
    learned_at(session, range(1, 500))


def the_log_of_a_webhook(session, ids, now):
    page_deliveries(session, 7, limit=50)


def the_attempts_of_a_message(session, ids, now):
    attempts_of(session, 7)


def how_many_are_dead(session, ids, now):
    count_deliveries(session, 7, DeliveryState.DEAD)


def sending_dead_letters_again(session, ids, now):
    send_again(session, 7, None, now=now)


def switching_a_webhook_off(session, ids, now):
    disable_webhook(session, 7, DisabledReason.OWNER, now=now)


def what_all_have_before_them(session, ids, now):
    backlog(session, now=now)


def what_ended_long_ago(session, ids, now):
    ended_long_ago(session, now=now, most=500)


def forgetting(session, ids, now):
    forget_deliveries(session, range(1, 500))


def the_digest_that_is_due(session, ids, now):
    digest = next_due_digest(session, now=now)
    assert take_digest(session, digest, next_at=now + timedelta(days=1))


def what_a_clock_that_was_ahead_has_planned(session, ids, now):
    digests_ahead(session, now=now)
    webhooks_ahead(session, now=now)
    reset_future_deliveries(session, [7], now=now)


def the_digest_of_a_link(session, ids, now):
    find_digest_by_token(session, "token 7")


def what_a_digest_is_about(session, ids, now):
    newest = newest_change(session)
    digest = Digest(position=newest - 500, only_important=False)
    digest_content(session, digest, ids[:3], up_to=newest)
    digest_content(session, digest, None, up_to=newest)


def how_ingestion_is_doing(session, ids, now):
    progress(session, now=now)
    catalog_stats(session)


@pytest.mark.parametrize(
    ("question", "indexes"),
    [
        (anything_to_do, OF_ONE_WEBHOOK),
        (anything_due, OF_ONE_WEBHOOK),
        (a_claim_of_webhooks, OF_ONE_WEBHOOK),
        (the_next_message, ("ix_webhook_deliveries_due",)),
        (how_an_attempt_went, BY_KEY),
        (who_is_behind, ("ix_webhook_deliveries_due",)),
        (when_it_was_learned, BY_NUMBER),
        (the_log_of_a_webhook, OF_ONE_WEBHOOK),
        (the_attempts_of_a_message, ("ix_webhook_attempts_delivery_id",)),
        (how_many_are_dead, ("ix_webhook_deliveries_state",)),
        (sending_dead_letters_again, OF_ONE_WEBHOOK),
        (switching_a_webhook_off, ("ix_webhook_deliveries_due",)),
        (what_all_have_before_them, ("ix_webhook_deliveries_ended_at",)),
        (what_ended_long_ago, ("ix_webhook_deliveries_ended_at",)),
        (forgetting, BY_KEY),
        (the_digest_that_is_due, ("ix_digests_next_at",)),
        (what_a_clock_that_was_ahead_has_planned, OF_ONE_WEBHOOK),
        (the_digest_of_a_link, ("sqlite_autoindex_digests", "uq_digests_token")),
        (what_a_digest_is_about, BY_NUMBER),
        (how_ingestion_is_doing, ("",)),
    ],
)
def test_it_is_answered_from_an_index(busy, explained, scanned, now, question, indexes):
    _, ids = busy

    plan = explained(lambda session: question(session, ids, now))

    assert plan
    assert any(index in plan for index in indexes), plan
    assert not scanned(plan), plan
