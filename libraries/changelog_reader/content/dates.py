"""Timestamps of feeds and APIs, parsed as aware UTC datetimes.

Read are RFC 3339 and ISO 8601, RFC 822 and 2822 with the deviations common in feeds, and
the outputs of C's asctime. A time without a zone is UTC; a date without a time is
midnight UTC. Text that is no time gives None: nothing here raises, and nothing is
completed from today's date.
"""

import re
import unicodedata
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Final

EARLIEST: Final = datetime(1970, 1, 1, tzinfo=UTC)
LATEST: Final = datetime(9998, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC)

_LENGTH: Final = 100
"""Characters beyond which a text is no date."""

# fmt: off
_MONTHS: Final = {
    name: number
    for number, names in enumerate((
        "jan janv january januar janvier enero gennaio janeiro januari ene gen",
        "feb fev fevr february februar fevrier febrero febbraio fevereiro februari",
        "mar mrz mars march marz maerz marzo marco maart mrt",
        "apr avr april avril abril aprile abr",
        "may mai mayo maggio maio mei mag",
        "jun juin june juni junio giugno junho giu",
        "jul juil july juli juillet julio luglio julho lug",
        "aug aou aout august agosto augustus ago",
        "sep sept september septembre septiembre settembre setembro set",
        "oct okt october oktober octobre octubre ottobre outubro ott out",
        "nov november novembre noviembre novembro",
        "dec dez december dezember decembre diciembre dicembre dezembro dic",
    ), start=1)
    for name in names.split()
}
_ZONES: Final[Mapping[str, int]] = {
    # RFC 822 §5.1, and what readers of feeds agree on beyond it; in minutes east of Greenwich.
    "ut": 0, "utc": 0, "gmt": 0, "z": 0, "wet": 0, "west": 60, "bst": 60, "cet": 60,
    "cest": 120, "met": 60, "mest": 120, "mez": 60, "mesz": 120, "eet": 120, "eest": 180,
    "msk": 180, "ist": 330, "sgt": 480, "hkt": 480, "awst": 480, "jst": 540, "kst": 540,
    "acst": 570, "aest": 600, "aedt": 660, "nzst": 720, "nzdt": 780, "brt": -180,
    "nst": -210, "ndt": -150, "ast": -240, "adt": -180, "est": -300, "edt": -240, "et": -300,
    "cst": -360, "cdt": -300, "ct": -360, "mst": -420, "mdt": -360, "mt": -420, "pst": -480,
    "pdt": -420, "pt": -480, "akst": -540, "akdt": -480, "hst": -600,
}
# fmt: on

_CLOCK: Final = r"""
    (?P<hour>[0-9]{1,2}) (?: [:.h] (?P<minute>[0-9]{2}) (?: [:.] (?P<second>[0-9]{2}) )?
                           | (?P<minute2>[0-9]{2}) (?P<second2>[0-9]{2})? )
    (?: [.,] [0-9]+ )? [ ]? (?P<half>[ap]\.?m\b\.?)?
"""
_ZONE: Final = r"""
    [ ]? (?: (?:gmt|utc|ut|z)? [ ]? (?P<offset>[+-][0-9]{1,2} (?: :?[0-9]{2} )? )
               (?: [ ][a-z]{2,5} )?
           | (?P<zone>[a-z]{1,5}) )? (?: [ ]? \( [^()]* \) )?
"""
_TIME: Final = rf"(?: (?: [ ]?t[ ]? | ,?[ ](?:at[ ]|um[ ]|-[ ])? ) {_CLOCK} {_ZONE} )?"
_WEEKDAY: Final = r"(?: [^\W\d_]{2,}\.?[ ]?,?[ ]? )?"
_MONTH: Final = r"(?P<name>[^\W\d_]{3,})\.?"
_DAY: Final = r"(?P<day>[0-9]{1,2})(?:st|nd|rd|th|\.)?"

