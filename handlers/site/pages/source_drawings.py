"""What the drawings of a source show: a year of activity and 90 days of health."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Final, NamedTuple, TypeAlias

from sqlalchemy.orm import Session

from handlers.site.words import day as day_words
from handlers.site.words import number
from openapi.text import counted as counted_words
from openapi.vocabulary import Category, Health
from storage.entries.activity import DayOfEntries, activity, counted, oldest_entry_at, open_spans
from storage.scheduling.health_days import HEALTH_OF

WEEKS: Final = 53
WEEK: Final = timedelta(days=7)
OTHER: Final = "other"
DRAWN_FIRST: Final = (Category.BREAKING, Category.SECURITY, Category.DEPRECATION)
"""An entry of several categories is drawn once, as the first of these."""
_HEALTHS: Final = {
    Health.HEALTHY: ("healthy", 1.0),
    Health.OK: ("OK", 0.8),
    Health.DEGRADED: ("degraded", 0.55),
    Health.PROBLEMATIC: ("problematic", 0.3),
    Health.UNKNOWN: ("not read", None),
}
"""The words and the height of a day."""
Span: TypeAlias = tuple[datetime, datetime]
"""From when until when entries may be missing."""


class DayBar(NamedTuple):
    """A day as a bar: words, class and share of 1, None where nothing is recorded."""

    day: date
    words: str
    kind: str
    share: float | None


@dataclass(frozen=True, slots=True)
class Week:
    """A week from a Monday on: its entries by kind, and whether some may be missing."""

    first: date
    parts: dict[str, int]
    missing: str = ""

    @property
    def total(self) -> int:
        """Return how many entries it has."""
        return sum(self.parts.values())


@dataclass(frozen=True, slots=True)
class Year:
    """A year of entries: its weeks, a sentence about them, and the kinds that occurred."""

    weeks: list[Week]
    sentence: str
    totals: list[tuple[str, str]]


def first_week(today: date) -> date:
    """Return the Monday with which the year of activity begins."""
    return today - timedelta(days=today.weekday()) - (WEEKS - 1) * WEEK


def weeks(
    days: Sequence[DayOfEntries], spans: Sequence[Span], *, oldest: date, today: date
) -> list[Week]:
    """Return the weeks of the year up to today; none before the first entry is known."""
    first = first_week(today)
    parts = [Counter[str]() for _ in range(WEEKS)]
    for of_day in days:
        place = (of_day.day - first) // WEEK
        if 0 <= place < WEEKS:
            drawn = (kind for kind in DRAWN_FIRST if kind in of_day.categories)
            parts[place][next(drawn, OTHER)] += of_day.count
    counted_kinds = ({kind: counts[kind] for kind in (*DRAWN_FIRST, OTHER)} for counts in parts)
    mondays = [first + place * WEEK for place in range(WEEKS)]
    missing = [_missing(monday, spans, oldest) for monday in mondays]
    return list(map(Week, mondays, counted_kinds, missing))


def _missing(monday: date, spans: Sequence[Span], oldest: date) -> str:
    end = monday + WEEK
    if end <= oldest:
        return "no data"
    is_open = any(after.date() < end and before.date() >= monday for after, before in spans)
    return "entries may be missing" if is_open else ""


def health_bars(letters: str, *, today: date) -> list[DayBar]:
    """Return the health of each of the last days."""
    first = today - timedelta(days=len(letters) - 1)
    bars = []
    for place, letter in enumerate(letters):
        health = HEALTH_OF.get(letter)
        said, height = ("no record", None) if health is None else _HEALTHS[health]
        kind = (health or Health.UNKNOWN).value
        bars.append(DayBar(first + timedelta(days=place), said, kind, height))
    return bars


def health_sentence(bars: Sequence[DayBar]) -> str:
    """Return on how many days a source had which health."""
    counts = Counter(bar.words for bar in bars)
    listed = ", ".join(f"{words} on {count}" for words, count in counts.most_common())
    return f"Health over the last {len(bars)} days: {listed}."


def cadence_words(gap: timedelta | None) -> str:
    """Return how often a source publishes; nothing where that is not known."""
    if gap is None or gap <= timedelta():
        return ""
    hours = gap / timedelta(hours=1)
    if hours < 48:
        rounded = max(round(hours), 1)
        return "about every hour" if rounded == 1 else f"every {rounded} hours"
    days = hours / 24
    return f"every {days:.1f} days".replace(".0 ", " ") if days < 10 else f"every {days:.0f} days"


def totals_words(days: Sequence[DayOfEntries]) -> list[tuple[str, str]]:
    """Return the kinds that occurred in a year, each with its number in words."""
    totals = [(OTHER, counted_words(counted(days), "entry", "entries") + " in 12 months")]
    for kind, many in zip(DRAWN_FIRST, ("breaking", "security", "deprecations"), strict=True):
        if count := counted(days, kind):
            totals.append((kind.value, f"{number(count)} {kind.value if count == 1 else many}"))
    return totals


def year_of_entries(session: Session, source_id: int, *, now: datetime) -> Year | None:
    """Return a year of a source's entries week by week; None where nothing is known."""
    oldest = oldest_entry_at(session, source_id)
    if oldest is None:
        return None
    today = now.date()
    since = datetime.combine(first_week(today), time(), tzinfo=UTC) - timedelta(microseconds=1)
    days = activity(session, source_id, since=since, until=now)
    year = weeks(days, open_spans(session, source_id), oldest=oldest.date(), today=today)
    return Year(year, _sentence(year), totals_words(days))


def _sentence(year: Sequence[Week]) -> str:
    total = sum(week.total for week in year)
    busiest = max(year, key=lambda week: week.total)
    gaps = sum(bool(week.missing) for week in year)
    sentence = f"{counted_words(total, 'entry', 'entries')} in the past year"
    if total:
        sentence += f", most in the week of {day_words(busiest.first)} ({number(busiest.total)})"
    return f"{sentence}; {counted_words(gaps, 'week')} incomplete." if gaps else f"{sentence}."
