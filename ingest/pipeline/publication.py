"""When an entry was published, and whether it is news (docs/decisions/0016). Pure.

What the first reading of a source brings is its history, not news. An entry without a date of its
own gets one where it can be concluded, and is never given a made-up one.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final
from urllib.parse import unquote, urlsplit

from changelog_reader.adapters.base import ParsedEntry
from storage.entries.documents import FUTURE_TOLERANCE

RECENT: Final = timedelta(days=7)
"""How old an entry of a first reading may be to be announced."""
EARLIEST: Final = datetime(1995, 1, 1, tzinfo=UTC)
"""The first day that is believed where a date is concluded."""

_NEAR: Final = timedelta(days=31)  # between the two neighbours that an entry is dated by
_STEP: Final = timedelta(milliseconds=1)  # between entries dated by the same neighbour
_DAY_IN_PATH: Final = re.compile(
    r"(?<![0-9])(?P<year>(?:19|20)[0-9]{2})(?P<mark>[-/])(?P<month>0?[1-9]|1[0-2])(?P=mark)"
    r"(?P<day>0?[1-9]|[12][0-9]|3[01])(?![0-9])"
)
ConcludedDate = tuple[datetime, str]
"""A date that an entry does not give itself, and what it was concluded from."""
UNDATED: Final = "undated"
"""The date source of history without a date: ``published_at`` is when it was first seen."""
FIRST_SEEN: Final = "first_seen"
"""The date source of news without a date, which is dated by the moment it turned up."""


@dataclass(frozen=True, slots=True)
class Reading:
    """When a document was read, and whether it is the first reading of its source.

    ``is_first``: its source was never read before, or by other rules, which may show old entries.
    """

    at: datetime
    is_first: bool


def is_announced(published_at: datetime, date_source: str, reading: Reading) -> bool:
    """Return whether to notify of a new entry; in a first reading, of recent ones only."""
    if not reading.is_first:
        return True
    is_recent = reading.at - RECENT <= published_at <= reading.at + FUTURE_TOLERANCE
    return date_source != UNDATED and is_recent


def undated_source(reading: Reading) -> str:
    """Return the date source of a new entry that no date can be concluded for."""
    return UNDATED if reading.is_first else FIRST_SEEN


def conclude_dates(
    entries: Sequence[ParsedEntry], reading: Reading, *, history: Collection[int] = ()
) -> dict[int, ConcludedDate]:
    """Return the dates that can be concluded for undated entries, by their places.

    An address that names a day dates its entry. Between two dated neighbours in the order of the
    document, not more than a month apart, an entry that is no news is as old as the older one: one
    of a first reading, or of the ``history`` that is stored without a date.
    """
    undated = [place for place, entry in enumerate(entries) if entry.published_at is None]
    if not undated:
        return {}
    dates = {
        place: (at, "posting")
        for place in undated
        if (at := day_in_address(entries[place].url, latest=reading.at)) is not None
    }
    old = undated if reading.is_first else history
    if not old:
        return dates
    known = [
        dates[place][0] if place in dates else entry.published_at
        for place, entry in enumerate(entries)
    ]
    beside = _by_neighbours(known)
    return {place: beside[place] for place in old if place in beside} | dates


def day_in_address(url: str | None, *, latest: datetime) -> datetime | None:
    """Return the one day that the path or fragment of an address names; not one after ``latest``.

    A month alone, as in ``/2024/05/``, is no day. Of several days none is taken.
    """
    if url is None:
        return None
    try:
        parts = urlsplit(url)
    except ValueError:
        return None
    text = unquote(f"{parts.path}#{parts.fragment}")
    days = {_day(match) for match in _DAY_IN_PATH.finditer(text)}
    day = days.pop() if len(days) == 1 else None
    return day if day is not None and EARLIEST <= day <= latest + FUTURE_TOLERANCE else None


def _day(match: re.Match[str]) -> datetime | None:
    try:
        return datetime(int(match["year"]), int(match["month"]), int(match["day"]), tzinfo=UTC)
    except ValueError:
        return None


def _by_neighbours(dates: Sequence[datetime | None]) -> Mapping[int, ConcludedDate]:
    """Return the dates of undated entries between dated ones that follow each other closely.

    Each is a millisecond newer than the one below it, so that the vendor's order is kept.
    """
    above, below = _carried(dates), _carried(dates[::-1])[::-1]
    concluded: dict[int, ConcludedDate] = {}
    falls = _is_newest_first(dates)
    steps = 0
    places = range(len(dates))
    for place in reversed(places) if falls else places:
        if dates[place] is not None:
            steps = 0
            continue
        newer, older = (above, below) if falls else (below, above)
        first, last = older[place], newer[place]
        if first is not None and last is not None and first <= last <= first + _NEAR:
            steps += 1
            concluded[place] = first + steps * _STEP, "neighbour"
    return concluded


def _carried(dates: Sequence[datetime | None]) -> list[datetime | None]:
    """Return for every place the last date up to there."""
    carried: list[datetime | None] = []
    last = None
    for date in dates:
        last = date or last
        carried.append(last)
    return carried


def _is_newest_first(dates: Sequence[datetime | None]) -> bool:
    known = [date for date in dates if date is not None]
    return not known or known[0] >= known[-1]
