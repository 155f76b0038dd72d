"""The counts of a simulation."""

from array import array
from dataclasses import dataclass, field


@dataclass(slots=True)
class Tally:
    """The counts of one world."""

    days: int
    sources: int = 0
    requests: int = 0
    not_modified: int = 0
    inside_retry_after: int = 0
    late: int = 0  # published and not seen by the end, although the vendor responded
    dead: int = 0
    delays: array = field(default_factory=lambda: array("d"))
    recoveries: array = field(default_factory=lambda: array("d"))

    def add(self, other: "Tally") -> None:
        """Add the counts of another part of the same world."""
        for name in ("sources", "requests", "not_modified", "inside_retry_after", "late", "dead"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.delays.extend(other.delays)
        self.recoveries.extend(other.recoveries)
