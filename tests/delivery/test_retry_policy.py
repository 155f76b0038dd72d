"""What follows from an attempt: laws of the pauses, and the table of the rest."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from delivery.retry_policy import (
    DAY,
    GIVEN_UP_AFTER,
    GIVEN_UP_FAILURES,
    JITTER,
    LONGEST_PAUSE,
    LONGEST_WAIT,
    backoff,
    consequence_of,
    next_attempt,
    paused_until,
)
from storage.delivery.deliveries import DueDelivery
from storage.models import DeliveryAttempt
from storage.models.webhooks import DeliveryState, DisabledReason, EventType

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
draws = st.floats(0, 1, exclude_max=True)
counts = st.integers(1, 200)


def job(**changes):
    facts = {
        "delivery_id": 1,
        "webhook": "0A1b2C3d4E5f",
        "url": "https://acme.example/",
        "secrets": ("whsec_AAAA",),
        "message_id": "evt_1",
        "event_type": EventType.PUBLISHED,
        "occurred_at": NOW,
        "began_at": NOW,
        "attempts": 0,
        "failures": 0,
        "failing_since": None,
        "document": b"{}",
    }
    return DueDelivery(**(facts | changes))


def attempt(status=None, fault="The response was 500.", at=NOW):
    return DeliveryAttempt(at=at, status=status, fault=fault)


def decide(job=None, attempt=None, *, retry_after=None, draw=0.5):
    return consequence_of(job, attempt, retry_after=retry_after, draw=draw)


@given(counts, draws)
def test_a_wait_is_near_its_nominal_length(attempts, draw):
    nominal = backoff(attempts, draw=0.5)

    assert abs(backoff(attempts, draw=draw) - nominal) <= nominal * JITTER
    assert timedelta(seconds=8) <= backoff(attempts, draw=draw) <= LONGEST_WAIT * (1 + JITTER)


@given(st.lists(draws, min_size=60, max_size=60))
def test_attempts_go_on_for_most_of_a_day_and_no_longer(chances):
    at, attempts = NOW, 0
    for draw in chances:
        attempts += 1
        again = next_attempt(attempts, NOW, now=at, draw=draw)
        if again is None:
            break
        assert again > at
        at = again

    assert again is None
    assert DAY - LONGEST_WAIT * (1 + JITTER) <= at - NOW <= DAY
    assert 9 <= attempts <= 14


@given(counts, draws, st.timedeltas(timedelta(), timedelta(days=31)))
def test_nothing_is_sent_before_a_server_asked_for_it(attempts, draw, retry_after):
    at = next_attempt(attempts, NOW, now=NOW, retry_after=retry_after, draw=draw)

    assert at is None or NOW + retry_after <= at <= NOW + DAY


@given(counts, st.none() | st.timedeltas(timedelta(), timedelta(days=31)))
def test_a_server_is_left_alone_for_as_long_as_it_asked_and_not_for_ever(failures, retry_after):
    until = paused_until(failures, now=NOW, retry_after=retry_after)

    pause = timedelta() if until is None else until - NOW
    assert pause >= min(retry_after or timedelta(), DAY)
    assert pause <= max(LONGEST_PAUSE, min(retry_after or timedelta(), DAY))


DEAD, PENDING, DELIVERED = DeliveryState.DEAD, DeliveryState.PENDING, DeliveryState.DELIVERED
LONG_AGO = NOW - GIVEN_UP_AFTER


@pytest.mark.parametrize(
    ("before", "result", "after"),
    [
        ({"failures": 30, "failing_since": LONG_AGO}, (204, None), (DELIVERED, None, 0, None)),
        ({}, (500, "no"), (PENDING, NOW + timedelta(seconds=10), 1, NOW)),
        ({"began_at": NOW - DAY, "attempts": 11}, (500, "no"), (DEAD, None, 1, NOW)),
        (
            {"event_type": EventType.TEST, "failures": 9, "failing_since": NOW},
            (500, "no"),
            (DEAD, None, 9, NOW),
        ),
    ],
    ids=["taken", "a first failure", "failing for a day", "a test"],
)
def test_a_result_decides_what_follows(before, result, after):
    found = decide(job(**before), attempt(*result))

    assert (found.state, found.next_attempt_at, found.failures, found.failing_since) == after
    assert (found.paused_until, found.disable) == (None, None)


@pytest.mark.parametrize(
    ("failures", "days", "reason"),
    [
        (GIVEN_UP_FAILURES - 1, 3, DisabledReason.FAILING),
        (GIVEN_UP_FAILURES - 2, 3, None),
        (GIVEN_UP_FAILURES, 2.9, None),
        (500, 0.5, None),
        (5, 300, None),
    ],
)
def test_a_server_is_given_up_after_many_failures_over_days(failures, days, reason):
    since = NOW - timedelta(days=days)

    consequence = decide(job(failures=failures, failing_since=since), attempt())

    assert consequence.disable is reason
    assert (consequence.state is DeliveryState.DEAD) == (reason is not None)


def test_a_wait_counts_from_the_answer():
    slow = attempt()
    slow.duration_ms = 15_000

    found = decide(job(), slow, retry_after=timedelta(minutes=1))

    assert found.next_attempt_at == NOW + timedelta(seconds=75)
    assert found.paused_until == NOW + timedelta(seconds=75)
