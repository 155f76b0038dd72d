"""Timestamps of feeds and APIs, parsed as aware UTC datetimes.

Read are RFC 3339 and ISO 8601, RFC 822 and 2822 with the deviations common in feeds, the
outputs of C, Go, JavaScript and .NET, weeks and days of the year, seconds since 1970, and dates in
the languages of languages.py. A time without a zone is UTC; a date without a time is midnight UTC.
Text that is not a time, or two, gives None: nothing here raises, and nothing is completed from
today's date.
"""

import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta, tzinfo
from functools import lru_cache
from typing import Final, TypeAlias
from zoneinfo import ZoneInfo, available_timezones

from changelog_reader.content.languages import (
    MONTHS,
    SHORT_MONTHS,
    ZONES,
    in_english,
    numbered,
    without_accents,
)

EARLIEST: Final = datetime(1970, 1, 1, tzinfo=UTC)
LATEST: Final = datetime(9998, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC)

_LENGTH: Final = 100
"""Characters beyond which a text is no date."""

_MONTHS: Final = {
    **{f"{number}月": number for number in range(1, 13)},
    **{
        without_accents(name): number
        for names in (*MONTHS.values(), *SHORT_MONTHS.values())
        for name, number in numbered(names)
    },
}
_DIGITS: Final = {sign: number for number, sign in enumerate("〇一二三四五六七八九")} | {"零": 0}
_ERAS: Final[Mapping[str, int]] = {"令和": 2018, "平成": 1988, "昭和": 1925, "民国": 1911}
_SIGNS: Final = str.maketrans("년월일号時시분초國−–،", "年月日日时时分秒国--,")

_CLOCK: Final = r"""
    (?P<hour>[0-9]{1,2}) (?: [:.h] (?P<minute>[0-9]{2}) (?: [:.] (?P<second>[0-9]{2}) )?
                           | (?P<minute2>[0-9]{2}) (?P<second2>[0-9]{2})? )
    (?: [.,] [0-9]+ )? [ ]? (?P<half>[ap]\.?m\b\.?)?
"""
_ZONE: Final = r"""
    [ ]? (?: (?:gmt|utc|ut|z)? [ ]? (?P<offset>[+-][0-9]{1,2} (?: :?[0-9]{2} )? )
               (?: [ ][a-z0-9+-]{2,5} (?:[ ]m=[+-][0-9.]{1,20})? | \[[a-z0-9_/+-]{3,40}\] )?
           | \[?(?P<region>[a-z]{3,20}(?:/[a-z_-]{2,30}){1,2})\]?
           | (?P<zone>[a-z]{1,5}) (?:\[[a-z0-9_/+-]{3,40}\])?
           | coordinated[ ]universal[ ]time )? (?: [ ]? \( [^()]* \) )?
"""
_TIME: Final = rf"(?: (?: [ ]?t[ ]? | ,?[ ](?:(?:at|um|a|as|om|-)[ ])? ) {_CLOCK} {_ZONE} )?"
_WEEKDAY: Final = r"(?: [^\W\d_]{2,} (?: \.?[ ]?,[ ]? | \.?[ ] ) )?"
_MONTH: Final = r"(?P<name>[^\W\d_]{3,}|[0-9]{1,2}月)\.?"
_DAY: Final = r"(?P<day>[0-9]{1,2})(?:st|nd|rd|th|er|\.)?"