_SHAPES: Final = tuple(
    re.compile(shape, re.VERBOSE)
    for shape in (
        # 2026-06-30T14:00:00Z, 20260630T140000+02, 2026/6/30 14:00, 2026-06
        rf"(?P<year>[0-9]{{4}}) (?: (?P<month2>[0-9]{{2}})(?P<day2>[0-9]{{2}})"
        rf"  | [-/.年](?P<month>[0-9]{{1,2}}) [-/.月](?P<day>[0-9]{{1,2}})日? ) {_TIME}",
        r"(?P<year>[0-9]{4}) (?: -(?P<month>[0-9]{2}) | 年(?P<month2>[0-9]{1,2})月 )",
        # Tue, 30 Jun 2026 14:00:00 +0000, 30-Jun-26 2:00 pm EST
        rf"{_WEEKDAY} {_DAY} [ /-]? (?:de[ ]|of[ ])? {_MONTH} [ /-]?,?[ ]? (?:del?[ ])?"
        rf"  (?P<year>[0-9]{{4}}|[0-9]{{2}}) {_TIME}",
        # June 30, 2026 at 14:00 UTC
        rf"{_WEEKDAY} {_MONTH} [ ]? {_DAY} ,?[ ] (?P<year>[0-9]{{4}}) {_TIME}",
        # Tue Jun 30 14:00:00 UTC 2026
        rf"{_WEEKDAY} {_MONTH} [ ] {_DAY} [ ] {_CLOCK} {_ZONE} [ ] (?P<year>[0-9]{{4}})",
        # 30.06.2026 14:00: with dots the day comes first everywhere
        rf"(?P<day>[0-9]{{1,2}}) \. [ ]? (?P<month>[0-9]{{1,2}}) \. [ ]?"
        rf"  (?P<year>[0-9]{{4}}) {_TIME}",
    )
)


def parse_timestamp(text: str) -> datetime | None:
    """Return the time that the text names, in UTC and whole seconds, or None.

    None also stands for impossible dates, offsets of a day or more, and years outside
    1970 to 9998. Fractions of a second are dropped, so that what is stored is what the
    API says. Two digits of a year and unknown zone names are read as RFC 2822 §4.3 says.
    Numbers apart by slashes with the year last are None: day and month cannot be told apart.
    """
    return None if len(text) > _LENGTH else _parsed(text)


@lru_cache(maxsize=256)
def _parsed(text: str) -> datetime | None:
    """Parse a date; cached, since most entries have theirs twice."""
    plain = _plain(text)
    for shape in _SHAPES:
        match = shape.fullmatch(plain)
        if match is not None:
            return _moment(match.groupdict())
    return None


def _plain(text: str) -> str:
    """Return the text in lower case, without accents, with single spaces."""
    if text.isascii():
        return " ".join(text.lower().split())
    decomposed = unicodedata.normalize("NFKD", text)
    bare = "".join(character for character in decomposed if not unicodedata.combining(character))
    return " ".join(bare.lower().split())


def _moment(fields: Mapping[str, str | None]) -> datetime | None:
    month = _number(fields, "month", "month2") or _MONTHS.get(fields.get("name") or "")
    hour = _hour(fields)
    offset = _offset(fields)
    if month is None or hour is None or offset is None:
        return None
    day = _number(fields, "day", "day2")
    minute = _number(fields, "minute", "minute2") or 0
    second = _number(fields, "second", "second2") or 0
    try:
        midnight = datetime(
            _year(fields["year"] or ""), month, 1 if day is None else day, tzinfo=UTC
        )
        there = midnight.replace(minute=minute, second=min(second, 59)) + timedelta(hours=hour)
        moment = there - offset
    except (ValueError, OverflowError):  # 31 February, 14:75, beyond the year 9999
        return None
    return moment if EARLIEST <= moment <= LATEST else None


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
    """Return how far the zone is east of Greenwich; None when it is no offset."""
    offset = fields.get("offset")
    if not offset:
        return timedelta(minutes=_ZONES.get(fields.get("zone") or "", 0))
    digits = offset[1:].replace(":", "")
    hours, minutes = (int(digits[:-2]), int(digits[-2:])) if len(digits) > 2 else (int(digits), 0)
    if hours > 23 or minutes > 59:
        return None
    return timedelta(hours=hours, minutes=minutes) * (-1 if offset[0] == "-" else 1)
