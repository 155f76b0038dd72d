"""The statements of an entry: items and paragraphs, each with the heading above it."""

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple, TypeAlias

from changelog_reader.importance.headings import Scope, says_nothing, scope_of
from changelog_reader.importance.mask import mask
from changelog_reader.importance.results import Field

LONGEST = 1_500  # characters; longer paragraphs are read in pieces
LONGEST_HEADING = 90  # characters
LONGEST_LABEL = 40  # characters of an item that is the heading of those below it
_MOST_SPACES = 3  # in such an item
SETTLING = frozenset(Scope) - {Scope.FIXES, Scope.HARMLESS, Scope.UPKEEP, Scope.UNKNOWN}

_HEADING = re.compile(r" {0,3}(?:#{1,6} +(.*\S)|\*\*([^*\n]{2,80})\*\*:?|__([^_\n]{2,80})__:?) *$")
_LINK = re.compile(r"(?:upgrad|migrat|port)\w*\s(?:guide|instructions|steps)$", re.IGNORECASE)
_ITEM = re.compile(r"[ \t]*(?:[-*+•–·]|\d{1,3}[.)])[ \t]+")
_CELLS = " | "  # between the cells of a row
_BLANKS = ("", " ", "\t")  # behind the bullet of an item
# A full stop ends a sentence unless it is behind an abbreviation or a day of the
# month ("1. Juni"). Stops come first in the pattern: a search skips from one to the next.
_ABBREVIATIONS = "Jan Feb Mar Apr Aug Sept Sep Oct Nov Dec e.g i.e etc vs No approx cf"
_ABBREVIATED = "".join(rf"(?<!\b{word}\.)" for word in _ABBREVIATIONS.split())
SENTENCE_END = re.compile(
    r"[.!?。！？](?:"
    rf"(?<=[.!?])(?<!\s\d\.)(?<!\s\d\d\.)(?<![.\s(][A-Za-z]\.)(?<![.\s]\.){_ABBREVIATED}"
    r"[.!?]{0,2}[)\"'”*_]{0,3}\s+(?=[^a-z\s])"
    r"|(?<=[。！？])[。！？]*\s*)"
    r"|[:;)\x00]\n(?=[A-Z])|\n(?=[A-Z]\w{2,20}:\s)"  # a line of its own
)
# An item, a paragraph, a row or a heading: where it starts, behind its bullet, and ends; the span
# of a heading's words, None for what is none; whether it is an item; the span of a row's header.
_Block: TypeAlias = tuple[int, int, tuple[int, int] | None, bool, tuple[int, int]]


class Statement(NamedTuple):
    """One item, paragraph or title, with its offset in the field.

    ``masked`` is as long as the text it stands for. ``heading`` is the span of the
    words of the heading above it, (0, 0) when there is none; ``header`` that of the first row
    of the table whose row it is.
    """

    field: Field
    start: int
    masked: str
    scope: Scope = Scope.UNKNOWN
    heading: tuple[int, int] = (0, 0)
    header: tuple[int, int] = (0, 0)


@lru_cache(maxsize=64)  # judgement, deadlines and evidence ask for them
def sentences(masked: str) -> list[tuple[int, int]]:
    """Return the span of every sentence of a statement, as offsets into it."""
    ends = (stop.end() for stop in SENTENCE_END.finditer(masked))
    return [*pairwise(dict.fromkeys((0, *ends, len(masked))))]


def statements(title: str, summary: str) -> Iterator[Statement]:
    """Yield what an entry says, in order, each part knowing its heading."""
    item = _ITEM.match(title)
    first = item.end() if item else 0
    yield from _pieces("title", mask(title), first, len(title), Scope.UNKNOWN, (0, 0))
    masked = mask(summary)
    scope, heading = above = Scope.UNKNOWN, (0, 0)
    label: list[Statement] = []  # an item that is a heading, with nothing below it yet
    labelled = False
    for start, end, words, is_item, header in _blocks(summary):
        if words is None and is_item and _is_label(summary[start:end], labelled=labelled):
            words, labelled = (start, end), True
        elif words is not None:
            labelled = False
        if words is not None:
            yield from label
            heading = words
            scope = scope_of(summary[heading[0] : heading[1]])
            if scope is Scope.UNKNOWN:  # "Removed `x` from", above a list
                yield Statement("summary", words[0], masked[words[0] : words[1]])
            label = [Statement("summary", start, masked[start:end], *above)] if labelled else []
            above = above if labelled else (scope, heading)
            continue
        label = []
        if scope is not Scope.UNKNOWN and says_nothing(masked[start:end]):
            scope, heading = Scope.UNKNOWN, (0, 0)  # what follows is not of this section
            continue
        if end - start <= LONGEST:
            if start < end:
                yield Statement("summary", start, masked[start:end], scope, heading, header)
        else:
            yield from _pieces("summary", masked, start, end, scope, heading)
    yield from label