_SHAPES: Final = tuple(
    re.compile(shape, re.VERBOSE)
    for shape in (
        # 2026-06-30T14:00:00Z, 20260630T140000+02, 2026/6/30 14:00, 2026-06
        rf"(?P<year>[0-9]{{4}}) (?: (?P<month2>[0-9]{{2}})(?P<day2>[0-9]{{2}})"
        rf"  | [-/.年][ ]?(?P<month>[0-9]{{1,2}}) [-/.月][ ]?(?P<day>[0-9]{{1,2}})[日.]? ) {_TIME}",
        r"(?P<year>[0-9]{4}) (?: -(?P<month>[0-9]{2}) | 年[ ]?(?P<month2>[0-9]{1,2})月 )",
        # Tue, 30 Jun 2026 14:00:00 +0000, 30-Jun-26 2:00 pm EST
        rf"{_WEEKDAY} {_DAY} [ /-]? (?:de[ ]|of[ ])? {_MONTH} [ /-]?,?[ ]? (?:del?[ ])?"
        rf"  (?P<year>[0-9]{{4}}|[0-9]{{2}}) {_TIME}",
        # June 30, 2026 at 14:00 UTC
        rf"{_WEEKDAY} {_MONTH} [ ]? {_DAY} ,?[ ] (?P<year>[0-9]{{4}}) {_TIME}",
        # Tue Jun 30 14:00:00 UTC 2026, Tue Jun 30 14:00:00 2026 +0200
        rf"{_WEEKDAY} {_MONTH} [ ] {_DAY} [ ] {_CLOCK} {_ZONE} [ ] (?P<year>[0-9]{{4}})",
        rf"{_WEEKDAY} {_MONTH} [ ] {_DAY} [ ] {_CLOCK} [ ] (?P<year>[0-9]{{4}}) {_ZONE}",
        # 2026-W27-2, 2026W272, 2026-181
        rf"(?P<year>[0-9]{{4}}) -? w(?P<week>[0-9]{{2}}) (?: -?(?P<weekday>[1-7]) )? {_TIME}",
        r"(?P<year>[0-9]{4}) - (?P<day_of_year>(?!000)[0-2][0-9]{2}|3[0-5][0-9]|36[0-5])"
        rf"  {_TIME}",
        # 2026. June 30., 2026. 30. June
        rf"(?P<year>[0-9]{{4}}) \.?,?[ ] {_MONTH} [ ] {_DAY} {_TIME}",
        rf"(?P<year>[0-9]{{4}}) \.?,?[ ] {_DAY} [ ] {_MONTH} {_TIME}",
        # 30.06.2026 14:00: with dots the day comes first everywhere
        rf"(?P<day>[0-9]{{1,2}}) \. [ ]? (?P<month>[0-9]{{1,2}}) \. [ ]?"
        rf"  (?P<year>[0-9]{{4}}) {_TIME}",
        # 8/21/2018 9:00:00 AM: read where only one of the two can be the month
        rf"(?P<month>0?[1-9]|1[0-2]) / (?P<day>1[3-9]|[23][0-9]) / "
        rf"  (?P<year>[0-9]{{4}}|[0-9]{{2}}) {_TIME}",
        rf"(?P<day>1[3-9]|[23][0-9]) / (?P<month>0?[1-9]|1[0-2]) / (?P<year>[0-9]{{4}}) {_TIME}",
    )
)
# Since 1970; three or six more digits of a millisecond or microsecond; as JSON of .NET
_SECONDS: Final = re.compile(
    r"(?:/date\()?(1[0-9]{9})(?:[0-9]{3}|[0-9]{6})?(?:\.[0-9]{1,9})?(?:[+-][0-9]{4})?(?:\)/)?"
)
_FOREIGN: Final = re.compile(
    r"(?=.*(?<![0-9])[0-9]{4}(?![0-9]))(?=.*(?<![0-9])[0-9]{1,2}(?![0-9]))"
)
_UNITS: Final = frozenset({*ZONES, "am", "pm", "t", "h"})
_Written: TypeAlias = str | Callable[[re.Match[str]], str]


def parse_timestamp(text: str) -> datetime | None:
    """Return the time that the text names, in UTC and whole seconds, or None.

    None also stands for impossible dates, offsets of a day or more, and years outside
    1970 to 9998. Fractions of a second are dropped, so that what is stored is what the
    API says. Two digits of a year and unknown zone names are read as RFC 2822 §4.3 says.
    Of numbers apart by slashes with the year last, none is read that has two readings.
    """
    return None if len(text) > _LENGTH else _parsed(text)


@lru_cache(maxsize=256)
def _parsed(text: str) -> datetime | None:
    """Parse a date; cached, since most entries have theirs twice."""
    plain = _plain(text)
    seconds = _SECONDS.fullmatch(plain)
    if seconds is not None:
        return datetime.fromtimestamp(int(seconds[1]), UTC)
    moment = _read(plain)
    if moment is None and _FOREIGN.match(plain):
        return _read(in_english(plain, kept=_UNITS))
    return moment


def _read(plain: str) -> datetime | None:
    for shape in _SHAPES:
        match = shape.fullmatch(plain)
        if match is not None:
            return _moment(match.groupdict())
    return None


def _plain(text: str) -> str:
    """Return the text in lower case, without accents, with single spaces."""
    if text.isascii():
        return " ".join(text.lower().split())
    plain = without_accents(text).translate(_SIGNS)
    for form, written in _FORMS:
        plain = form.sub(written, plain)
    return " ".join(plain.split())


def _counted(match: re.Match[str]) -> str:
    """Return a Chinese numeral in digits: 十八 is 18, 二〇二五 is 2025."""
    tens, ten, ones = match[0].partition("十")
    if not ten:
        return "".join(str(_DIGITS[sign]) for sign in tens)
    return str(10 * _DIGITS.get(tens or "一", 0) + _DIGITS.get(ones or "〇", 0))


def _year_of_era(match: re.Match[str]) -> str:
    year = 1 if match[2] == "元" else int(match[2])
    return f"{_ERAS[match[1]] + year}年"


def _clock(match: re.Match[str]) -> str:
    return ":".join(match[part].zfill(2) for part in (1, 2, 3) if match[part])


