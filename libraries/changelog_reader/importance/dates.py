"""Calendar dates in prose, and the days that they can mean.

What cannot be read in one way only is left out: ``03/04/2027`` is March or April, and
``1 March`` has no year unless the day of publication is known.
"""

import re
from calendar import monthrange
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date
from typing import TypeAlias

from changelog_reader.importance.lazy_pattern import LazyPattern
from changelog_reader.importance.mask import fold

Days: TypeAlias = tuple[date, date]  # the first and the last, both included
Reader: TypeAlias = Callable[[re.Match[str], int], Days]  # the year may not be in the match


@dataclass(frozen=True, slots=True)
class Mention:
    """A date in a text: its offsets, and the first and last day it can mean."""

    start: int
    end: int
    first: date
    last: date


_MONTH_NAMES = (
    "january jan januar jänner janvier enero ene",
    "february feb februar février febrero",
    "march mar märz mars marzo",
    "april apr avril abril",
    "may mai mayo",
    "june jun juni juin junio",
    "july jul juli juillet julio",
    "august aug août agosto",
    "september sep sept septembre septiembre",
    "october oct oktober okt octobre octubre",
    "november nov novembre noviembre",
    "december dec dezember dez décembre diciembre",
)
_MONTHS = {name: number for number, names in enumerate(_MONTH_NAMES, 1) for name in names.split()}
_ORDINALS = {
    word: number
    for number, words in enumerate(
        (
            "1 1st first premier primer 一 上",
            "2 2nd second deuxième segundo 二 下",
            "3 3rd third troisième tercer 三",
            "4 4th fourth last quatrième cuarto 四",
        ),
        1,
    )
    for word in words.split()
}
_ENDS = frozenset(("end", "ende", "fin", "finales", "final", "底", "末"))
_PARTS = {
    **dict.fromkeys(("early", "beginning", "start", "anfang", "début", "principios", "初"), 0),
    **dict.fromkeys(("mid", "middle", "mitte", "mediados"), 1),
    "late": 2,
}


def _day(year: int, month: int, day: int) -> Days:
    return (date(year, month, day), date(year, month, day))


def _months(year: int, first: int, last: int) -> Days:
    return date(year, first, 1), date(year, last, monthrange(year, last)[1])


def _part_of_month(year: int, month: int, part: str) -> Days:
    """Return a month, a third of it, or its last day when its end is meant."""
    last = monthrange(year, month)[1]
    if part in _ENDS:
        return _day(year, month, last)
    first, until = ((1, 10), (11, 20), (21, last))[_PARTS[part]] if part else (1, last)
    return date(year, month, first), date(year, month, until)


def _part_of_year(year: int, part: str) -> Days:
    """Return a year, a third of it, or its last day when its end is meant."""
    if part in _ENDS:
        return _day(year, 12, 31)
    return _months(year, *((1, 4), (5, 8), (9, 12))[_PARTS[part]] if part else (1, 12))


def _part_of_span(year: int, first: int, last: int, part: str) -> Days:
    """Return a quarter or half, or its last day when its end is meant."""
    days = _months(year, first, last)
    return (days[1], days[1]) if part in _ENDS else days


def _quarter(match: re.Match[str], year: int) -> Days:
    number = _ORDINALS[match["n"].lower()]
    return _part_of_span(year, number * 3 - 2, number * 3, _part(match))


def _half(match: re.Match[str], year: int) -> Days:
    number = _ORDINALS[match["n"].lower()]
    if number > 2:
        raise ValueError("a year has two halves")
    return _part_of_span(year, number * 6 - 5, number * 6, _part(match))


def _numbers(match: re.Match[str], year: int) -> Days:
    return _day(year, int(match["m"]), int(match["d"]))


def _slashed(match: re.Match[str], year: int) -> Days:
    """Read d/m/y or m/d/y when only one of them is a date, or both are the same."""
    one, two = int(match["a"]), int(match["b"])
    if one <= 12 and two <= 12 and one != two:
        raise ValueError("day and month cannot be told apart")
    return _day(year, min(one, two), max(one, two))


