"""Decide what follows from an attempt: delivered, retried, given up, webhook disabled. Pure.

Retries go on for a day with growing pauses (docs/decisions/0040). After several failures in a row
all deliveries to a server pause, and after some days its webhook is disabled.
"""

from datetime import datetime, timedelta
from http import HTTPStatus
from typing import Final

from storage.delivery.deliveries import DAY, Consequence, DueDelivery
from storage.models import DeliveryAttempt
from storage.models.webhooks import DeliveryState, DisabledReason, EventType

FIRST_WAIT: Final = timedelta(seconds=10)
GROWTH: Final = 3
LONGEST_WAIT: Final = timedelta(hours=6)
JITTER: Final = 0.2  # of a wait, either way

CALM_FAILURES: Final = 5  # in a row, before all deliveries to a server pause
FIRST_PAUSE: Final = timedelta(seconds=10)
LONGEST_PAUSE: Final = timedelta(minutes=15)

GIVEN_UP_AFTER: Final = timedelta(days=3)
GIVEN_UP_FAILURES: Final = 20  # in a row: more than one message has


def consequence_of(
    job: DueDelivery, attempt: DeliveryAttempt, *, retry_after: timedelta | None, draw: float
) -> Consequence:
    """Return what follows from an attempt.

    ``retry_after`` is what the server asked for, counted from its answer; ``draw`` is a random
    number in [0, 1).
    """
    if attempt.fault is None:
        return Consequence(DeliveryState.DELIVERED, None, 0, None, None)
    gone = DisabledReason.GONE if attempt.status == HTTPStatus.GONE else None
    if job.event_type is EventType.TEST:  # tells its owner at once, and nothing else
        failures, since = job.failures, job.failing_since
        return Consequence(DeliveryState.DEAD, None, failures, since, None, gone)
    failures, since = job.failures + 1, job.failing_since or attempt.at
    ended_at = attempt.at + timedelta(milliseconds=attempt.duration_ms or 0)
    at = next_attempt(
        job.attempts + 1, job.began_at, now=ended_at, retry_after=retry_after, draw=draw
    )
    given_up = gone or (DisabledReason.FAILING if hopeless(failures, since, attempt.at) else None)
    return Consequence(
        DeliveryState.DEAD if at is None or given_up else DeliveryState.PENDING,
        None if given_up else at,
        failures,
        since,
        paused_until(failures, now=ended_at, retry_after=retry_after),
        given_up,
    )


def backoff(attempts: int, *, draw: float) -> timedelta:
    """Return the wait after a number of attempts, at least one, all of which failed."""
    grown = FIRST_WAIT * int(GROWTH ** min(attempts - 1, 20))
    return min(grown, LONGEST_WAIT) * (1 + JITTER * (2 * draw - 1))


def next_attempt(
    attempts: int,
    began_at: datetime,
    *,
    now: datetime,
    retry_after: timedelta | None = None,
    draw: float = 0.5,
) -> datetime | None:
    """Return when to try again after so many attempts; None when the day would be over.

    Never before the server has asked for it.
    """
    at = now + max(backoff(attempts, draw=draw), retry_after or timedelta())
    return at if at <= began_at + DAY else None


def paused_until(failures: int, *, now: datetime, retry_after: timedelta | None) -> datetime | None:
    """Return until when all deliveries to a server pause; None if they do not."""
    pause = min(retry_after or timedelta(), DAY)
    if failures >= CALM_FAILURES:
        grown = FIRST_PAUSE * 2 ** min(failures - CALM_FAILURES, 20)
        pause = max(pause, min(grown, LONGEST_PAUSE))
    return now + pause if pause else None


def hopeless(failures: int, since: datetime, now: datetime) -> bool:
    """Return True if a server has failed often and long enough to disable its webhook."""
    return failures >= GIVEN_UP_FAILURES and now - since >= GIVEN_UP_AFTER
