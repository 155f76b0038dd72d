"""Stored entries as anchors: which of them a page still shows, and in which lines.

An entry is recognised by its link, else by its title without dates and versions' marks:
a redesign may write "5 mars 2024" where "March 5, 2024" stood.
"""

import re
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from urllib.parse import unquote, urldefrag

from changelog_reader.adapters.base import KnownEntry
from changelog_reader.adapters.html.candidate import PageAnalysis
from changelog_reader.adapters.html.dates import DateHabits, find_date
from changelog_reader.adapters.html.outline import PageLine
from changelog_reader.adapters.html.signs import plain_line

_ONE_DAY = timedelta(hours=36)  # zones move a day by one; other days are other entries
_NOT_WORD = re.compile(r"[\W_]+")


def title_key(title: str, habits: DateHabits) -> str:
    """Return a title's letters without its date, which may be written in several ways.

    For a title that is only a date, return its day.
    """
    line = plain_line(title)
    date = find_date(line, habits)
    if date is None:
        return _letters(line)
    remainder = _letters(f"{line[: date.start]} {line[date.end :]}")
    return remainder if any(map(str.isalnum, remainder)) else date.at.date().isoformat()


def _letters(text: str) -> str:
    return _NOT_WORD.sub("", text.casefold())


def same_link(one: str | None, other: str | None) -> bool:
    """Return whether two links lead to one place, whatever the scheme and the final slash."""
    return bool(one) and bool(other) and _place(one or "") == _place(other or "")


def _place(link: str) -> str:
    bare, fragment = urldefrag(link)
    host_and_path = bare.split("://", 1)[-1].removeprefix("www.").rstrip("/")
    return f"{host_and_path}#{unquote(fragment)}"


def day_agrees(stored: KnownEntry, at: datetime | None) -> bool:
    """Return whether an entry dated ``at`` may be a stored one; an undated one may."""
    return at is None or abs(stored.published_at - at) <= _ONE_DAY


def lines_of_entries(
    stored_entries: Sequence[KnownEntry], analysis: PageAnalysis
) -> dict[str, list[PageLine]]:
    """Return, for each entry that the page still shows, the lines with its title."""
    by_key: dict[str, list[PageLine]] = {}
    for line in analysis.lines:
        for key in _keys(line, analysis):
            by_key.setdefault(key, []).append(line)
    places: dict[str, list[PageLine]] = {}
    for entry in stored_entries:
        lines = by_key.get(title_key(entry.title, analysis.habits))
        if lines:
            places[entry.id] = lines
    return places


def _keys(line: PageLine, analysis: PageAnalysis) -> Iterator[str]:
    """Yield the title keys of a line: of its whole text, its bold start, its links."""
    keys = {title_key(line.text, analysis.habits), title_key(line.title, analysis.habits)}
    for node in line.nodes:
        if node.is_element_node and len(line.text) <= 400:
            keys.update(
                title_key(element.text(deep=True), analysis.habits)
                for element in node.css("a, b, strong, em, span")
            )
    if not line.level and len(line.text) > 400:
        return
    yield from (key for key in keys if key)
