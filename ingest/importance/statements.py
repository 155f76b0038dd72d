"""Takes an entry apart: items and paragraphs, each with the heading it stands under."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from ingest.importance.headings import Scope, scope_of
from ingest.importance.masking import mask
from ingest.importance.shapes import Field

LONGEST = 1_500  # characters; longer paragraphs are read in pieces
LONGEST_HEADING = 90

_LINE = re.compile(r"[^\n]+")
_HEADING = re.compile(r" {0,3}(?:#{1,6} +(.*\S)|\*\*([^*\n]{2,80})\*\*:?|__([^_\n]{2,80})__:?) *$")
_ITEM = re.compile(r"[ \t]*(?:[-*+•–·]|\d{1,3}[.)])[ \t]+")
# A full stop ends a sentence unless it stands behind an abbreviation or a day of the
# month ("1. Juni"). The stop comes first in the pattern: that is what a search can skip to.
_ABBREVIATED = "".join(
    rf"(?<!\b{word}\.)"
    for word in (
        *("Jan", "Feb", "Mar", "Apr", "Aug", "Sept", "Sep", "Oct", "Nov", "Dec"),
        *("e.g", "i.e", "etc", "vs", "No", "approx"),
    )
)
_END = re.compile(
    rf"[.!?](?<!\s\d\.)(?<!\s\d\d\.)(?<![.\s(][A-Za-z]\.){_ABBREVIATED}"
    r"[.!?]{0,2}[)\"'”*_]{0,3}\s+(?=[^a-z\s])|[。！？]+\s*"
)


@dataclass(frozen=True, slots=True)
class Statement:
    """One item, paragraph or title, with its offset in the field.

    ``masked`` is as long as the text it stands for. ``heading`` is the span of the
    words of the heading above it, (0, 0) when there is none.
    """

    field: Field
    start: int
    masked: str
    scope: Scope = Scope.UNKNOWN
    heading: tuple[int, int] = (0, 0)

    def sentences(self) -> Iterator[tuple[int, int]]:
        """Yield the span of every sentence, as offsets into the statement."""
        at = 0
        for stop in _END.finditer(self.masked):
            yield at, stop.end()
            at = stop.end()
        if at < len(self.masked):
            yield at, len(self.masked)


def statements(title: str, summary: str) -> Iterator[Statement]:
    """Yield what an entry says, in order, each part knowing its heading."""
    yield from _pieces("title", mask(title), 0, len(title), Scope.UNKNOWN, (0, 0))
    masked = mask(summary)
    scope, heading = Scope.UNKNOWN, (0, 0)
    for start, end in _blocks(summary):
        found = _as_heading(summary, start, end)
        if found is None:
            yield from _pieces("summary", masked, start, end, scope, heading)
        else:
            scope, heading = scope_of(summary[found[0] : found[1]]), found


def _pieces(
    field: Field, masked: str, start: int, end: int, scope: Scope, heading: tuple[int, int]
) -> Iterator[Statement]:
    """Yield a block without its bullet; one that is too long in several pieces."""
    item = _ITEM.match(masked, start, end)
    first = item.end() if item else start
    for at in range(first, end, LONGEST):
        yield Statement(field, at, masked[at : min(end, at + LONGEST)], scope, heading)


def _blocks(text: str) -> Iterator[tuple[int, int]]:
    """Yield the span of every heading, list item and paragraph.

    A line that continues the one before it belongs to the same block.
    """
    start = end = -1
    for line in _LINE.finditer(text):
        said = line[0]
        if not said.strip():
            continue
        opens = line.start() != end + 1 or _ITEM.match(said) or _HEADING.match(said)
        if start >= 0 and (opens or _as_heading(text, start, end)):
            yield start, end
            start = -1
        if start < 0:
            start = line.start()
        end = line.end()
    if start >= 0:
        yield start, end


def _as_heading(text: str, start: int, end: int) -> tuple[int, int] | None:
    """Return the span of the heading's words when the block is one, else None.

    A marked heading always is one. A short line is one when it says what only
    headings say: vendors write "Breaking changes:" as a paragraph.
    """
    if end - start > LONGEST_HEADING:
        return None
    block = text[start:end]
    found = _HEADING.match(block)
    if found:
        group = found.lastindex or 0
        return start + found.start(group), start + found.end(group)
    if "\n" in block or _ITEM.match(block) or block.rstrip().endswith((".", "。")):
        return None
    return (start, end) if scope_of(block) is not Scope.UNKNOWN else None