def _is_label(item: str, *, labelled: bool) -> bool:
    """Return whether an item is the heading of those below it: a list in a list is served as one.

    "2 bug fixes:" is one, and "Security fixes"; "Bug fixes" may be all that is said, unless the
    items above it have such a heading (``labelled``).
    """
    if len(item) > LONGEST_LABEL or item.count(" ") > _MOST_SPACES or item.startswith("#"):
        return False
    scope = _unmarked_scope_of(item)
    return scope is not Scope.UNKNOWN and (labelled or scope in SETTLING or item.endswith(":"))


def _pieces(
    field: Field, masked: str, start: int, end: int, scope: Scope, heading: tuple[int, int]
) -> Iterator[Statement]:
    """Yield a block, or one that is too long in several pieces."""
    while start < end:
        most = start + LONGEST
        stops = (masked.rfind(stop, start, most) + 1 for stop in (". ", "\n"))
        stop = end if end <= most else max(stops) or masked.rfind(" ", start, most) + 1 or most
        yield Statement(field, start, masked[start:stop], scope, heading)
        start = stop


def _blocks(text: str) -> Iterator[_Block]:
    """Yield every heading, list item, row of a table and paragraph.

    A line that continues the one before it belongs to the same block. The first row of a table
    is the header of the others, and no block of its own.
    """
    start = end = after = -1
    heading = None
    is_item = is_row = False
    header = (0, 0)
    at = 0  # where the line begins
    for line in text.split("\n"):
        here, at = at, at + len(line) + 1
        if not line or line.isspace():
            continue
        behind, marked = _item_end(line), None
        if not behind and not line[0].isalpha():
            marked = _HEADING.match(line)
        was_row, is_row = is_row, _CELLS in line and not behind
        adjoins = here == after
        if start < 0 or not adjoins or heading is not None or behind or marked or was_row or is_row:
            is_header = adjoins and was_row and is_row and not header[1]
            if start >= 0 and not is_header:
                yield start, end, heading, is_item, header
            header = (start, end) if is_header else header if adjoins and is_row else (0, 0)
            start, is_item = here + behind, bool(behind)
            heading = None if behind or is_row else _heading(line, here, marked)
        end = here + len(line)
        after = at
    if start >= 0:
        yield start, end, heading, is_item, header


def _item_end(line: str) -> int:
    """Return where the bullet of a list item ends, 0 where there is none."""
    if line.startswith("- ") and line[2:3] not in _BLANKS:
        return 2  # as ingestion writes them
    if line[0].isalpha():
        return 0  # as most lines begin, and no bullet does
    item = _ITEM.match(line)
    return item.end() if item else 0


def _heading(line: str, at: int, marked: re.Match[str] | None) -> tuple[int, int] | None:
    """Return the span of a heading's words when the line at ``at`` is one, else None.

    A marked heading always is one. A short line is one when it says what only
    headings say: vendors write "Breaking changes:" as a paragraph.
    """
    if len(line) > LONGEST_HEADING:
        return None
    if marked:
        group = marked.lastindex or 0
        return at + marked.start(group), at + marked.end(group)
    if line.rstrip().endswith((".", "。")):
        return None
    return (at, at + len(line)) if _unmarked_scope_of(line) is not Scope.UNKNOWN else None


def _unmarked_scope_of(line: str) -> Scope:
    """Return the scope of a line without a mark; "Upgrade guide" is then a link to one."""
    return Scope.UNKNOWN if _LINK.match(line) else scope_of(line)