def _named_day(match: re.Match[str], year: int) -> Days:
    return _day(year, _MONTHS[match["m"].lower()], int(match["d"]))


def _named_month(match: re.Match[str], year: int) -> Days:
    return _part_of_month(year, _MONTHS[match["m"].lower()], _part(match))


def _numbered_month(match: re.Match[str], year: int) -> Days:
    return _part_of_month(year, int(match["m"]), _part(match))


def _some_year(match: re.Match[str], year: int) -> Days:
    return _part_of_year(year, _part(match))


def _part(match: re.Match[str]) -> str:
    return (match["part"] or "").lower()


_M = rf"(?P<m>{'|'.join(sorted(_MONTHS, key=len, reverse=True))})\b\.?"
# Without a year only a capital tells the month of May from the verb.
_CAPITAL = (
    rf"(?P<m>{'|'.join(name.title() for name in sorted(_MONTHS, key=len, reverse=True))})\b\.?"
)
_Y = r"(?P<y>20\d\d)(?!\d|[./-]\d)"
_D = r"(?P<d>\d{1,2})(?:st|nd|rd|th|er|º|\.)?"
_OF = r"(?:of\s|de\s|del\s)?(?:the\s)?"
_EDGE = r"(?<![\w./#@$€-])"
# Four digits are a year only behind a word that asks for one.
_BEFORE_YEAR = ("in", "by", "before", "until", "during", "after", "im", "en")
_BARE = "(?:" + "|".join(rf"(?<=\b{word}\s)" for word in _BEFORE_YEAR) + ")"
_PART = (
    "end|beginning|start|middle|early|mid|late|ende|anfang|mitte|finales|final|fin"
    "|début|principios|mediados"
)
_WHICH = rf"(?:(?P<part>{_PART})[\s-]{_OF})?"
_NTH = (
    r"(?P<n>[1-4](?:st|nd|rd|th)?|first|second|third|fourth|last|premier|deuxième|troisième"
    r"|quatrième|primer|segundo|tercer|cuarto)"
)

# Formats by a pattern that a text must match to hold one, so that most are not searched for.
_Formats: TypeAlias = tuple[tuple[LazyPattern, tuple[tuple[LazyPattern, Reader], ...]], ...]


def _lazily(pattern: str) -> LazyPattern:
    return LazyPattern(lambda: pattern)


def _formats(written: dict[str, tuple[tuple[str, Reader], ...]]) -> _Formats:
    return tuple(
        (_lazily(needed), tuple((_lazily(pattern), read) for pattern, read in formats))
        for needed, formats in written.items()
    )


