"""How well pages are read: titles, dates and texts, compared with what an independent reader saw.

A folder holds pages (``NAME.html``, ``NAME.md``, ``NAME.rst``) with that beside them
(``NAME.expect.json``: ``entries`` with ``title``, ``date``, ``anchor``, ``url``). The text of an
entry is what stands between its heading and the next one's: it is read here with the parser of the
standard library, which shares no code with the adapter. A text is right when the words of both are
nearly the same; of the last entry, whose end is not known, its beginning counts.
"""

import json
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

from changelog_reader.adapters.base import ParsedEntry, UnreadableDocument
from changelog_reader.adapters.html import parse_page

SUFFIXES = (".html", ".md", ".rst")
NEARLY = 0.8  # of the words
BEGINNING = 30  # words of the last entry's text
HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
IGNORED = ("script", "style", "title", "nav", "footer", "noscript", "template", "svg", "button")
MEDIA_TYPES = {".html": "text/html", ".md": "text/markdown", ".rst": "text/x-rst"}


@dataclass
class Tally:
    """What was expected of a page, and how much of it is right."""

    expected: int = 0
    found: int = 0
    titles: int = 0
    dated: int = 0
    dates: int = 0
    with_text: int = 0
    texts: int = 0

    def add(self, other: "Tally") -> None:
        """Add the counts of another page."""
        for name in ("expected", "found", "titles", "dated", "dates", "with_text", "texts"):
            setattr(self, name, getattr(self, name) + getattr(other, name))


class Reader(HTMLParser):
    """The words of a page in order, its headings, and where its ids stand."""

    def __init__(self) -> None:
        super().__init__()
        self.words: list[str] = []
        self.anchors: dict[str, int] = {}
        self.headings: list[tuple[str, int, int]] = []
        self._ignored = 0
        self._heading: int | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note ids, headings, and what is no text."""
        self._ignored += tag in IGNORED
        for name, value in attrs:
            if name in ("id", "name") and value:
                self.anchors.setdefault(value, len(self.words))
        if tag in HEADINGS:
            self._heading = len(self.words)

    def handle_endtag(self, tag: str) -> None:
        """Close a heading or what is no text."""
        self._ignored -= tag in IGNORED and self._ignored > 0
        if tag in HEADINGS and self._heading is not None:
            text = " ".join(self.words[self._heading :])
            self.headings.append((text, self._heading, len(self.words)))
            self._heading = None

    def handle_data(self, data: str) -> None:
        """Add words."""
        if not self._ignored:
            self.words.extend(words(data))


def words(text: str) -> list[str]:
    """Return the words of a text for comparisons."""
    return re.findall(r"[^\W_]+", unicodedata.normalize("NFKC", text).casefold())


def same_title(one: str, other: str) -> bool:
    """Return whether one title is the other, or begins it."""
    first, second = words(one), words(other)
    least = min(len(first), len(second))
    return least > 0 and first[:least] == second[:least]


def texts_between(page: str, entries: Sequence[dict[str, Any]]) -> list[list[str] | None]:
    """Return the words below each entry's heading; None where it has none on the page."""
    reader = Reader()
    reader.feed(page)
    places: list[tuple[int, int] | None] = []
    after = 0
    for entry in entries:
        at = reader.anchors.get(str(entry.get("anchor") or ""))
        named = [
            heading
            for heading in reader.headings
            if (at is None or heading[1] >= at - 2)
            and heading[1] >= after
            and words(heading[0])[: len(words(entry["title"]))] == words(entry["title"])
        ]
        places.append(named[0][1:] if named else None)
        after = named[0][2] if named else after
    starts = [place[0] for place in places if place is not None]
    found: list[list[str] | None] = []
    for place in places:
        ends = [start for start in starts if place is not None and start > place[0]]
        end = min(ends, default=None)
        if place is None:
            found.append(None)
        elif end is None:
            found.append(reader.words[place[1] : place[1] + BEGINNING])
        else:
            found.append(reader.words[place[1] : end])
    return found


def text_is_right(entry: ParsedEntry, expected: Sequence[str]) -> bool:
    """Return whether an entry's text is nearly that of the page."""
    wanted = Counter(expected)
    actual = Counter(words(entry.summary or ""))
    for word in words(entry.title):  # a date beside the title may stand in both
        wanted[word] = min(wanted[word], actual[word]) if word in wanted else 0
    common = sum((wanted & actual).values())
    whole = sum(wanted.values())
    missing = common < NEARLY * whole - 3
    is_last = len(expected) == BEGINNING
    strange = not is_last and common < NEARLY * sum(actual.values()) - 3
    return not missing and not strange


def pages(folders: Sequence[Path]) -> Iterator[tuple[Path, dict[str, Any]]]:
    """Yield the pages of folders with what is expected of them."""
    for folder in folders:
        for path in sorted(folder.rglob("*.expect.json")):
            for suffix in SUFFIXES:
                page = path.with_name(path.name.removesuffix(".expect.json") + suffix)
                if page.is_file():
                    yield page, json.loads(path.read_text(encoding="utf-8"))


def tallied(page: Path, expected: dict[str, Any]) -> Tally:
    """Read a page and return how much of it is right."""
    address = expected.get("page_url") or f"https://vendor.example/{page.name}"
    body = page.read_bytes()
    media_type = MEDIA_TYPES[page.suffix]
    tally = Tally()
    try:
        left = list(parse_page(body, address=address, content_type=media_type).entries)
    except UnreadableDocument:
        left = []
    stated_entries = expected["entries"]
    rendered = expected.get("markup") or body.decode("utf-8", "replace")
    texts = texts_between(rendered, stated_entries)
    tally.found = len(left)
    month = expected.get("page_month")
    for stated, text in zip(stated_entries, texts, strict=True):
        _compare(stated, text, left, tally, month)
    return tally


def _compare(
    stated: dict[str, Any],
    text: list[str] | None,
    left: list[ParsedEntry],
    tally: Tally,
    month: str | None,
) -> None:
    """Count one expected entry; the entry that it is no longer is ``left``."""
    tally.expected += 1
    date = stated.get("date") or (f"{month}-01" if month else None)
    tally.dated += bool(date)
    tally.with_text += bool(text)
    alike = [entry for entry in left if same_title(entry.title, stated["title"])]
    exact = [entry for entry in alike if words(entry.title) == words(stated["title"])]
    entry = next(iter([*exact, *alike]), None)
    if entry is None:
        return
    left.remove(entry)
    tally.titles += 1
    if date:
        day = entry.published_at and entry.published_at.date().isoformat()
        tally.dates += day == date
    if text:
        tally.texts += text_is_right(entry, text)
