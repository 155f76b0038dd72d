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
_EDGE: Final = 3.0  # ... and half a label such as "Apr"
MONTHS_UP_TO: Final = 400  # days of an axis on which each month has room for its name
_MOST_ROWS: Final = 8


class Label(NamedTuple):
    """A text under the middle of a place of a drawing."""

    x: float
    text: str


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
        x = round((mark.day - start).days * 100 / days, 2)
        free = (row for row, last in enumerate(last_in_row) if x - last >= _DOT_SHARE)
        row = next(free, _MOST_ROWS - 1)
        last_in_row[row] = x
        placed.append((mark, x, row))
    line = (max((row for _, _, row in placed), default=0) + 1) * ROW_HEIGHT
    on_it = tuple((mark, x, line - row * ROW_HEIGHT - ROW_HEIGHT // 2) for mark, x, row in placed)
    return Axis(
        marks=on_it,
        months=tuple(_months(start, end)),
        today=None if today is None else round((today - start).days * 100 / days, 2),
        line=line,
        height=line + LABEL_HEIGHT,
    )


def _months(start: date, end: date) -> Iterator[Label]:
    """Yield where months begin on an axis, January with its year; on a long one, quarters."""
    days = max((end - start).days, 1)
    step = 1 if days <= MONTHS_UP_TO else 3
    month = start.replace(day=1)
    while month <= end:
        x = (month - start).days * 100 / days
        if month.month % step == 1 % step and _EDGE < x < 100 - _EDGE:
            yield Label(round(x, 2), f"{month:%b}" if month.month > 1 else f"{month.year}")
        month = date(month.year + month.month // 12, month.month % 12 + 1, 1)
