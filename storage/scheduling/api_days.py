"""How the API did on each of the last days: in which minutes it ran, what it answered.

Server processes add what they have counted once a minute. A minute in which at least one of them
ran counts once. There is one row a day, of the last 90 days.
"""

from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Final

from sqlalchemy import case, delete, select
from sqlalchemy.orm import Session

from storage.engine.statements import insert_into
from storage.models import ApiDay

KEPT_DAYS: Final = 90
MINUTES_A_DAY: Final = 1440


@dataclass(frozen=True, slots=True)
class ApiDayRecord:
    """A day: its first recorded minute, minutes in which the API ran, requests, failed ones."""

    day: date
    first_minute: int
    minutes: int
    requests: int
    failures: int


def add_minute(session: Session, *, requests: int, failures: int, now: datetime) -> None:
    """Record that the API runs in this minute, and what it answered since the last record."""
    minute = now.hour * 60 + now.minute
    upsert = insert_into(session, ApiDay).values(
        day=now.date(),
        first_minute=minute,
        last_minute=minute,
        minutes=1,
        requests=requests,
        failures=failures,
    )
    row, new = ApiDay, upsert.excluded
    later = new.last_minute > row.last_minute
    added = {
        "last_minute": case((later, new.last_minute), else_=row.last_minute),
        "minutes": row.minutes + case((later, 1), else_=0),
        "requests": row.requests + new.requests,
        "failures": row.failures + new.failures,
    }
    session.execute(upsert.on_conflict_do_update(index_elements=[row.day], set_=added))
    session.execute(delete(ApiDay).where(ApiDay.day <= now.date() - timedelta(days=KEPT_DAYS)))


def api_days(session: Session, *, now: datetime) -> list[ApiDayRecord]:
    """Return the recorded days of the last 90, oldest first."""
    query = (
        select(ApiDay.day, ApiDay.first_minute, ApiDay.minutes, ApiDay.requests, ApiDay.failures)
        .where(ApiDay.day > now.date() - timedelta(days=KEPT_DAYS))
        .order_by(ApiDay.day)
    )
    return [ApiDayRecord(*row) for row in session.execute(query)]
