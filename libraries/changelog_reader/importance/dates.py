"""Calendar dates in prose, and the days that they can mean.

What cannot be read in one way only is left out: ``03/04/2027`` is March or April, and
``1 March`` has no year unless the day of publication is known.
"""

import re
from calendar import monthrange
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from itertools import chain
from typing import NamedTuple, TypeAlias

from changelog_reader.importance.finder import finder
from changelog_reader.importance.lazy_pattern import LazyPattern, written
from changelog_reader.importance.mask import fold

Days: TypeAlias = tuple[date, date]  # the first and the last, both included


class Mention(NamedTuple):
    """A date in a text: its offsets, and the first and last day it can mean."""

    start: int
    end: int
    first: date
    last: date


def _places(lists: Sequence[str], first: int) -> dict[str, int]:
    """Return words with the place of their list."""
    return {word: place for place, words in enumerate(lists, first) for word in words.split()}


def _any_of(names: Sequence[str]) -> str:
    return rf"(?P<m>{'|'.join(sorted(names, key=len, reverse=True))})\b\.?"


YEAR = re.compile(r"20(?=\d\d)")  # every date has one, but those of _YEARLESS
_BEFORE, _BEHIND = 60, 20  # characters around the beginning of a year that its date can have
_WRITTEN = written("dates")
_MONTHS = _places(_WRITTEN["months"], 1)
_ORDINALS = _places(_WRITTEN["ordinals"], 1)
_THIRDS = _places(_WRITTEN["thirds"], 0)
_ENDS = _WRITTEN["ends"].split()
_CAPITALS = [name.title() for name in _MONTHS]
OPENINGS = sorted({name[:3] for name in _CAPITALS})
_PARTS = _WRITTEN["parts"] | {"m": _any_of([*_MONTHS]), "name": _any_of(_CAPITALS)}


_FORMATS = [LazyPattern(it, _PARTS) for it in _WRITTEN["dated"]]
_YEARLESS = [LazyPattern(it, _PARTS) for it in _WRITTEN["yearless"]]
_DATED, _UNDATED = (finder([("", it, False) for it in every]) for every in (_FORMATS, _YEARLESS))


def mentions(text: str, published_on: date | None = None) -> Iterator[Mention]:
    """Yield the dates of a text in order, none inside another.

    A date without a year is the first such day on or after ``published_on``; there are
    none when that is None.
    """
    years = [year.start() for year in YEAR.finditer(text)] or [-_BEHIND]
    at, end = max(0, years[0] - _BEFORE), years[-1] + _BEHIND
    overlapping = [
        Mention(at + match.start(), at + match.end(), *days)
        for _, found in _DATED(fold(text[at:end]))
        for match in found
        if (days := _days_or_none(match, int(match["y"]))) is not None
    ]
    if published_on is not None:
        overlapping += _without_year(text, published_on)
    until = 0
    for mention in sorted(overlapping, key=lambda mention: (mention.start, -mention.end)):
        if mention.start >= until:
            yield mention
            until = mention.end


def _without_year(text: str, published_on: date) -> Iterator[Mention]:
    """Yield the dates without a year, as the first such days on or after a day."""
    for match in chain.from_iterable(found for _, found in _UNDATED(text)):
        for year in (published_on.year, published_on.year + 1):
            days = _days_or_none(match, year)
            if days is not None and days[1] >= published_on:
                yield Mention(*match.span(), *days)
                break


def _days_or_none(match: re.Match[str], year: int) -> Days | None:
    """Return what a match means in a year; None when there is no such day."""
    try:
        return _days(match.groupdict(), year)
    except (KeyError, ValueError):
        return None


def _days(said: Mapping[str, str | None], year: int) -> Days:
    """Return the days of a date by the groups of its format; the last one when an end is meant."""
    first, last = _months(said)
    if "a" in said or "d" in said:
        day = int(said.get("d") or 0)
        if "a" in said:
            first, day = sorted((int(said["a"] or ""), int(said["b"] or "")))
            if first != day <= 12:
                raise ValueError("day and month cannot be told apart")
        return date(year, first, day), date(year, first, day)
    part = (said.get("part") or "").lower()
    end = date(year, last, monthrange(year, last)[1])
    if part in _ENDS:
        return end, end
    if part and first == last:  # a third of a month
        at = 10 * _THIRDS[part]
        return date(year, first, at + 1), end if at == 20 else end.replace(day=at + 10)
    if part and last - first == 11:
        first = 4 * _THIRDS[part] + 1
        last = first + 3
    return date(year, first, 1), date(year, last, monthrange(year, last)[1])


def _months(said: Mapping[str, str | None]) -> tuple[int, int]:
    """Return the first and the last month of a quarter, a half, a month, or a year."""
    for name, length in (("q", 3), ("h", 6)):
        if (number := said.get(name)) is not None:
            last = _ORDINALS[number.lower()] * length
            return last - length + 1, last
    if written_month := said.get("m"):
        month = _MONTHS.get(written_month.lower()) or int(written_month)
        return month, month
    return 1, 12
