"""The interface of policies: when a source is checked."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from simulation.world import Publisher


@dataclass(frozen=True, slots=True)
class CheckOutcome:
    """How a check at ``at`` ended: ``failure`` is None if the document was fetched.

    ``new`` is the number of new entries.
    """

    at: float
    failure: str | None = None
    retry_after: float | None = None
    new: int = 0


@dataclass(frozen=True, slots=True)
class PauseRequest:
    """A Retry-After of one source: received ``at``, valid until ``until``."""

    slug: str
    at: float
    until: float


@dataclass(frozen=True, slots=True)
class Plan:
    """When to check again; None if the source is given up.

    Until ``holds_until`` every check without new entries is followed by another at the time that
    ``following`` gives, or after the same wait, so that these checks are counted instead of
    simulated. ``state`` belongs to the policy.
    """

    next_at: float | None
    state: object
    holds_until: float = 0.0
    following: Callable[[float], float] | None = None


class Policy(Protocol):
    """A policy. ``begin`` plans the first check, ``after`` the one that follows a check."""

    name: str

    def begin(self, publisher: Publisher) -> Plan:
        """Return the plan for a source before its first check."""

    def after(self, publisher: Publisher, state: object, outcome: CheckOutcome) -> Plan:
        """Return the plan after a check."""

    def host_pause(self, pauses: Sequence[PauseRequest], now: float) -> float | None:
        """Return until when a host is paused, None if it is not."""
