"""What every set of rules for following sources has to decide, in the terms of the simulation."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from simulation.world import Publisher


@dataclass(frozen=True, slots=True)
class Seen:
    """How a look at ``at`` ended: ``failure`` is None where the document could be had.

    ``new`` is how many entries it showed that were not known.
    """

    at: float
    failure: str | None = None
    retry_after: float | None = None
    new: int = 0


@dataclass(frozen=True, slots=True)
class Asked:
    """A source of a host asked, at a time, to be left alone until another."""

    slug: str
    at: float
    until: float


@dataclass(frozen=True, slots=True)
class Plan:
    """When to look again, None for never.

    Until ``holds_until`` the same wait follows every look that finds nothing new, so that such
    looks can be counted instead of made. ``state`` is the rules' own.
    """

    next_at: float | None
    state: object
    holds_until: float = 0.0


class Policy(Protocol):
    """A set of rules. ``begin`` plans the first look, ``after`` the one that follows a look."""

    name: str

    def begin(self, publisher: Publisher) -> Plan:
        """Return the plan for a source that was never looked at."""

    def after(self, publisher: Publisher, state: object, seen: Seen) -> Plan:
        """Return the plan after a look."""

    def host_pause(self, askings: Sequence[Asked], now: float) -> float | None:
        """Return until when a whole host is left alone, None if it is not."""