_OPENINGS = sorted({name[:3] for name in _MONTHS})
_ANY_MONTH = "|".join(rf"{opening}(?<!\w{opening})" for opening in _OPENINGS)
_ANY_CAPITAL = "|".join(rf"{opening}(?<!\w{opening})" for opening in map(str.title, _OPENINGS))
_FORMATS = _formats(
    {
        "[-/]": (
            (rf"{_EDGE}(?P<y>20\d\d)([-/])(?P<m>\d\d?)\2(?P<d>\d\d?)(?![\d/-])", _numbers),
            (rf"{_EDGE}(?P<a>\d{{1,2}})/(?P<b>\d{{1,2}})/{_Y}", _slashed),
        ),
        r"\.\s?\d": ((rf"{_EDGE}(?P<d>\d{{1,2}})\.\s?(?P<m>\d{{1,2}})\.\s?{_Y}", _numbers),),
        _ANY_MONTH: (
            (rf"{_EDGE}{_D}\s{_OF}{_M},?\s{_OF}{_Y}", _named_day),
            (rf"{_EDGE}{_M}\s{_D},?\s{_OF}{_Y}", _named_day),
            (rf"{_EDGE}{_WHICH}{_M},?\s{_OF}{_Y}", _named_month),
        ),
        "年": (
            (r"(?P<y>20\d\d)\s?年\s?(?P<m>\d{1,2})\s?月\s?(?P<d>\d{1,2})\s?[日号號]", _numbers),
            (
                r"(?P<y>20\d\d)\s?年\s?(?P<m>\d{1,2})\s?月(?P<part>[底末初])?(?!\s?\d)",
                _numbered_month,
            ),
            (
                r"(?P<y>20\d\d)\s?年\s?(?:第\s?)?(?P<n>[1-4一二三四])\s?(?:四半期|季度)(?P<part>末)?",
                _quarter,
            ),
            (r"(?P<y>20\d\d)\s?年\s?(?P<n>[上下])半年(?P<part>末)?", _half),
            (r"(?P<y>20\d\d)\s?年(?P<part>[底末初])?(?!\s?[\d第上下])", _some_year),
        ),
        "[qt][1-4]": (
            (rf"{_EDGE}{_WHICH}[qt](?P<n>[1-4])[\s/-]{{0,2}}(?:of\s|cy\s?|de\s)?{_Y}", _quarter),
            (rf"{_EDGE}{_WHICH}(?P<y>20\d\d)[\s-]?q(?P<n>[1-4])\b", _quarter),
        ),
        "quarter|quartal|trimestre": (
            (
                rf"{_EDGE}{_WHICH}{_NTH}\.?\s(?:calendar\s)?"
                rf"(?:quarter|quartal|trimestre),?\s{_OF}{_Y}",
                _quarter,
            ),
        ),
        "h[12]": ((rf"{_EDGE}{_WHICH}h(?P<n>[12])[\s/-]{{0,2}}{_OF}{_Y}", _half),),
        "half|halbjahr|semestre": (
            (rf"{_EDGE}{_WHICH}{_NTH}\.?\s(?:half|halbjahr|semestre),?\s{_OF}{_Y}", _half),
        ),
        _PART: ((rf"{_EDGE}{_WHICH.removesuffix('?')}{_Y}(?!\s?年)", _some_year),),
        rf"(?:{'|'.join(_BEFORE_YEAR)})\s2": ((rf"{_BARE}(?P<part>){_Y}(?!\s?年)", _some_year),),
    }
)
_YEARLESS = _formats(
    {
        _ANY_CAPITAL: (
            (rf"{_EDGE}{_D}\s{_OF}{_CAPITAL}(?!\w|,?\s\d)", _named_day),
            (rf"{_EDGE}{_CAPITAL}\s{_D}(?![\w/-]|\.\d|,?\s20\d\d)", _named_day),
            (rf"{_EDGE}{_WHICH}{_CAPITAL}(?!\w|,?\s\d)", _named_month),
        ),
        "year": ((rf"{_EDGE}{_WHICH.removesuffix('?')}(?:this\s)?year\b", _some_year),),
    }
)


def mentions(text: str, published_on: date | None = None) -> Iterator[Mention]:
    """Yield the dates of a text in order, none inside another.

    A date without a year is the first such day on or after ``published_on``; there are
    none when that is None.
    """
    folded = fold(text)
    overlapping = [
        Mention(match.start(), match.end(), *days)
        for pattern, read in _worth(_FORMATS, folded)
        for match in pattern.finditer(folded)
        if (days := _days_or_none(read, match, int(match["y"]))) is not None
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
    for pattern, read in _worth(_YEARLESS, text):
        for match in pattern.finditer(text):
            for year in (published_on.year, published_on.year + 1):
                days = _days_or_none(read, match, year)
                if days is not None and days[1] >= published_on:
                    yield Mention(match.start(), match.end(), *days)
                    break


def _worth(formats: _Formats, text: str) -> Iterator[tuple[LazyPattern, Reader]]:
    """Yield the formats that may occur in a text."""
    for needed, readers in formats:
        if needed.search(text):
            yield from readers


def _days_or_none(read: Reader, match: re.Match[str], year: int) -> Days | None:
    """Return what a match means in a year; None when there is no such day."""
    try:
        return read(match, year)
    except (KeyError, ValueError):
        return None
