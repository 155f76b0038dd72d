"""Where marks and labels are on a line of time. Pure.

``templates/drawings.html`` writes it and the other drawings as inline SVG. What lies along the
width is in per cent, what lies along the height in pixels, so that nothing is stretched.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final, NamedTuple

ROW_HEIGHT: Final = 15
LABEL_HEIGHT: Final = 18
_DOT_SHARE: Final = 2.4  # per cent of the width of a phone that a mark takes
_MONTH_SHARE: Final = 6.0  # ... and a label such as "Apr"
_MOST_ROWS: Final = 8


class Label(NamedTuple):
    """A text under a drawing; ``anchor`` keeps it inside: start, middle or end."""

    x: float
    text: str
    anchor: str


@dataclass(frozen=True, slots=True)
class Mark:
    """An event on an axis; ``title`` is its tooltip."""

    day: date
    kind: str
    title: str


class Axis(NamedTuple):
    """A line of time; ``line`` is its height, ``today`` its place or None.

    ``marks`` stand with their places: x, and y of the middle of the dot.
    """

    marks: tuple[tuple[Mark, float, int], ...]
    months: tuple[Label, ...]
    today: float | None
    line: int
    height: int


def axis(marks: Sequence[Mark], *, start: date, end: date, today: date | None = None) -> Axis:
    """Return an axis from ``start`` to ``end``; marks that would touch are above each other."""
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
        # years first: they are to be seen
        months=_apart(sorted(_months(start, end), key=lambda it: not it[1].isdecimal())),
        today=None if today is None else _round((today - start).days * 100 / days),
        line=line,
        height=line + LABEL_HEIGHT,
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


def _apart(texts: Sequence[tuple[float, str]]) -> tuple[Label, ...]:
    """Return those labels that do not run into one that is named before them, from the left."""
    placed: list[tuple[float, Label]] = []
    room = _MONTH_SHARE
    for x, text in texts:
        anchor = "start" if x < room / 2 else "end" if x > 100 - room / 2 else "middle"
        left = {"start": x, "middle": x - room / 2, "end": x - room}[anchor]
        if all(abs(left - other) >= room for other, _ in placed):
            placed.append((left, Label(_round(x), text, anchor)))
    return tuple(label for _, label in sorted(placed))


def _round(value: float) -> float:
    return round(value, 2)
