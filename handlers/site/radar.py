"""The deadlines that are to come, as the pages show them."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from typing import Final

import orjson

from handlers.context import Context
from handlers.site.drawings import Axis, Mark, axis
from handlers.site.services import cached, current_time
from handlers.site.words import beside, day, span
from openapi.text import cut, without_marks
from openapi.vocabulary import DeadlineKind
from storage.entries.addresses import entry_path
from storage.entries.deadlines import ComingDeadline, coming_deadlines

MOST: Final = 5_000
LONGEST_EVIDENCE: Final = 200
DEADLINE_WORDS: Final = {
    DeadlineKind.REMOVAL: "removal",
    DeadlineKind.END_OF_SUPPORT: "support ends",
    DeadlineKind.END_OF_LIFE: "end of life",
    DeadlineKind.END_OF_SALE: "end of sale",
    DeadlineKind.MIGRATION: "migrate by",
}
_SAME = ("kind", "source_name", "first_day", "last_day", "subject", "successor", "replaced")
NEARNESS: Final = {"near": 30, "soon": 90}  # days


@dataclass(frozen=True, slots=True)
class RadarDeadline:
    """A deadline: what ends, when, in whose words, and which days it had before.

    ``set_path``: the page of the entry that announced it, ``path`` of the one that says it now.
    """

    kind: DeadlineKind
    path: str
    headline: str
    source: str
    source_name: str
    first_day: date
    last_day: date
    evidence: str
    subject: str | None
    successor: str | None
    replaced: tuple[tuple[date, date], ...]
    set_path: str

    @property
    def what(self) -> str:
        """Return a description of the event."""
        return DEADLINE_WORDS[self.kind]

    @property
    def nearness(self) -> str:
        """Return how near the last day is, as the class of its colour."""
        days = (self.last_day - current_time().date()).days
        return next((name for name, most in NEARNESS.items() if 0 <= days <= most), "far")

    @property
    def when(self) -> str:
        """The day, or the days that the vendor's words can mean."""
        return span(self.first_day, self.last_day)

    @property
    def moved_from(self) -> tuple[str, ...]:
        """The days that it had before, in words."""
        return tuple(span(*days) for days in self.replaced)

    @property
    def moved_later(self) -> bool:
        """Return True if the date was moved to a later one."""
        return bool(self.replaced) and self.last_day > self.replaced[-1][1]

    def is_stated(self, path: str, days: tuple[date, date]) -> bool:
        """Return whether the entry of a page states it, as it is or as it was announced."""
        if self.path == path and (self.first_day, self.last_day) == days:
            return True
        return self.set_path == path and days in self.replaced


def radar_deadline(coming: ComingDeadline) -> RadarDeadline:
    """Read a coming deadline."""
    entry = orjson.loads(coming.public)
    return RadarDeadline(
        **{name: getattr(coming, name) for name in _SAME},
        path=entry_path(entry["source"], coming.address),
        headline=beside(coming.source_name, entry.get("headline") or entry["title"]),
        source=entry["source"],
        evidence=cut(without_marks(coming.evidence), LONGEST_EVIDENCE),
        set_path=entry_path(entry["source"], coming.set_by_address),
    )


def axis_of(deadlines: Iterable[RadarDeadline], *, start: date, end: date, today: date) -> Axis:
    """Return an axis with a mark for each deadline."""
    marks = []
    for one in deadlines:
        title = f"{day(one.last_day)}: {one.source_name}: {cut(one.headline, 90)}"
        marks.append(Mark(one.last_day, one.kind.value, title))
    return axis(marks, start=start, end=end, today=today)


def radar_deadlines() -> list[RadarDeadline]:
    """Return all deadlines, the soonest first."""
    return _radar()[0]


def deadlines_of(path: str) -> list[RadarDeadline]:
    """Return the deadlines that the entry of a page states or announced, the soonest first."""
    return _radar()[1].get(path, [])


@cached
def _radar(services: Context) -> tuple[list[RadarDeadline], dict[str, list[RadarDeadline]]]:
    with services.db.read() as session:
        coming = coming_deadlines(session, now=services.now(), most=MOST)
        deadlines = [radar_deadline(one) for one in coming]
    by_path: dict[str, list[RadarDeadline]] = {}
    for deadline in deadlines:
        for path in {deadline.path, deadline.set_path}:
            by_path.setdefault(path, []).append(deadline)
    return deadlines, by_path
