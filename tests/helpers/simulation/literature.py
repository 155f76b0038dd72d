"""Policies of papers about crawling, and the optimum that knows what nobody can know.

Each sees the same history, waits as long as vendors ask, treats failures like ours, and may spend
the same budget. They differ in how many checks a source is worth, which is a function of its rate.

- Cho and Garcia-Molina, "Effective page refresh policies for Web crawlers" (2003), maximise the
  time for which a copy is fresh; the rate is estimated by their "Estimating frequency of change"
  (2003), from the days on which something changed.
- Azar, Horvitz, Lubetzky, Peres, Shahaf, "Tractable near-optimal policies for crawling" (2018),
  maximise it for checks at random times, which has a solution in closed form. They are made at even
  intervals here, in its favour.
- Kolobov, Peres, Lubetzky, Horvitz, "Staying up to date with online content changes using
  reinforcement learning for scheduling" (2019), LambdaCrawl: the harmonic number of unseen changes
  costs, of pages that do not tell about changes.
"""

import math
from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime, timedelta
from itertools import islice

from ingest.scheduling.budget import A_DAY, requests_of
from ingest.scheduling.rates import WINDOW
from ingest.scheduling.schedule import Cadence
from simulation.changewire import MEASURED_AFTER, ChangewirePolicy, seconds
from simulation.world import Publisher

DAY = timedelta(days=1)
Worth = Callable[[float, float], float]  # rate and multiplier to checks, both a day


class Optimum(ChangewirePolicy):
    """Knows the true rate of every source, and shares the budget out by it."""

    name = "optimum (rates known)"

    def cadence(
        self, publisher: Publisher, published: Sequence[datetime], now: datetime
    ) -> tuple[Cadence, float]:
        """Return the square root of the true rate, for ever."""
        return Cadence(pull=math.sqrt(publisher.rate)), math.inf


class Literature(ChangewirePolicy):
    """Checks by a function of the estimated rate, with a multiplier that exhausts the budget."""

    def __init__(
        self, name: str, worth: Worth, world: Sequence[Publisher], *, a_day: float = A_DAY
    ) -> None:
        self.name, self._worth, self._multiplier = name, worth, 1.0
        self.unit = DAY  # a pull of one is a check a day
        low, high = 1e-9, 1e3
        for _ in range(40):
            self._multiplier = math.sqrt(low * high)
            spent = requests_of([self._demand(publisher) for publisher in world], unit=DAY)
            over = spent > a_day * len(world)
            low, high = (self._multiplier, high) if over else (low, self._multiplier)

    def cadence(
        self, publisher: Publisher, published: Sequence[datetime], now: datetime
    ) -> tuple[Cadence, float]:
        """Return the checks a day that the source is worth to this policy."""
        rate, changes_at = estimated_rate(published, now)
        return Cadence(pull=self._worth(rate, self._multiplier)), changes_at


def estimated_rate(published: Sequence[datetime], now: datetime) -> tuple[float, float]:
    """Return changes a day by the bias-reduced estimator, and until when that is about right."""
    end, start = bisect_right(published, now), bisect_right(published, now - WINDOW)
    if end == 0:
        return math.log(2), math.inf
    days = min(max((now - published[0]) / DAY, 1.0), WINDOW / DAY)
    recent = published[start:end]
    changed = min(len({(now - at) // DAY for at in recent}), days)
    rate = -math.log((days - changed + 0.5) / (days + 0.5))
    changes_at = seconds(recent[0] + WINDOW) if recent else math.inf
    is_growing = days < WINDOW / DAY
    drifts_at = seconds(now + max(MEASURED_AFTER * days, 1.0) * DAY) if is_growing else math.inf
    return max(rate, 1e-6), min(changes_at, drifts_at)


def freshness(rate: float, multiplier: float) -> float:
    """Return the checks a day at which one more is worth the multiplier; 0 if none is."""
    if 1 / rate <= multiplier:
        return 0.0
    low, high = 1e-3, 1e3
    for _ in range(25):
        checks = math.sqrt(low * high)
        worth = (1 - math.exp(-rate / checks)) / rate - math.exp(-rate / checks) / checks
        low, high = (checks, high) if worth > multiplier else (low, checks)
    return low


def random_freshness(rate: float, multiplier: float) -> float:
    """Return the checks a day of the randomised optimum."""
    return max(math.sqrt(rate / multiplier) - rate, 0.0)


def harmonic_cost(rate: float, multiplier: float) -> float:
    """Return the checks a day of LambdaCrawl without complete observations."""
    return (math.sqrt(rate * rate + 4 * rate / multiplier) - rate) / 2


def literature(world: Iterable[Publisher], *, a_day: float) -> list[Literature]:
    """Return the policies of the papers, for a world and a budget."""
    sample = list(islice(world, 400))
    return [
        Literature("Cho, Garcia-Molina 2003", freshness, sample, a_day=a_day),
        Literature("Azar et al. 2018", random_freshness, sample, a_day=a_day),
        Literature("LambdaCrawl 2019", harmonic_cost, sample, a_day=a_day),
    ]
