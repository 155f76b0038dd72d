"""The time until which a health verdict stays valid while the facts do not change. Pure.

``health`` compares ages with limits and writes ages into messages. A cached verdict is valid until
one of the ages reaches a limit or another number in a message.
"""

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Final

from ingest.scheduling.health import LATE, LATE_GRACE, LOST, QUIET, UNATTENDED, HealthFacts, Verdict

FOR_EVER: Final = timedelta(days=1)  # long enough, and no sum leaves the calendar
_MINUTE, _HOUR, _DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)


def valid_until(facts: HealthFacts, verdict: Verdict, *, now: datetime) -> datetime:
    """Return the moment before which ``judge`` returns the same state and message.

    It is ``now`` itself where nothing is certain.
    """
    moments = [*_limits(facts), *_message_changes(facts, verdict, now), now + FOR_EVER]
    return min(moment for moment in moments if moment >= now)


def _limits(facts: HealthFacts) -> Iterator[datetime]:
    """Yield when an age passes a limit."""
    if facts.last_attempt_at is not None:
        yield facts.last_attempt_at + UNATTENDED
    read_at = facts.last_success_at or facts.first_attempt_at
    if read_at is not None:
        yield read_at + LOST
    if facts.last_success_at is not None:
        yield facts.last_success_at + max(LATE, 2 * facts.interval + LATE_GRACE)
    if facts.newest_published_at is not None:
        yield facts.newest_published_at + max(QUIET, 3 * (facts.median_gap or timedelta()))


def _message_changes(facts: HealthFacts, verdict: Verdict, now: datetime) -> Iterator[datetime]:
    """Yield when an age in the message becomes another number (``messages.duration``)."""
    if verdict.message is None:
        return
    for since in (facts.last_success_at, facts.first_attempt_at, facts.newest_published_at):
        if since is not None:
            age = now - since
            unit = _DAY if age >= 2 * _DAY else _HOUR if age >= 2 * _HOUR else _MINUTE
            yield since + (age // unit + 1) * unit
