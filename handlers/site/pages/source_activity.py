"""A year of a source's entries, as its own page and those of its entries draw it."""

from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta

from sqlalchemy.orm import Session

from handlers.site.pages.source_drawings import (
    Picture,
    activity_picture,
    first_week,
    totals_words,
    weeks,
)
from storage.entries.activity import activity, oldest_entry_at, open_spans


@dataclass(frozen=True, slots=True)
class YearOfEntries:
    """The drawing, None where nothing is known, and the kinds that occurred, in words."""

    picture: Picture | None
    totals: list[tuple[str, str]]


def year_of_entries(session: Session, source_id: int, name: str, *, now: datetime) -> YearOfEntries:
    """Return the entries of a source week by week, for the year up to now."""
    today = now.date()
    since = datetime.combine(first_week(today), time(), tzinfo=UTC) - timedelta(microseconds=1)
    days = activity(session, source_id, since=since, until=now)
    oldest = oldest_entry_at(session, source_id)
    if oldest is None:
        return YearOfEntries(None, totals_words(days))
    spans = open_spans(session, source_id)
    year = weeks(days, spans, oldest=oldest.date(), today=today)
    return YearOfEntries(activity_picture(year, f"Entries of {name}"), totals_words(days))
