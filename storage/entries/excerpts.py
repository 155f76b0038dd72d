"""Excerpts: a text cut to a length so that its beginning and certain passages of it stay."""

from collections.abc import Iterable
from typing import Final, NamedTuple

END: Final = "…"
START: Final = "… "
GAP: Final = " … "
_SHORTEST_BEGINNING: Final = 40  # characters; a shorter one says nothing


class Span(NamedTuple):
    """A part of a text, from ``start`` to before ``end``, in code points."""

    start: int
    end: int


class Excerpt(NamedTuple):
    """The text of an excerpt, and the parts of the whole text that it is made of."""

    text: str
    parts: tuple[Span, ...]

    def place(self, span: Span) -> Span | None:
        """Return where a span of the whole text is in the excerpt; None where it was left out."""
        offset = len(START) if self.parts and self.parts[0].start > 0 else 0
        for part in self.parts:
            if part.start <= span.start and span.end <= part.end:
                shift = offset - part.start
                return Span(span.start + shift, span.end + shift)
            offset += part.end - part.start + len(GAP)
        return None


def excerpt(text: str, passages: Iterable[Span], *, length: int) -> Excerpt:
    """Cut a text to at most ``length`` characters, around the passages that have to stay.

    The passages come in the order of their weight: one for which there is no room left is left
    out. What room they leave goes to the beginning of the text, which ends between two words.
    """
    if len(text) <= length:
        return Excerpt(text, (Span(0, len(text)),))
    parts: list[Span] = []
    for passage in passages:
        more = _merged([*parts, passage])
        if _length(more, len(text)) <= length:
            parts = more
    parts = _with_beginning(text, parts, length)
    joined = GAP.join(text[part.start : part.end] for part in parts)
    before = START if parts[0].start > 0 else ""
    after = END if parts[-1].end < len(text) else ""
    return Excerpt(f"{before}{joined}{after}", tuple(parts))


def _with_beginning(text: str, parts: list[Span], length: int) -> list[Span]:
    """Add as much of the beginning of a text as there is room for."""
    later = list(parts)
    reached = 0
    while True:
        room = length - _length([Span(0, reached), *later], len(text))
        if not later or reached + room < later[0].start - len(GAP):
            break
        reached = later.pop(0).end  # the beginning runs into this passage
    end = _word_end(text, reached, reached + room)
    if reached == 0 and later and end < _SHORTEST_BEGINNING:
        return later
    return [Span(0, end), *later]


def _word_end(text: str, start: int, end: int) -> int:
    """Return the end of the last word between two places; of one long word its cut."""
    if end >= len(text):
        return len(text)
    if text[end].isspace():
        return start + len(text[start:end].rstrip())
    space = max(text.rfind(" ", start, end), text.rfind("\n", start, end))
    if space < start + (end - start) // 2:
        return end  # one long word, or writing without spaces
    return start + len(text[start:space].rstrip())


def _merged(parts: Iterable[Span]) -> list[Span]:
    """Return the parts in order, those that touch or nearly touch as one."""
    merged: list[Span] = []
    for part in sorted(parts):
        if merged and part.start <= merged[-1].end + len(GAP):
            merged[-1] = Span(merged[-1].start, max(merged[-1].end, part.end))
        else:
            merged.append(part)
    return merged


def _length(parts: list[Span], whole: int) -> int:
    characters = sum(part.end - part.start for part in parts) + len(GAP) * (len(parts) - 1)
    before = len(START) if parts[0].start > 0 else 0
    after = len(END) if parts[-1].end < whole else 0
    return characters + before + after
