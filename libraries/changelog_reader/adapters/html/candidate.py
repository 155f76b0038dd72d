"""Candidates for the entries of a page, and the analysis of the page that strategies share."""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime

from selectolax.lexbor import LexborNode

from changelog_reader.adapters.base import UnreadableDocument
from changelog_reader.adapters.block_pages import refuse_block_page
from changelog_reader.adapters.html.dates import (
    TIME_OF_DAY,
    DateHabits,
    find_date,
    month_comes_first,
)
from changelog_reader.adapters.html.outline import PageLine, outline, text_of
from changelog_reader.adapters.html.page import Page, decode, load_page
from changelog_reader.adapters.html.regions import ancestors
from changelog_reader.adapters.html.signs import Sign, SignKind, read_sign
from changelog_reader.adapters.html.words import (
    CHANGELOG_WORDS,
    DATE_COMPANIONS,
    SURE_CHANGELOG_WORDS,
    is_not_publication,
)
from changelog_reader.content.dates import parse_timestamp

MOST_ITEMS = 1_000  # entries of one page; what is beyond is older than any reader needs
_TIMES = ("time", "relative-time")
_ATTRIBUTES = ("datetime", "title", "data-datetime", "data-date", "data-time", "data-timestamp")
_STAMPED = ", ".join([*_TIMES, ".published[title]", *(f"[{name}]" for name in _ATTRIBUTES[1:])])
RELATIVE_TIME = re.compile(
    r"\b(?:ago|yesterday|today|just now|last (?:week|month|year))\b|^(?:vor|il y a|hace|há)\b",
    re.IGNORECASE,
)
_SHORT_LINE = 200  # characters of a line in which a date may be beside other words
_LANGUAGE = re.compile(r"[a-z]{2}(?:-[a-z]{2})?")


@dataclass(frozen=True, slots=True)
class EntryDate:
    """A date and the kind of place it was read from."""

    at: datetime
    source: str


@dataclass(frozen=True, slots=True)
class PageItem:
    """An entry that a strategy read from the page.

    ``region`` is the entry's part of the page, ``heading`` and ``date_node`` are where its
    title and its date stand, ``apart`` the nodes that repeat them and are not its text.
    Entries of structured data have no region but ``markup``.
    """

    title: str
    dated: EntryDate | None
    region: tuple[LexborNode, ...] = ()
    heading: LexborNode | None = None
    date_node: LexborNode | None = None
    apart: tuple[LexborNode, ...] = ()
    link: str | None = None
    markup: str | None = None
    vendor_id: str | None = None
    version: str | None = None
    updated_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Candidate:
    """All entries that one strategy proposes."""

    strategy: str
    items: tuple[PageItem, ...]


@dataclass(frozen=True, slots=True)
class PageAnalysis:
    """A page, its lines, and the date and sign of each."""

    page: Page
    lines: Sequence[PageLine]
    signs: Mapping[int, Sign]
    dates: Mapping[int, EntryDate]
    line_of: Mapping[int, int] = field(repr=False)
    habits: DateHabits

    def without_date(self, line: PageLine) -> str:
        """Return a line's words without its date and what joins them."""
        date = find_date(line.text, self.habits)
        if date is None:
            return line.text
        left = f"{line.text[: date.start]} {line.text[date.end :]}"
        return " ".join(TIME_OF_DAY.sub(" ", left).split()).strip(" :;,-–—|·•/()[]")

    def dated(self, line: PageLine) -> EntryDate | None:
        """Return the date that a line gives to the entry it belongs to."""
        return self.dates.get(line.index)

    def sign(self, line: PageLine) -> Sign:
        """Return what a heading or a short line announces."""
        return self.signs.get(line.index) or Sign(line.text, SignKind.OTHER)

    def lines_in(self, region: Sequence[LexborNode]) -> list[PageLine]:
        """Return the lines that start inside a region, in order."""
        indexes: list[int] = []
        for top in region:
            for node in top.traverse(include_text=True):
                index = self.line_of.get(node.mem_id)
                if index is not None:
                    indexes.append(index)
        return [self.lines[index] for index in sorted(set(indexes))]

    @property
    def speaks_of_changes(self) -> bool:
        """Return True if the address, the title or the first heading names a changelog."""
        first = next((line.text for line in self.lines if line.level == 1), "")
        place = self.page.address.split("://")[-1].lower()
        names = f"{self.page.title} {first}".lower()
        if any(word in place for word in CHANGELOG_WORDS):
            return True
        words = SURE_CHANGELOG_WORDS if is_home(place) else CHANGELOG_WORDS
        return any(word in names for word in words)


