"""Geometry of the drawings on pages: where each rectangle, mark and label stands. Pure.

Drawings are as wide as their place: what lies along the width is in per cent, what lies along the
height in pixels, so that no text and no mark is ever stretched. ``templates/drawings.html`` writes
them as inline SVG, each with a sentence for those who do not see it and the numbers in a table.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import accumulate, pairwise
from typing import Final, NamedTuple

STRIP_HEIGHT: Final = 72
BAR_HEIGHT: Final = 34
ROW_HEIGHT: Final = 15
LABEL_HEIGHT: Final = 18
_DOT_SHARE: Final = 2.4  # per cent of the width of a phone that a mark takes
_LABEL_SHARE: Final = 17.0  # ... and a label such as "14 April"
_MONTH_SHARE: Final = 6.0  # ... and one such as "Apr"
_MOST_ROWS: Final = 8
Column = tuple[str, Mapping[str, int], bool]
"""One step of a strip: title, parts by kind from the bottom up, and whether nothing is known."""


class Rectangle(NamedTuple):
    """A part of a drawing; ``kind`` is its class in the style sheet, ``title`` its tooltip."""

    x: float
    width: float
    y: float
    height: float
    kind: str
    title: str


class Label(NamedTuple):
    """A text under a drawing; ``anchor`` keeps it inside: start, middle or end."""

    x: float
    text: str
    anchor: str


@dataclass(frozen=True, slots=True)
class Mark:
    """An event on an axis; ``label`` stands under it where there is room."""

    day: date
    kind: str
    title: str
    label: str = ""


class Drawing(NamedTuple):
    """Rectangles with labels under them."""

    rectangles: tuple[Rectangle, ...]
    labels: tuple[Label, ...]
    height: int


class Axis(NamedTuple):
    """A line of time; ``line`` is its height, ``today`` its place or None.

    ``marks`` stand with their places: x, and y of the middle of the dot.
    """

    marks: tuple[tuple[Mark, float, int], ...]
    labels: tuple[Label, ...]
    months: tuple[Label, ...]
    today: float | None
    line: int
    height: int


def strip(columns: Sequence[Column], labels: Mapping[int, str] | None = None) -> Drawing:
    """Return columns of equal width, stacked by kind; ``labels`` by the number of their column."""
    highest = max((sum(parts.values()) for _, parts, _ in columns), default=0) or 1
    share = 100 / max(len(columns), 1)
    rectangles = [
        rectangle
        for number, column in enumerate(columns)
        for rectangle in _stack(column, number * share, share, STRIP_HEIGHT / highest)
    ]
    under = [(place * share, text) for place, text in sorted((labels or {}).items())]
    return Drawing(tuple(rectangles), _apart(under, _MONTH_SHARE), STRIP_HEIGHT + LABEL_HEIGHT)


def _stack(column: Column, x: float, share: float, scale: float) -> Iterator[Rectangle]:
    """Yield the parts of a column; a gap is as high as the strip, an empty week a line."""
    title, parts, is_missing = column
    left, width = _round(x + share * 0.08), _round(share * 0.84)
    if is_missing:
        yield Rectangle(left, width, 0, STRIP_HEIGHT, "missing", title)
    bottom = float(STRIP_HEIGHT)
    for kind, count in parts.items():
        height = max(count * scale, 1.5) if count else 0
        bottom -= height
        if count:
            top = _round(max(bottom, 0))
            yield Rectangle(left, width, top, _round(height), kind, title)
    if bottom == STRIP_HEIGHT and not is_missing:
        yield Rectangle(left, width, STRIP_HEIGHT - 1, 1, "none", title)


def bars(states: Sequence[tuple[str, str, float | None]], first: str, last: str) -> Drawing:
    """Return one bar a day from its tooltip, kind and share of 1; without a share it is hatched.

    A bar is drawn from the bottom; what is missing to the whole stands pale above it.
    """
    share = 100 / max(len(states), 1)
    rectangles: list[Rectangle] = []
    for number, (title, kind, part) in enumerate(states):
        left, width = _round((number + 0.1) * share), _round(share * 0.8)
        if part is None:
            rectangles.append(Rectangle(left, width, 0, BAR_HEIGHT, "missing", title))
            continue
        height = _round(max(part * BAR_HEIGHT, 2))
        if height < BAR_HEIGHT:
            rectangles.append(Rectangle(left, width, 0, BAR_HEIGHT, "rest", title))
        rectangles.append(Rectangle(left, width, _round(BAR_HEIGHT - height), height, kind, title))
    labels = (Label(0, first, "start"), Label(100, last, "end"))
    return Drawing(tuple(rectangles), labels, BAR_HEIGHT + LABEL_HEIGHT)


def distribution(parts: Sequence[tuple[str, str, int]]) -> Drawing:
    """Return one bar that is divided among parts, each with its tooltip, kind and count."""
    total = sum(count for _, _, count in parts) or 1
    ends = list(accumulate((count * 100 / total for _, _, count in parts), initial=0.0))
    rectangles = [
        Rectangle(_round(left), _round(right - left), 0, BAR_HEIGHT // 2, kind, title)
        for (left, right), (title, kind, count) in zip(pairwise(ends), parts, strict=True)
        if count
    ]
    return Drawing(tuple(rectangles), (), BAR_HEIGHT // 2)


def axis(marks: Sequence[Mark], *, start: date, end: date, today: date | None = None) -> Axis:
    """Return an axis from ``start`` to ``end``; marks that would touch stand above each other."""
    days = max((end - start).days, 1)
    placed, last_in_row = [], [-100.0] * _MOST_ROWS
    inside = sorted((mark for mark in marks if start <= mark.day <= end), key=lambda m: m.day)
    for mark in inside:
        x = _round((mark.day - start).days * 100 / days)
        free = (row for row, last in enumerate(last_in_row) if x - last >= _DOT_SHARE)
        row = next(free, _MOST_ROWS - 1)
        last_in_row[row] = x
        placed.append((mark, x, row))
    line = (max((row for _, _, row in placed), default=0) + 1) * ROW_HEIGHT
    on_it = tuple((mark, x, line - row * ROW_HEIGHT - ROW_HEIGHT // 2) for mark, x, row in placed)
    return Axis(
        marks=on_it,
        labels=_apart([(x, mark.label) for mark, x, _ in placed if mark.label], _LABEL_SHARE),
        months=_apart(sorted(_months(start, end), key=_is_month), _MONTH_SHARE),
        today=None if today is None else _round((today - start).days * 100 / days),
        line=line,
        height=line + 2 * LABEL_HEIGHT,
    )


def _months(start: date, end: date) -> Iterator[tuple[float, str]]:
    """Yield where months begin on an axis; January with its year."""
    days = max((end - start).days, 1)
    month = date(start.year, start.month, 1)
    while month <= end:
        if month >= start:
            text = f"{month:%b}" if month.month > 1 else f"{month.year}"
            yield (month - start).days * 100 / days, text
        month = date(month.year + month.month // 12, month.month % 12 + 1, 1)


def _is_month(label: tuple[float, str]) -> bool:
    """Put years first: they are to be seen."""
    return not label[1].isdecimal()


def _apart(texts: Sequence[tuple[float, str]], room: float) -> tuple[Label, ...]:
    """Return those labels that do not run into one that is named before them, from the left."""
    placed: list[tuple[float, Label]] = []
    for x, text in texts:
        anchor = "start" if x < room / 2 else "end" if x > 100 - room / 2 else "middle"
        left = {"start": x, "middle": x - room / 2, "end": x - room}[anchor]
        if all(abs(left - other) >= room for other, _ in placed):
            placed.append((left, Label(_round(x), text, anchor)))
    return tuple(label for _, label in sorted(placed))


def _round(value: float) -> float:
    return round(value, 2)
