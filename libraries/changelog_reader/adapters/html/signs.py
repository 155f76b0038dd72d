"""The meaning of a short line: a release, a date, a year, or something else.

The words beside the date and the version decide: none, or a product's name, make a
release heading; those of "Migrating from 2.0" do not.
"""

import re
import unicodedata
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum

from changelog_reader.adapters.html.dates import DateHabits, HumanDate, find_date, words_beside
from changelog_reader.adapters.html.words import (
    DATE_COMPANIONS,
    VERSION_COMPANIONS,
    WORDS,
    is_not_publication,
    month_numbers,
)

_SHORTEST_DAY = 5  # characters: "May 7", below the year or the month of a page
LONGEST_HEADING = 200  # characters of a heading that may announce a release

_SUFFIX = (
    r"(?:[-+._ ]?(?:alpha|beta|rc|dev|pre|post|preview|snapshot|final|canary|nightly|hotfix|patch"
    r"|build|sp|ga|lts|[abcmpr](?=[-.]?\d))[-.]?\d*(?:\.\d+)*|[-+][0-9A-Za-z][0-9A-Za-z.-]*|[a-z])*"
)
_VERSION = re.compile(
    r"(?<![\w$€£.,/:-])v?\.?\s?(?P<number>\d{1,6}(?:\.(?:\d{1,10}|[xX*])){1,4})"
    + _SUFFIX
    + r"(?![\w%€$])",
    re.IGNORECASE,
)
_NAMED_VERSION = re.compile(
    r"(?<![\w.-])(?:(?:version|release|build|ver\.?|rev\.?|versión|versão|バージョン|版本|버전)\s*[.:#]?\s*"
    r"|v\.?\s?|r(?=\d{2,}))(?P<number>\d{1,7})" + _SUFFIX + r"(?![\w%.])",
    re.IGNORECASE,
)
_LOOSE_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_OPENERS = ("(", "[", "-", "–", "—", "|", ",", "·", "/", ":")  # before a date at the end
_CLOSERS = (":", "-", "–", "—", "|", "/", ",", "·", "•", ")", "]")  # after one at the start
_YEAR_ONLY = re.compile(r"^\D{0,24}\b((?:19|20)\d\d)\b\D{0,16}$")


class SignKind(StrEnum):
    """Kinds of lines that announce an entry or a section."""

    VERSION = "version"
    DATE = "date"
    YEAR = "year"
    NOT_YET = "not yet"
    CATEGORY = "category"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Sign:
    """A line and what it announces.

    ``bare`` is true when nothing but the version and the date is said; ``before`` counts
    the words in front of the version, such as a product's name.
    """

    text: str
    kind: SignKind
    version: str | None = None
    date: HumanDate | None = None
    year: int | None = None
    bare: bool = False
    before: int = 0

    @property
    def announces(self) -> bool:
        """Return True if the line announces a release or a day."""
        return self.kind in (SignKind.VERSION, SignKind.DATE)


def written_line(text: str) -> str:
    """Return a text on one line, as it was written."""
    return " ".join(text.replace("\u200b", "").replace("\ufeff", "").split())


def plain_line(text: str) -> str:
    """Return a text on one line for reading, full-width digits and spaces made ordinary."""
    return written_line(unicodedata.normalize("NFKC", text))


def read_sign(line: str, habits: DateHabits) -> Sign:
    """Return what a heading or a short line announces. ``line`` is a plain line."""
    if not line or len(line) > LONGEST_HEADING:
        return Sign(line, SignKind.OTHER)
    date = find_date(line, habits) or _month_of_the_year(line, habits)
    if date and is_not_publication(line[: date.end]):
        date = None
    without_date = line if date is None else f"{line[: date.start]} · {line[date.end :]}"
    version = _VERSION.search(without_date) or _NAMED_VERSION.search(without_date)
    if version:
        return _version_sign(line, without_date, version, date)
    beside = words_beside(line, date.start, date.end) if date else []
    if date and _only_companions(beside, line, date):
        return Sign(line, SignKind.DATE, date=date, bare=not beside)
    year = _YEAR_ONLY.match(line)
    words = _words(line)
    if year and all(word in VERSION_COMPANIONS for word in words):
        return Sign(line, SignKind.YEAR, year=int(year[1]))
    if words and any(word in WORDS["not_yet"] for word in words) and len(words) <= 4:
        return Sign(line, SignKind.NOT_YET, date=date)
    if words and all(word in WORDS["categories"] or word in ("and", "or", "&") for word in words):
        return Sign(line, SignKind.CATEGORY)
    return Sign(line, SignKind.OTHER, date=date)


def _month_of_the_year(line: str, habits: DateHabits) -> HumanDate | None:
    """Return the first day of a month that is alone below the year it belongs to."""
    if habits.year is None:
        return None
    number = month_numbers(habits.language).get(line.lower().strip(" :."))
    if number is None:
        return None
    return HumanDate(datetime(habits.year, number, 1, tzinfo=UTC), False, 0, len(line))


def _only_companions(beside: list[str], line: str, date: HumanDate) -> bool:
    """Return whether a dated line is about its date: alone, or first and followed by a title."""
    strange = [word for word in beside if word not in VERSION_COMPANIONS]
    if not strange:
        return True
    if not date.is_day or date.end - date.start < _SHORTEST_DAY:
        return False
    after = line[date.end :].lstrip()
    starts = all(word in DATE_COMPANIONS for word in _words(line[: date.start]))
    # "2024-05-01: Faster search", "May 1, 2024 – Faster search", "Faster search (May 1, 2024)"
    if starts and (not after or after.startswith(_CLOSERS)):
        return True
    return not after.strip(")].") and line[: date.start].rstrip().endswith(_OPENERS)


def _version_sign(
    line: str, without_date: str, version: re.Match[str], date: HumanDate | None
) -> Sign:
    before = _words(without_date[: version.start()])
    after = _words(without_date[version.end() :])
    strange_before = [word for word in before if word not in VERSION_COMPANIONS]
    strange_after = [word for word in after if word not in VERSION_COMPANIONS]
    number = version["number"]
    text = version.group().strip()
    is_version = text[0] in "vV" or len(before) > len(strange_before) or number.count(".") >= 2
    follows = without_date[version.end() :].lstrip()[:1]
    titled = follows in tuple(":-–—|(/·[,")
    is_release = (
        len(strange_before) <= 4
        and not any(word in WORDS["about_a_version"] for word in before)
        and (not strange_after or titled or (is_version and len(strange_before) == 0))
        and (date is not None or is_version or not strange_after)
    )
    if not is_release:
        return Sign(line, SignKind.OTHER, date=date)
    bare = not strange_after and not strange_before
    number = without_date[version.start("number") : version.end()].strip()
    return Sign(line, SignKind.VERSION, number, date, bare=bare, before=len(strange_before))


def _words(text: str) -> list[str]:
    return [word.lower() for word in _LOOSE_WORD.findall(text)]
