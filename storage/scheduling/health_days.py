"""The health of a source on each of the last days, as one letter a day. Pure.

A day counts the worst health that a check left the source in. On a day without a check the source
was as before if none was due; else the day is missing. Nothing is known of days before the record.
"""

from collections.abc import Mapping
from datetime import UTC, date, datetime, time, timedelta
from types import MappingProxyType
from typing import Final

from openapi.vocabulary import Health

KEPT_DAYS: Final = 90
MISSING: Final = "-"
BEFORE: Final = " "  # a day before the record begins, of which nothing is known
_ONE_DAY: Final = timedelta(days=1)
_FROM_BEST: Final = "uhodp"
LETTERS: Final[Mapping[Health, str]] = MappingProxyType(
    {
        Health.UNKNOWN: "u",
        Health.HEALTHY: "h",
        Health.OK: "o",
        Health.DEGRADED: "d",
        Health.PROBLEMATIC: "p",
    }
)
HEALTH_OF: Final[Mapping[str, Health]] = MappingProxyType(
    {letter: health for health, letter in LETTERS.items()}
)


def with_check(
    days: str, until: date | None, health: Health, *, now: datetime, due_at: datetime | None
) -> tuple[str, date]:
    """Return the record after a check, and its last day; ``due_at`` is when it had been due."""
    today, letter = now.date(), LETTERS[health]
    if until is None or not days:
        return letter, today
    if today < until:  # the clock was set back
        return days, until
    if today == until:
        return days[:-1] + max(days[-1], letter, key=_FROM_BEST.find), today
    return (_up_to(today - _ONE_DAY, days, until, due_at) + letter)[-KEPT_DAYS:], today


def last_days(
    days: str, until: date | None, due_at: datetime | None = None, *, now: datetime
) -> str:
    """Return the letters of the last 90 days, today last."""
    if until is None or until > now.date():
        return BEFORE * KEPT_DAYS
    return _up_to(now.date(), days, until, due_at)[-KEPT_DAYS:].rjust(KEPT_DAYS, BEFORE)


def _up_to(day: date, days: str, until: date, due_at: datetime | None) -> str:
    """Return the record with its missing days up to a day."""
    absent = min((day - until).days, KEPT_DAYS)
    ended_at = datetime.combine(until + _ONE_DAY, time(), tzinfo=UTC)
    undue = 0 if due_at is None else (due_at - ended_at) // _ONE_DAY
    carried = min(max(undue, 0), absent)
    return days + days[-1:] * carried + MISSING * (absent - carried)
