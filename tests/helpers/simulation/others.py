"""The schedules that Changewire's is compared with: every hour, and an optimum."""

import math
import zlib
from collections.abc import Sequence
from datetime import datetime

from ingest.scheduling.schedule import Cadence
from simulation.changewire import ChangewirePolicy
from simulation.policy import CheckOutcome, PauseRequest, Plan
from simulation.world import HOUR, Publisher


class Optimum(ChangewirePolicy):
    """Knows the true rate of every source, and shares the budget out by it."""

    name = "optimum (rates known)"

    def cadence(
        self, publisher: Publisher, published: Sequence[datetime], now: datetime
    ) -> tuple[Cadence, float]:
        """Return the square root of the true rate, for ever."""
        return Cadence(pull=math.sqrt(publisher.rate)), math.inf


class EveryHour:
    """Checks every hour, as most feed readers do, and gives up after some failures in a row."""

    name = "every hour"

    def __init__(self, strikes: float = math.inf) -> None:
        self.strikes = strikes

    def begin(self, publisher: Publisher) -> Plan:
        """Return a first check within the first hour."""
        return Plan(zlib.crc32(publisher.slug.encode()) / 2**32 * HOUR, 0)

    def host_pause(self, pauses: Sequence[PauseRequest], now: float) -> float | None:
        """Return None: hosts are not paused."""
        return None

    def after(self, publisher: Publisher, state: object, outcome: CheckOutcome) -> Plan:
        """Return a check an hour later, whatever Retry-After says."""
        assert isinstance(state, int)
        failures = 0 if outcome.failure is None else state + 1
        if failures >= self.strikes:
            return Plan(None, failures)
        return Plan(outcome.at + HOUR, failures, 0.0 if outcome.failure else math.inf)
