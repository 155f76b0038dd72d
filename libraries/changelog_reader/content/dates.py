"""Timestamps of feeds and APIs, parsed as aware UTC datetimes.

Read are RFC 3339 and ISO 8601, RFC 822 and 2822 with the deviations common in feeds, the
outputs of C's asctime, dates in the languages of most vendors, and seconds since 1970. A time
without a zone is UTC; a date without a time is midnight UTC. Text that is no time gives None:
nothing here raises, and nothing is completed from today's date.
"""

import re
import unicodedata
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta, tzinfo
from functools import lru_cache
from typing import Final, TypeAlias
from zoneinfo import ZoneInfo, available_timezones

EARLIEST: Final = datetime(1970, 1, 1, tzinfo=UTC)
LATEST: Final = datetime(9998, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC)

_LENGTH: Final = 100
"""Characters beyond which a text is no date."""

# fmt: off
_MONTHS: Final = {
    name: number
    for number, names in enumerate((
        "jan janv january januar janvier enero gennaio janeiro januari ene gen 1月"
        " января январь янв stycznia styczen sty ledna leden січня січень ocak oca",
        "feb fev fevr february februar fevrier febrero febbraio fevereiro februari 2月"
        " февраля февраль фев lutego luty lut unora unor лютого лютии subat sub",
        "mar mrz mars march marz maerz marzo marco maart mrt 3月"
        " марта март мар marca marzec brezna brezen березня березень mart marts",
        "apr avr april avril abril aprile abr 4月"
        " апреля апрель апр kwietnia kwiecien kwi dubna duben квітня квітень nisan nis",
        "may mai mayo maggio maio mei mag 5月"
        " мая маи maja maj kvetna kveten травня травень mayıs",
        "jun juin june juni junio giugno junho giu 6月"
        " июня июнь июн czerwca czerwiec cze cervna cerven червня червень haziran haz",
        "jul juil july juli juillet julio luglio julho lug 7月"
        " июля июль июл lipca lipiec lip cervence cervenec липня липень temmuz tem",
        "aug aou aout august agosto augustus ago agustus augusti 8月"
        " августа август авг sierpnia sierpien sie srpna srpen серпня серпень agustos agu",
        "sep sept september septembre septiembre settembre setembro set 9月"
        " сентября сентябрь сен сент wrzesnia wrzesien wrz zari вересня вересень eylul eyl",
        "oct okt october oktober octobre octubre ottobre outubro ott out 10月"
        " октября октябрь окт pazdziernika pazdziernik paz rijna rijen жовтня жовтень ekim eki",
        "nov november novembre noviembre novembro 11月"
        " ноября ноябрь ноя listopada listopad lis листопада листопад kasım kas",
        "dec dez december dezember decembre diciembre dicembre dezembro dic desember 12月"
        " декабря декабрь дек grudnia grudzien gru prosince prosinec грудня грудень aralık ara",
    ), start=1)
    for name in names.split()
}
_DIGITS: Final = {sign: number for number, sign in enumerate("〇一二三四五六七八九")} | {"零": 0}
_ERAS: Final[Mapping[str, int]] = {"令和": 2018, "平成": 1988, "昭和": 1925}
_SIGNS: Final = str.maketrans("년월일号時시", "年月日日时时")
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
               (?: [ ][a-z]{2,5} | \[[a-z_/+-]{3,40}\] )?
           | \[?(?P<region>[a-z]{3,20}(?:/[a-z_-]{2,30}){1,2})\]?
           | (?P<zone>[a-z]{1,5}) )? (?: [ ]? \( [^()]* \) )?
