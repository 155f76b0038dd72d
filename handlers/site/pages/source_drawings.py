"""Drawings for the page of a source: a year of activity and 90 days of health."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from itertools import repeat
from typing import Final, TypeAlias

from sqlalchemy.orm import Session

from handlers.site.drawings import Drawing, bars, strip
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
NO_RECORD: Final = "no record"


@dataclass(frozen=True, slots=True)
class Picture:
    """A drawing with its sentence and its numbers: the heads and the rows of a table.

    ``hatched`` tells whether any of it is, which wants a word.
    """

    drawing: Drawing
    sentence: str
    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    hatched: bool = False


@dataclass(frozen=True, slots=True)
class Week:
    """A week from a Monday on: its entries by kind, and whether some may be missing."""

    first: date
    parts: dict[str, int]
    missing: str = ""


def first_week(today: date) -> date:
    """Return the Monday with which the year of activity begins."""
    return today - timedelta(days=today.weekday()) - (WEEKS - 1) * WEEK


def weeks(
    days: Sequence[DayOfEntries], spans: Sequence[Span], *, oldest: date | None, today: date
) -> list[Week]:
    """Return the weeks of the year up to today; none before the first entry is known."""
    first = first_week(today)
    parts = [Counter[str]() for _ in range(WEEKS)]
    for of_day in days:
        place = (of_day.day - first) // WEEK
        if 0 <= place < WEEKS:
            parts[place][kind_of(of_day.categories)] += of_day.count
    return [
        Week(
            monday,
            {kind: counts[kind] for kind in (*DRAWN_FIRST, OTHER)},
            _missing(monday, spans, oldest),
        )
        for monday, counts in ((first + place * WEEK, parts[place]) for place in range(WEEKS))
    ]


def kind_of(categories: Iterable[Category]) -> str:
    """Return the kind as which an entry is drawn."""
    return next((kind for kind in DRAWN_FIRST if kind in categories), OTHER)


def _missing(monday: date, spans: Sequence[Span], oldest: date | None) -> str:
    end = monday + WEEK
    if oldest is None or end <= oldest:
        return "nothing is known from then"
    is_open = any(after.date() < end and before.date() >= monday for after, before in spans)
    return "entries may be missing" if is_open else ""


def activity_picture(year: Sequence[Week], name: str) -> Picture:
    """Draw a year of weeks."""
    columns = [(_week_title(week), week.parts, bool(week.missing)) for week in year]
    labels = {
        place: f"{week.first:%b}" if week.first.month > 1 else str(week.first.year)
        for place, week in enumerate(year)
        if week.first.day <= 7
    }
    total = sum(sum(week.parts.values()) for week in year)
    busiest = max(year, key=lambda week: sum(week.parts.values()))
    gaps = sum(bool(week.missing) for week in year)
    sentence = f"{name}, week by week for a year: {counted_words(total, 'entry', 'entries')}"
    if total:
        sentence += f", most in the week of {day_words(busiest.first)}"
        sentence += f" ({number(sum(busiest.parts.values()))})"
    if gaps:
        sentence += f"; {counted_words(gaps, 'week', 'weeks')} incomplete"
    heads = ("Week of", "Breaking", "Security", "Deprecation", "Other", "Known")
    rows = tuple(
        (day_words(week.first), *map(str, week.parts.values()), week.missing or "yes")
        for week in reversed(year)
    )
    return Picture(strip(columns, labels), f"{sentence}.", heads, rows, bool(gaps))


def _week_title(week: Week) -> str:
    counts = ", ".join(f"{count} {kind}" for kind, count in week.parts.items() if count)
    known = f"{counts or 'no entries'}{'; ' + week.missing if week.missing else ''}"
    return f"Week of {day_words(week.first)}: {known}"


def health_picture(letters: str, *, today: date) -> Picture:
    """Draw a day's health as a bar each; a day without a reading is hatched."""
    first = today - timedelta(days=len(letters) - 1)
    states = []
    for place, letter in enumerate(letters):
        health = HEALTH_OF.get(letter)
        said, height = (NO_RECORD, None) if health is None else _HEALTHS[health]
        states.append(
            (first + timedelta(days=place), said, (health or Health.UNKNOWN).value, height)
        )
    counts = Counter(said for _, said, _, _ in states)
    listed = ", ".join(f"{words} on {count}" for words, count in counts.most_common())
    sentence = f"Health over the last {len(letters)} days: {listed}."
    return days_picture(states, sentence, ("Day", "Health"))


def days_picture(
    days: Sequence[tuple[date, str, str, float | None]],
    sentence: str,
    heads: tuple[str, ...],
    cells: Iterable[tuple[str, ...]] | None = None,
) -> Picture:
    """Draw a bar a day, up to today, from its words, kind and share; ``cells`` end its row."""
    states = [(f"{day_words(day)}: {said}", kind, share) for day, said, kind, share in days]
    rows = [
        (day_words(day), said, *more)
        for (day, said, *_), more in zip(days, cells or repeat(()), strict=False)
    ]
    drawing = bars(states, day_words(days[0][0]), "today")
    hatched = any(said == NO_RECORD for _, said, *_ in days)
    return Picture(drawing, sentence, heads, tuple(reversed(rows)), hatched)


def cadence_words(gap: timedelta | None) -> str:
    """Say how often a source publishes; nothing where that is not known."""
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
    for kind, one, many in (
        (Category.BREAKING, "breaking", "breaking"),
        (Category.SECURITY, "security", "security"),
        (Category.DEPRECATION, "deprecation", "deprecations"),
    ):
        count = counted(days, kind)
        if count:
            totals.append((kind.value, f"{number(count)} {one if count == 1 else many}"))
    return totals


def year_of_entries(
    session: Session, source_id: int, name: str, *, now: datetime
) -> tuple[Picture | None, list[tuple[str, str]]]:
    """Return a year of a source's entries, drawn week by week, and the kinds that occurred.

    The drawing is None where nothing is known; the kinds are in words.
    """
    today = now.date()
    since = datetime.combine(first_week(today), time(), tzinfo=UTC) - timedelta(microseconds=1)
    days = activity(session, source_id, since=since, until=now)
    oldest = oldest_entry_at(session, source_id)
    if oldest is None:
        return None, totals_words(days)
    spans = open_spans(session, source_id)
    year = weeks(days, spans, oldest=oldest.date(), today=today)
    return activity_picture(year, f"Entries of {name}"), totals_words(days)
