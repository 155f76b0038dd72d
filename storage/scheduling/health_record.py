"""The stored health of sources over the last days; ``health_days`` says what it means."""

from datetime import datetime
from typing import Final

from sqlalchemy import select
from sqlalchemy.orm import Session

from storage.models import FetchFacts
from storage.scheduling.health_days import last_days

_RECORD: Final = select(
    FetchFacts.health_days, FetchFacts.health_days_until, FetchFacts.next_check_at
)


def health_of_days(session: Session, source_id: int, *, now: datetime) -> str:
    """Return the letters of the last 90 days of a source, today last."""
    row = session.execute(_RECORD.where(FetchFacts.source_id == source_id)).one_or_none()
    return last_days("", None, now=now) if row is None else last_days(*row, now=now)


def health_of_all_days(session: Session, *, now: datetime) -> list[str]:
    """Return the letters of the last 90 days of each source that was ever checked."""
    query = _RECORD.where(FetchFacts.health_days_until.is_not(None))
    return [last_days(*row, now=now) for row in session.execute(query)]
