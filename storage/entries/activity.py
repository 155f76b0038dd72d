"""How much a source published, day by day, and of what kind."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from openapi.vocabulary import Category
from storage.engine.statements import is_sqlite
from storage.entries.documents import categories_of
from storage.models import Entry, Gap


@dataclass(frozen=True, slots=True)
class DayOfEntries:
    """Entries of a day that are important for the same categories; none of them for most."""

    day: date
    categories: frozenset[Category]
    count: int


def activity(
    session: Session, source_id: int, *, since: datetime, until: datetime
) -> list[DayOfEntries]:
    """Count the dated entries of a source by day and by why they are important, oldest first."""
    day = _day(session).label("day")
    dated = select(day, func.count()).where(
        Entry.source_id == source_id,
        Entry.listed,
        Entry.published_at > since,
        Entry.published_at <= until,
    )
    why = dated.add_columns(Entry.categories).where(Entry.important)
    important = [
        DayOfEntries(date.fromisoformat(day), categories_of(bits), count)
        for day, count, bits in session.execute(why.group_by(day, Entry.categories).order_by(day))
    ]
    every = session.execute(dated.group_by(day).order_by(day))
    others = Counter({date.fromisoformat(day): count for day, count in every})
    for of_day in important:
        others[of_day.day] -= of_day.count
    plain = (DayOfEntries(day, frozenset(), count) for day, count in others.items() if count > 0)
    return sorted([*important, *plain], key=lambda of_day: of_day.day)


def _day(session: Session) -> Any:
    """Return the day of an entry in UTC, as an index has it."""
    if is_sqlite(session):
        return func.substr(Entry.published_at, 1, 10)
    return func.to_char(func.timezone("UTC", Entry.published_at), "YYYY-MM-DD")


def oldest_entry_at(session: Session, source_id: int) -> datetime | None:
    """Return the time of the oldest dated entry of a source, None without any."""
    query = select(func.min(Entry.published_at))
    return session.scalar(query.where(Entry.source_id == source_id, Entry.listed))


def open_spans(session: Session, source_id: int) -> list[tuple[datetime, datetime]]:
    """Return from when until when entries of a source may be missing, oldest first."""
    query = (
        select(Gap.after_at, Gap.before_at)
        .where(Gap.source_id == source_id, Gap.closed_at.is_(None))
        .order_by(Gap.id)
    )
    return [(min(row), max(row)) for row in session.execute(query)]


def counted(days: Iterable[DayOfEntries], category: Category | None = None) -> int:
    """Return how many entries there are on some days; those of a category, if one is named."""
    return sum(day.count for day in days if category is None or category in day.categories)
