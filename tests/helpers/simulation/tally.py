"""The counts of a simulation."""

from array import array
from dataclasses import dataclass, field
from itertools import accumulate

from simulation.world import HOUR


@dataclass(slots=True)
class Tally:
    """The counts of one world.

    ``load`` is the seconds of work begun in each hour by simulated checks; ``hourly`` is how
    much this changes from hour to hour for the checks that are only counted.
    """

    days: int
    sources: int = 0
    requests: int = 0
    not_modified: int = 0
    inside_retry_after: int = 0
    missed: int = 0
    late: int = 0  # published and not seen by the end, although the vendor responded
    dead: int = 0
    decisions: int = 0  # checks that the policy decided about
    delays: array = field(default_factory=lambda: array("d"))
    recoveries: array = field(default_factory=lambda: array("d"))
    load: list[float] = field(default_factory=list)
    hourly: list[float] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.load = [0.0] * (self.days * 24 + 1)
        self.hourly = [0.0] * (self.days * 24 + 1)

    @property
    def work(self) -> list[float]:
        """Seconds of work begun in each hour."""
        return [a + b for a, b in zip(self.load, accumulate(self.hourly), strict=True)]

    def add(self, other: "Tally") -> None:
        """Add the counts of another part of the same world."""
        for name in ("sources", "requests", "not_modified", "inside_retry_after", "missed"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        for name in ("late", "dead", "decisions"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.delays.extend(other.delays)
        self.recoveries.extend(other.recoveries)
        for name in ("load", "hourly"):
            both = zip(getattr(self, name), getattr(other, name), strict=True)
            setattr(self, name, [first + second for first, second in both])


def busiest_hour(work: list[float], *, workers: int) -> float:
    """Return the share of the workers' time that the busiest hour takes."""
    return max(work, default=0.0) / (workers * HOUR)
