"""Dates as people write them on pages.

``find_date`` reads the first date of a short text in any of the languages of languages.py, and
numeric dates in either order. A month alone is its first day, a week its first day, a quarter
its first day; every reading is midnight UTC, since pages rarely say which zone they mean.

Which of 11/12/2026 is the month is settled for a whole page: by its other numeric dates where
one of them allows a single reading, else by the order that keeps the dates of the page sorted,
newest first, else the month comes first only where the page's language is en-US.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from itertools import pairwise

from changelog_reader.adapters.html.words import DATE_COMPANIONS, is_not_publication, month_numbers
from changelog_reader.content.dates import parse_timestamp
from changelog_reader.content.languages import MONTHS, weekdays

LONGEST_TEXT = 300  # characters in which a date is looked for; longer texts are prose
_YEAR = r"(?P<year>(?:19|20)\d\d)"
_DAY = r"(?P<day>\d{1,2})"
_ORDINAL = r"(?:st|nd|rd|th|er|ère|º|ª|\.)?"
_RANGE = r"(?:\s*[-–—]\s*\d{1,2}" + _ORDINAL + r")?"
_OF = r"(?:(?:de|del|of|do|di)\s+)?"
_TIMESTAMP = re.compile(
    r"(?<!\d)\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?: ?(?:Z|UTC|GMT|[+-]\d\d:?\d\d))?"
)
_YEAR_FIRST = re.compile(
    r"(?<![\w.-])"
    + _YEAR
    + r"(?:(?P<mark>[-/])(?P<month>\d{1,2})(?P=mark)(?P<day>\d{1,2})"
    + r"|\.(?P<month2>\d\d)\.(?P<day2>\d\d)|(?P<month3>\d\d)(?P<day3>\d\d))(?![\w]|\.\d)"
)
_YEAR_MONTH = re.compile(r"(?<![\w./-])" + _YEAR + r"[-/](?P<month>0[1-9]|1[0-2])(?![\w/-]|\.\d)")
_CJK = re.compile(
    r"(?:(?P<year>\d{4})\s*[年년]\s*)?(?P<month>\d{1,2})\s*[月월](?:\s*(?P<day>\d{1,2})\s*[日일号])?"
)
_NUMERIC = re.compile(
    r"(?<![\w./-])(?P<first>\d{1,2})(?:(?P<mark>[-./])(?P<second>\d{1,2})(?P=mark)"
    r"(?P<year>(?:19|20)\d\d)|/(?P<second2>\d{1,2})/(?P<year2>\d\d))(?![\w/]|\.\d)"
)
_QUARTER = re.compile(
    r"\bQ(?P<quarter>[1-4])[\s/-]*"
    + _YEAR
    + r"\b|\b(?P<year2>20\d\d)[\s/-]*Q(?P<quarter2>[1-4])\b",
    re.IGNORECASE,
)
TIME_OF_DAY = re.compile(
    r"\b\d{1,2}:\d\d(?::\d\d)?(?:\s*[ap]\.?m\b\.?)?|\b\d{1,2}\s*[ap]m\b", re.IGNORECASE
)
_WORD = re.compile(r"[^\W_]+(?:['’.-][^\W_]+)*")


@dataclass(frozen=True, slots=True)
class HumanDate:
    """A date and where it stood: ``start`` and ``end`` are offsets in the text.

    ``is_day`` is False of a month or a quarter, whose first day ``at`` is.
    """

    at: datetime
    is_day: bool
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class DateHabits:
    """How a page writes dates: its language, and whether 11/12 starts with the month.

    ``language`` is a primary subtag such as ``de``, or empty. ``year`` completes dates
    that name none, where a heading above them names it.
    """

    language: str = ""
    month_first: bool = False
    year: int | None = None


@lru_cache(maxsize=16)
def _patterns(language: str) -> tuple[re.Pattern[str], ...]:
    """Return the patterns of dates with the names of months of the language."""
    names = sorted(month_numbers(language), key=len, reverse=True)
    month = r"(?P<name>" + "|".join(map(re.escape, names)) + r")\b\.?"
    year = r"(?P<year>(?:19|20)\d\d|['’]\d\d)(?!\d)"
    year2 = year.replace("year", "year2")
    with_names = (
        rf"\b{month}[\s-]+{_DAY}(?!\d|:|\.\d){_ORDINAL}{_RANGE}"
        rf"(?:\s*[-–—]\s*[^\W\d]+\.?\s+\d{{1,2}})?(?:\s*,?\s*[(\s-]\s*{year}|,\s*{year2})?",
        rf"(?<![\w.]){_DAY}{_ORDINAL}{_RANGE}[\s-]*{_OF}{month}(?:[\s,-]+{_OF}{year})?",
        rf"(?<!\d )(?<!\d\. )\b{month},?\s+{_OF}{year}",
        rf"(?<![\w.-]){_YEAR}[.\s,-]+{month}(?:[\s-]+{_DAY}(?!\d|:))?",
    )
    named = (re.compile(pattern, re.IGNORECASE) for pattern in with_names)
    return (_TIMESTAMP, _YEAR_FIRST, _CJK, *named, _NUMERIC, _YEAR_MONTH, _QUARTER)


def _date_in(match: re.Match[str], habits: DateHabits) -> HumanDate | None:
    """Return the date of a match, if there is such a day; a missing year is that of the habits."""
    if match.re is _TIMESTAMP:
        at = parse_timestamp(match.group())
        return None if at is None else HumanDate(at, True, match.start(), match.end())
    parts = _parts(match)
    month, day = _month_and_day(parts, habits)
    year = _year(parts) or (habits.year if day else None)
    try:
        at = datetime(year or 0, month, int(day or 1), tzinfo=UTC)
    except ValueError:
        return None
    return HumanDate(at, day is not None, match.start(), match.end())


def _parts(match: re.Match[str]) -> dict[str, str]:
    """Return the groups of a match that have a text, of "year2" and its like as "year"."""
    return {name.rstrip("23"): text for name, text in match.groupdict().items() if text}


def _year(parts: Mapping[str, str]) -> int:
    """Return the year, of two digits one after 2000; 0 where there is none."""
    digits = parts.get("year", "0").strip("'’")
    return int(digits) + (2000 if len(digits) == 2 else 0)


def _month_and_day(parts: Mapping[str, str], habits: DateHabits) -> tuple[int, str | None]:
    if "quarter" in parts:
        return 3 * int(parts["quarter"]) - 2, None
    if "name" in parts:
        return month_numbers(habits.language)[parts["name"].lower()], parts.get("day")
    if "month" in parts:
        return int(parts["month"]), parts.get("day")
    first, second = parts["first"], parts["second"]
    month_first = habits.month_first and parts.get("mark") != "."
    if int(first) > 12 or int(second) > 12:
        month_first = int(second) > 12
    return (int(first), second) if month_first else (int(second), first)


def find_date(text: str, habits: DateHabits) -> HumanDate | None:
    """Return the first date of a short text, the longer one of two that start together."""
    if len(text) > LONGEST_TEXT or not any(map(str.isnumeric, text)):
        return None
    best: HumanDate | None = None
    for pattern in _patterns(habits.language):
        for match in pattern.finditer(text):
            date = _date_in(match, habits)
            if date is None:
                continue
            if best is None or (date.start, -date.end) < (best.start, -best.end):
                best = date
            break
    is_ours = text.isascii() and habits.language in ("", *MONTHS)
    at = None if best or is_ours else parse_timestamp(text)
    return best if at is None else HumanDate(at, True, 0, len(text))


def words_beside(text: str, start: int, end: int) -> list[str]:
    """Return the words of a text outside a span, without times of day, in lower case."""
    return _WORD.findall(TIME_OF_DAY.sub(" ", f"{text[:start]} {text[end:]}").lower())


def only_date(text: str, habits: DateHabits) -> HumanDate | None:
    """Return the date of a line that says nothing else: "Released on Monday, 5 March 2024"."""
    if len(text) > 100:
        return None
    date = find_date(text, habits)
    if date is None or is_not_publication(text[: date.end]):
        return None
    beside = words_beside(text, date.start, date.end)
    others = [word for word in beside if word not in DATE_COMPANIONS]
    return date if not others or {*others} <= {*weekdays(habits.language)} else None


def month_comes_first(texts: Iterable[str], locale: str) -> bool:
    """Return whether the numeric dates of a page start with the month (see the module's text)."""
    pairs: list[tuple[int, int, int]] = []
    for text in texts:
        for match in _NUMERIC.finditer(text[:LONGEST_TEXT]):
            parts = _parts(match)
            if parts.get("mark") != ".":
                pairs.append((_year(parts), int(parts["first"]), int(parts["second"])))
    month_first = sum(second > 12 for _, _, second in pairs)
    day_first = sum(first > 12 for _, first, _ in pairs)
    if month_first != day_first:
        return month_first > day_first
    with_month = _disorder([(year, first, second) for year, first, second in pairs])
    with_day = _disorder([(year, second, first) for year, first, second in pairs])
    if with_month != with_day:
        return with_month < with_day
    return locale.lower().replace("_", "-") == "en-us"


def _disorder(dates: Sequence[tuple[int, int, int]]) -> tuple[int, int]:
    """Return how often dates break the direction of most steps, and how often they go up.

    Pages list the newest first, so of two orders without a break the falling one is meant.
    """
    steps = list(pairwise(dates))
    up = sum(before < after for before, after in steps)
    down = sum(before > after for before, after in steps)
    return min(up, down), up
