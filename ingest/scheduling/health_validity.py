"""Until when a verdict on health holds, as long as the facts stay: time alone changes it too. Pure.

``health`` compares ages with limits and writes ages into messages. Between two moments at
which one of them comes to a limit or to another word, it says the same. Who keeps a verdict asks
here how long; too early a moment costs a judgement, one that is too late would be a lie.
"""

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Final

from ingest.scheduling.health import (
    LATE,
    LATE_GRACE,
    LOST,
    QUIET,
    UNATTENDED,
    HealthFacts,
    Verdict,
)

FOR_EVER: Final = timedelta(days=1)  # long enough not to matter, and no sum leaves the calendar
_MINUTE, _HOUR, _DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)


def steady_until(facts: HealthFacts, verdict: Verdict, *, now: datetime) -> datetime:
    """Return a moment up to which, and without it, ``judge`` finds the same state and message.

    It is ``now`` itself where nothing is certain.
    """
    moments = [*_limits(facts), *_words(facts, verdict, now), now + FOR_EVER]
    return min(each for each in moments if each >= now)


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


def _words(facts: HealthFacts, verdict: Verdict, now: datetime) -> Iterator[datetime]:
    """Yield when an age in the message is told by another number (``messages.duration``)."""
    if verdict.message is None:
        return
    for since in (facts.last_success_at, facts.first_attempt_at, facts.newest_published_at):
        if since is not None:
            age = now - since
            unit = _DAY if age >= 2 * _DAY else _HOUR if age >= 2 * _HOUR else _MINUTE
            yield since + (age // unit + 1) * unit