def is_home(place: str) -> bool:
    """Return whether an address without its scheme is a site's home page, in a language or not.

    "News, culture and life" is what a magazine's title says there.
    """
    path = place.split("#", 1)[0].split("?", 1)[0].partition("/")[2].strip("/")
    return not path or path in ("index.html", "home") or _LANGUAGE.fullmatch(path) is not None


@contextmanager
def analysed_page(body: bytes, *, address: str, content_type: str | None) -> Iterator[PageAnalysis]:
    """Give the analysis of a page to the block that reads it.

    Raises BlockedDocument for a challenge, consent or sign-in page, UnreadableDocument for other
    documents and for a page that is nested too deeply for the block.
    """
    try:
        page = load_page(body, address=address, content_type=content_type)
        refuse_block_page(decode(body, content_type), page.parser, page.title)
        yield analyse_page(page)
    except RecursionError:
        raise UnreadableDocument("The page is nested too deeply.") from None


def analyse_page(page: Page) -> PageAnalysis:
    """Return the page's lines with the dates and signs that are in them."""
    lines = outline(page.body)
    month_first = month_comes_first((line.text for line in lines), page.locale)
    habits = DateHabits(page.language, month_first)
    line_of = {node.mem_id: line.index for line in lines for node in line.nodes}
    dates = _stamped(page, line_of, habits)
    signs: dict[int, Sign] = {}
    for line in lines:
        if len(line.text) > _SHORT_LINE or not (line.level or any(map(str.isdigit, line.text))):
            continue
        sign = read_sign(line.text, habits)
        signs[line.index] = sign
        year = _year_below(line, sign)
        if year is not None:
            habits = replace(habits, year=year)
        dated = _written(line, sign, habits)
        if dated:
            dates.setdefault(line.index, dated)
    return PageAnalysis(page, lines, signs, dates, line_of, habits)


def _year_below(line: PageLine, sign: Sign) -> int | None:
    """Return the year that a heading gives to the dates below it: its own, or its month's."""
    if sign.kind is SignKind.YEAR and (line.level or line.text.strip("() :").isdigit()):
        return sign.year
    is_month = line.level and sign.kind is SignKind.DATE and sign.date
    return sign.date.at.year if is_month and sign.date and not sign.date.is_day else None


def _stamp(node: LexborNode, habits: DateHabits) -> EntryDate | None:
    """Return the date that an element's attributes give, where its text is no date.

    Of other elements than those of time only a text such as "2 days ago" is trusted to have
    its date in an attribute.
    """
    attributes = node.attributes
    if node.tag in _TIMES or "published" in (attributes.get("class") or ""):
        at = parse_timestamp(attributes.get("datetime") or attributes.get("title") or "")
        if at is not None:
            return EntryDate(at, "time[datetime]")
    if not RELATIVE_TIME.search(text_of(node)[:_SHORT_LINE]):
        return None
    for name in _ATTRIBUTES:
        value = (attributes.get(name) or "").strip()
        written = find_date(value, habits)
        at = parse_timestamp(value) or (written.at if written and written.is_day else None)
        if at is not None:
            return EntryDate(at, "text")
    return None


def _stamped(page: Page, line_of: Mapping[int, int], habits: DateHabits) -> dict[int, EntryDate]:
    """Return the dates that elements have in attributes, by the line they are in."""
    dates: dict[int, EntryDate] = {}
    for node in page.body.css(_STAMPED):
        dated = _stamp(node, habits)
        if dated is None:
            continue
        holder = next((it for it in (node, *ancestors(node)) if it.mem_id in line_of), None)
        if holder is None or line_of[holder.mem_id] in dates:
            continue
        around = holder.text(deep=True).lower()[:_SHORT_LINE]
        if not is_not_publication(around):
            dates.setdefault(line_of[holder.mem_id], dated)
    return dates


def _written(line: PageLine, sign: Sign, habits: DateHabits) -> EntryDate | None:
    """Return the date a line was written with: alone, in front, or at the end."""
    if sign.announces and sign.date:
        return EntryDate(sign.date.at, "heading" if line.level else "text")
    date = sign.date or find_date(line.text, habits)
    if line.level:
        ends = date and date.is_day and not line.text[date.end :].strip(" ).]")
        return EntryDate(date.at, "heading") if date and ends and date.start else None
    if date is None or is_not_publication(line.text[: date.end]):
        return None
    in_front = line.text[: date.start].lower().replace(":", " ").split()
    behind = line.text[date.end :].strip(" ).]·|*")
    if not behind or all(word.strip(",.") in DATE_COMPANIONS for word in in_front):
        return EntryDate(date.at, "text")
    return None
