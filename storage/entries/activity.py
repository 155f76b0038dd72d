"""How much a source published, day by day, and of what kind."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, Final

from sqlalchemy import BigInteger, bindparam, func, select
from sqlalchemy.orm import Session

from openapi.vocabulary import Category
from storage.engine.statements import PreparedQuery
from storage.engine.types import AnySelect
from storage.entries.categories import categories_of
from storage.models import Entry, Gap


@dataclass(frozen=True, slots=True)
class DayOfEntries:
    """Entries of a day that are important for the same categories; none of them for most."""

    day: date
    categories: frozenset[Category]
    count: int


@dataclass(frozen=True, slots=True)
class OpenSpan:
    """A time from which entries may be missing."""

    after: datetime
    before: datetime


_SPAN: Final = (
    Entry.source_id == bindparam("source_id", type_=BigInteger),
    Entry.listed,
    Entry.published_at > bindparam("since"),
    Entry.published_at <= bindparam("until"),
)
_DAY_OF: Final[dict[str, Any]] = {
    "sqlite": func.substr(Entry.published_at, 1, 10),
    "postgresql": func.to_char(func.timezone("UTC", Entry.published_at), "YYYY-MM-DD"),
}


def _by_day(dialect: str, *, important: bool) -> PreparedQuery:
    """Return a query that an index answers, whatever the entries hold."""
    day = _DAY_OF[dialect].label("day")
    if important:
        query: AnySelect = select(day, Entry.categories, func.count()).where(*_SPAN)
        query = query.where(Entry.important).group_by(day, Entry.categories)
    else:
        query = select(day, func.count()).where(*_SPAN).group_by(day)
    return PreparedQuery(query.order_by(day))


_ALL: Final = {dialect: _by_day(dialect, important=False) for dialect in _DAY_OF}
_IMPORTANT: Final = {dialect: _by_day(dialect, important=True) for dialect in _DAY_OF}
_OLDEST: Final = PreparedQuery(
    select(func.min(Entry.published_at)).where(
        Entry.source_id == bindparam("source_id", type_=BigInteger), Entry.listed
    )
)


def activity(
    session: Session, source_id: int, *, since: datetime, until: datetime
) -> list[DayOfEntries]:
    """Count the dated entries of a source by day and by why they are important, oldest first."""
    dialect = session.get_bind().dialect.name
    values = {"source_id": source_id, "since": since, "until": until}
    important = [
        DayOfEntries(date.fromisoformat(day), categories_of(bits), count)
        for day, bits, count in _IMPORTANT[dialect].rows(session, values)
    ]
    others = Counter({date.fromisoformat(day): n for day, n in _ALL[dialect].rows(session, values)})
    for of_day in important:
        others[of_day.day] -= of_day.count
    plain = (DayOfEntries(day, frozenset(), count) for day, count in others.items() if count > 0)
    return sorted([*important, *plain], key=lambda of_day: of_day.day)


def oldest_entry_at(session: Session, source_id: int) -> datetime | None:
    """Return the time of the oldest dated entry of a source, None without any."""
    oldest: datetime | None = _OLDEST.value(session, {"source_id": source_id})
    return oldest


def open_spans(session: Session, source_id: int) -> list[OpenSpan]:
    """Return the times of a source in which entries may be missing, oldest first."""
    query = (
        select(Gap.after_at, Gap.before_at)
        .where(Gap.source_id == source_id, Gap.closed_at.is_(None))
        .order_by(Gap.id)
    )
    return [OpenSpan(*sorted(row)) for row in session.execute(query)]


def counted(days: Iterable[DayOfEntries], category: Category | None = None) -> int:
    """Return how many entries there are on some days; those of a category, if one is named."""
    return sum(day.count for day in days if category is None or category in day.categories)
