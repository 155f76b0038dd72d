"""An entry's text in blocks, with the passages that make it important marked. Pure."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from openapi.text import kind_of


class Piece(NamedTuple):
    """A run of text; ``category`` of the passage that it belongs to, or None."""

    text: str
    category: str | None = None


class TextMark(NamedTuple):
    """A passage of a text, from ``start`` to before ``end``."""

    start: int
    end: int
    category: str


@dataclass(frozen=True, slots=True)
class MarkedBlock:
    """Lines that belong together (``kind``: heading, list or paragraph), and why they matter."""

    kind: str
    lines: tuple[tuple[Piece, ...], ...]

    @property
    def categories(self) -> tuple[str, ...]:
        """The categories of its marks, each once."""
        categories = (piece.category for line in self.lines for piece in line)
        return tuple(dict.fromkeys(category for category in categories if category))


def marks_of(text: str, field: str, evidence: Iterable[Mapping[str, Any]]) -> list[TextMark]:
    """Return where passages of a field are in its text, which may be the whole one or a cut one."""
    marks = []
    for passage in evidence:
        if passage["field"] != field or not passage["text"]:
            continue
        start = passage["start"]
        if text[start : passage["end"]] != passage["text"]:
            start = text.find(passage["text"])
        if start >= 0:
            marks.append(TextMark(start, start + len(passage["text"]), passage["category"]))
    return without_overlaps(marks)


def without_overlaps(marks: Iterable[TextMark]) -> list[TextMark]:
    """Return marks in order; of what two of them cover, the first has it."""
    clear: list[TextMark] = []
    for mark in sorted(marks):
        start = max(mark.start, clear[-1].end if clear else 0)
        if start < mark.end:
            clear.append(mark._replace(start=start))
    return clear


def marked_line(text: str, marks: Sequence[TextMark], offset: int = 0) -> tuple[Piece, ...]:
    """Return a line, which begins at ``offset`` of the text that the marks count in, in pieces."""
    return tuple(piece for piece in _pieces(text, marks, offset) if piece.text)


def _pieces(text: str, marks: Sequence[TextMark], offset: int) -> Iterator[Piece]:
    reached = 0
    for mark in marks:
        start, end = max(mark.start - offset, reached), min(mark.end - offset, len(text))
        if start >= end:
            continue
        yield Piece(text[reached:start])
        yield Piece(text[start:end], mark.category)
        reached = end
    yield Piece(text[reached:])


def marked_blocks(text: str, marks: Sequence[TextMark]) -> list[MarkedBlock]:
    """Split an entry's plain text into blocks by the marks of headings and list items."""
    blocks: list[MarkedBlock] = []
    joins, offset = False, 0
    for line in text.splitlines(keepends=True):
        stripped = line.strip()
        if stripped:
            kind, words = kind_of(stripped)
            begins = offset + line.index(stripped) + len(stripped) - len(words)
            pieces = marked_line(words, marks, begins)
            if joins and kind != "heading" and blocks[-1].kind == kind:
                blocks[-1] = MarkedBlock(kind, (*blocks[-1].lines, pieces))
            else:
                blocks.append(MarkedBlock(kind, (pieces,)))
        joins = bool(stripped)
        offset += len(line)
    return blocks