"""
_TIME: Final = rf"(?: (?: [ ]?t[ ]? | ,?[ ](?:(?:at|um|в|a|o|om|kl\.?|-)[ ])? ) {_CLOCK} {_ZONE} )?"
_WEEKDAY: Final = r"(?: [^\W\d_]{2,}\.?[ ]?,?[ ]? )?"
_MONTH: Final = r"(?P<name>[^\W\d_]{3,}|[0-9]{1,2}月)\.?"
_DAY: Final = r"(?P<day>[0-9]{1,2})(?:st|nd|rd|th|\.)?"

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
        # Tue Jun 30 14:00:00 UTC 2026
        rf"{_WEEKDAY} {_MONTH} [ ] {_DAY} [ ] {_CLOCK} {_ZONE} [ ] (?P<year>[0-9]{{4}})",
        # 30.06.2026 14:00: with dots the day comes first everywhere
        rf"(?P<day>[0-9]{{1,2}}) \. [ ]? (?P<month>[0-9]{{1,2}}) \. [ ]?"
        rf"  (?P<year>[0-9]{{4}}) {_TIME}",
        # 8/21/2018 9:00:00 AM: read where only one of the two can be the month
        rf"(?P<month>0?[1-9]|1[0-2]) / (?P<day>1[3-9]|[23][0-9]) / (?P<year>[0-9]{{4}}) {_TIME}",
        rf"(?P<day>1[3-9]|[23][0-9]) / (?P<month>0?[1-9]|1[0-2]) / (?P<year>[0-9]{{4}}) {_TIME}",
    )
)
_SECONDS: Final = re.compile(r"(1[0-9]{9})(?:[0-9]{3})?")  # since 1970; three more of a millisecond


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
    composed = unicodedata.normalize("NFC", bare).lower().translate(_SIGNS)
    for form, written in _FORMS:
        composed = form.sub(written, composed)
    return " ".join(composed.split())


def _counted(match: re.Match[str]) -> str:
    """Return a Chinese numeral in digits: 十八 is 18, 二〇二五 is 2025."""
    tens, ten, ones = match[0].partition("十")
    if not ten:
        return "".join(str(_DIGITS[sign]) for sign in tens)
    return str(10 * _DIGITS.get(tens or "一", 0) + _DIGITS.get(ones or "〇", 0))


def _year_of_era(match: re.Match[str]) -> str:
    year = 1 if match[2] == "元" else int(match[2])
    return f"{_ERAS[match[1]] + year}年"


_Written: TypeAlias = str | Callable[[re.Match[str]], str]
_FORMS: Final[tuple[tuple[re.Pattern[str], _Written], ...]] = (
    (re.compile("[〇零一二三四五六七八九十]{1,4}(?=[年月日])"), _counted),
    (re.compile("(令和|平成|昭和) ?(元|[0-9]{1,2})年"), _year_of_era),
    (re.compile(r"日,? ?(?:\([^()]{1,4}\)|(?:星期|周)[^\W\d])"), "日"),
    (re.compile("(?:午前|上午|오전) ?([0-9]{1,2}[:时][0-9:]*)"), r"\1 am"),
    (re.compile("(?:午後|下午|오후) ?([0-9]{1,2}[:时][0-9:]*)"), r"\1 pm"),
    (re.compile("([0-9]{1,2})时 ?([0-9]{2})[分분]?"), r"\1:\2"),
    (re.compile("日(?=[0-9])"), "日 "),
    (re.compile(r"(?<=[0-9]{4}) (?:г|р|года|року)\.?(?=[ ,]|$)"), ""),
)


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
        region = _region(fields.get("region") or "utc")
        moment = (there - offset).replace(tzinfo=region).astimezone(UTC)
    except (
        ValueError,
        OverflowError,
        LookupError,
        OSError,
    ):  # 31 February, 14:75, beyond the year 9999
        return None
    return moment if EARLIEST <= moment <= LATEST else None


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
    """Return how far the zone is east of Greenwich; None when it is no offset."""
    offset = fields.get("offset")
    if not offset:
        return timedelta(minutes=_ZONES.get(fields.get("zone") or "", 0))
    digits = offset[1:].replace(":", "")
    hours, minutes = (int(digits[:-2]), int(digits[-2:])) if len(digits) > 2 else (int(digits), 0)
    if hours > 23 or minutes > 59:
        return None
    return timedelta(hours=hours, minutes=minutes) * (-1 if offset[0] == "-" else 1)