_FORMS: Final[tuple[tuple[re.Pattern[str], _Written], ...]] = tuple(
    (re.compile(form), written)
    for form, written in (
        ("[〇零一二三四五六七八九十]{1,4}(?=[年月日])", _counted),
        ("(令和|平成|昭和|民国) ?(元|[0-9]{1,3})年", _year_of_era),
        (r"日,? ?(?:\([^()]{1,4}\)|(?:星期|周)[^\W\d]|[^\W\d](?:曜|요)日)", "日"),
        ("([0-9]{1,2})[时点] ?([0-9]{1,2})分? ?(?:([0-9]{1,2})秒)?", _clock),
        ("(?:午前|上午|오전) ?([0-9]{1,2}[:时][0-9:]*)", r"\1 am"),
        ("(?:午後|下午|오후) ?([0-9]{1,2}[:时][0-9:]*)", r"\1 pm"),
        ("日(?=[0-9])", "日 "),
        # Vietnamese: ngày 2 tháng 1 năm 2025
        (
            "^(?:(?:thu|chu) [^ ,]+,? )?(?:ngay )?([0-9]+) th(?:an)?g ([0-9]+),? (?:nam )?",
            r"\1.\2.",
        ),
        ("(?<=[\u0e00-\u0e7f]. )2[45][0-9]{2}", lambda year: str(int(year[0]) - 543)),
    )
)


def _moment(fields: Mapping[str, str | None]) -> datetime | None:
    hour = _hour(fields)
    offset = _offset(fields)
    if hour is None or offset is None:
        return None
    minute = _number(fields, "minute", "minute2") or 0
    second = _number(fields, "second", "second2") or 0
    try:
        midnight = _day(fields)
        there = midnight.replace(minute=minute, second=min(second, 59)) + timedelta(hours=hour)
        region = _region(fields.get("region") or "utc")
        moment = (there - offset).replace(tzinfo=region).astimezone(UTC)
    except (ValueError, OverflowError, LookupError, OSError):
        return None  # 31 February, 14:75, beyond the year 9999
    return moment if EARLIEST <= moment <= LATEST else None


def _day(fields: Mapping[str, str | None]) -> datetime:
    """Return midnight of the day; raises LookupError or ValueError if there is none.

    The 366th day of a leap year is not read.
    """
    year = _year(fields["year"] or "")
    week = _number(fields, "week")
    if week is not None:
        return datetime.fromisocalendar(year, week, _number(fields, "weekday") or 1).replace(
            tzinfo=UTC
        )
    day_of_year = _number(fields, "day_of_year")
    if day_of_year is not None:
        return datetime(year, 1, 1, tzinfo=UTC) + timedelta(days=day_of_year - 1)
    month = _number(fields, "month", "month2") or _MONTHS[fields.get("name") or ""]
    day = _number(fields, "day", "day2")
    return datetime(year, month, 1 if day is None else day, tzinfo=UTC)


@lru_cache(maxsize=64)
def _region(name: str) -> tzinfo:
    """Return a zone such as europe/paris; raises LookupError for one that nobody knows."""
    names = {known.lower(): known for known in available_timezones()} if "/" in name else {}
    return ZoneInfo(names[name]) if names else UTC


def _number(fields: Mapping[str, str | None], *names: str) -> int | None:
    for name in names:
        digits = fields.get(name)
        if digits is not None:
            return int(digits)
    return None


def _year(digits: str) -> int:
    """Return a year; two digits are 1950 to 2049 (RFC 2822 §4.3)."""
    year = int(digits)
    if len(digits) == 4:
        return year
    return year + (2000 if year < 50 else 1900)


def _hour(fields: Mapping[str, str | None]) -> int | None:
    """Return 0 to 23, or 24 for the midnight at the end of a day (ISO 8601)."""
    hour = _number(fields, "hour") or 0
    half = fields.get("half")
    if half:
        return None if not 1 <= hour <= 12 else hour % 12 + (12 if half.startswith("p") else 0)
    exactly = not any(_number(fields, part) for part in ("minute", "minute2", "second", "second2"))
    return hour if hour < 24 or (hour == 24 and exactly) else None


def _offset(fields: Mapping[str, str | None]) -> timedelta | None:
    """Return how far the zone is east of Greenwich; None when it is not an offset."""
    offset = fields.get("offset")
    if not offset:
        return timedelta(minutes=ZONES.get(fields.get("zone") or "", 0))
    digits = offset[1:].replace(":", "")
    hours, minutes = (int(digits[:-2]), int(digits[-2:])) if len(digits) > 2 else (int(digits), 0)
    if hours > 23 or minutes > 59:
        return None
    return timedelta(hours=hours, minutes=minutes) * (-1 if offset[0] == "-" else 1)
