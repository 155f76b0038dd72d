"""The policies of other programs, as far as they are published.

Where a rule is not published, the better of the plausible ones is used, and the class says so.
"""

import math
import zlib
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from simulation.policy import CheckOutcome, PauseRequest, Plan
from simulation.world import DAY, HOUR, MINUTE, PAST, Publisher

FOR_EVER = math.inf
WEEK = 7 * DAY
POLITE = 31 * DAY


@dataclass(frozen=True, slots=True)
class Count:
    """The state of the other policies: failures in a row, checks without new entries in a row."""

    failures: int = 0
    nothing_new: int = 0
    wait: float = 0.0
    score: float = 0.0


def _begin(publisher: Publisher) -> Plan:
    return Plan(zlib.crc32(publisher.slug.encode()) / 2**32 * HOUR, Count())


class Rival:
    """The common part of the other policies: the first check, and no pause for a host."""

    name = ""

    def begin(self, publisher: Publisher) -> Plan:
        """Check within the first hour."""
        return _begin(publisher)

    def host_pause(self, pauses: Sequence[PauseRequest], now: float) -> float | None:
        """Return None: no other program pauses hosts."""
        return None


def _counted(state: object, outcome: CheckOutcome) -> Count:
    assert isinstance(state, Count)
    if outcome.failure is not None:
        return replace(state, failures=state.failures + 1)
    return replace(state, failures=0, nothing_new=0 if outcome.new else state.nothing_new + 1)


def _ttl(publisher: Publisher) -> float:
    return publisher.fresh_for or 0.0


class MinifluxRoundRobin(Rival):
    """60 minutes, or the TTL of the feed up to a day; three failures end it."""

    name = "Miniflux, round robin"

    def usual(self, publisher: Publisher, at: float) -> tuple[float, float]:
        """Return the wait, and until when it stays so."""
        return HOUR, FOR_EVER

    def after(self, publisher: Publisher, state: object, outcome: CheckOutcome) -> Plan:
        """Plan by success and failure alike; Retry-After only lengthens."""
        count = _counted(state, outcome)
        if count.failures >= 3:
            return Plan(None, count)
        usual, holds_until = self.usual(publisher, outcome.at)
        wait = max(min(max(usual, _ttl(publisher)), DAY), outcome.retry_after or 0.0)
        return Plan(outcome.at + wait, count, 0.0 if outcome.failure else holds_until)


class MinifluxEntryFrequency(MinifluxRoundRobin):
    """A week over the entries of a week as the last week's gaps foretell them, 5 min to 24 h."""

    name = "Miniflux, entry frequency"

    def usual(self, publisher: Publisher, at: float) -> tuple[float, float]:
        """Return the wait, and when an entry leaves the week that it rests on."""
        end = bisect_right(publisher.published, at)
        start = bisect_right(publisher.published, at - WEEK)
        week = publisher.published[start:end]
        changes_at = week[0] + WEEK if week else FOR_EVER
        if len(week) < 2 or week[-1] == week[0]:
            return DAY, changes_at
        mean_gap = (week[-1] - week[0]) / (len(week) - 1)
        return min(max(mean_gap, 5 * MINUTE), DAY), changes_at


class Reader(Rival):
    """Every 60 minutes on a grid; TTL and Retry-After only lengthen, up to 31 days."""

    name = "reader"

    def after(self, publisher: Publisher, state: object, outcome: CheckOutcome) -> Plan:
        """Failures change nothing."""
        count = _counted(state, outcome)
        wait = min(max(HOUR, _ttl(publisher), outcome.retry_after or 0.0), POLITE)
        return Plan(outcome.at + wait, count, 0.0 if outcome.failure else FOR_EVER)


class Feedbin(Rival):
    """Every 15 minutes; failures wait their number, 8 to 23, to the fourth power of seconds."""

    name = "Feedbin"

    def after(self, publisher: Publisher, state: object, outcome: CheckOutcome) -> Plan:
        """Obey Retry-After up to eight hours."""
        count = _counted(state, outcome)
        if outcome.failure is None:
            return Plan(outcome.at + 15 * MINUTE, count, FOR_EVER)
        backoff = float(min(max(count.failures, 8), 23) ** 4)
        if outcome.retry_after is not None:
            backoff = min(outcome.retry_after, 8 * HOUR)
        return Plan(outcome.at + backoff, count)


class VersionWatch(Rival):
    """Four fixed tiers, on a tick of 15 minutes; failures double up to 6 h, from five on 24 h.

    Which source is in which tier is decided by people; here they know the true cadence.
    """

    name = "Version Watch"
    tiers = (30 * MINUTE, HOUR, 4 * HOUR, 12 * HOUR)

    def after(self, publisher: Publisher, state: object, outcome: CheckOutcome) -> Plan:
        """Retry-After is not mentioned among the published rules."""
        count = _counted(state, outcome)
        entries = len(publisher.published)
        gap = (PAST + 90 * DAY) / max(entries, 1)
        tier = self.tiers[bisect_right((4 * DAY, 10 * DAY, 25 * DAY), gap)]
        jitter = zlib.crc32(publisher.slug.encode()) / 2**32 * 5 * MINUTE
        if outcome.failure is None:
            return Plan(outcome.at + max(tier, 15 * MINUTE) + jitter, count, FOR_EVER)
        wait = min(max(tier, 15 * MINUTE * 2 ** min(count.failures - 1, 9)), 6 * HOUR)
        return Plan(outcome.at + (DAY if count.failures >= 5 else wait) + jitter, count)


class ReleasesSh(Rival):
    """4 h or 24 h by the median gap; without news, and with failures, doubling to 48 and 72 h.

    An address dropped after five answers of 4xx is found anew a day later; pages that are empty
    five times are paused for good.
    """

    name = "releases.sh"

    def after(self, publisher: Publisher, state: object, outcome: CheckOutcome) -> Plan:
        """Wait at least as long as Retry-After says."""
        count = _counted(state, outcome)
        if outcome.failure == "empty" and count.failures >= 5:
            return Plan(None, count)
        if outcome.retry_after is not None:
            return Plan(outcome.at + max(outcome.retry_after, HOUR), replace(count, failures=0))
        if outcome.failure is not None:
            wait = min(2.0 ** min(count.failures - 1, 9), 72.0) * HOUR
            return Plan(outcome.at + wait, count)
        entries = bisect_right(publisher.published, outcome.at)
        recent = publisher.published[bisect_right(publisher.published, outcome.at - PAST) : entries]
        gaps = sorted(later - earlier for earlier, later in pairwise(recent))
        tier = DAY if len(recent) >= 3 and gaps[len(gaps) // 2] > 14 * DAY else 4 * HOUR
        quiet = min(2.0 ** min(count.nothing_new - 1, 9), 48.0) * HOUR if count.nothing_new else 0.0
        is_steady = count.nothing_new > 6
        return Plan(outcome.at + max(tier, quiet), count, outcome.at + WEEK if is_steady else 0.0)


class Mediacloud(Rival):
    """Longer by ten minutes if few entries are new, shorter by an hour if most are.

    Failures wait their number times the interval up to a day, and a score of 30 ends it. The
    interval a feed starts with is not published: 6 hours here.
    """

    name = "mediacloud"
    weights = {"rate_limited": 0.25, "dns_temporary": 0.25}  # noqa: RUF012 - never changed

    def after(self, publisher: Publisher, state: object, outcome: CheckOutcome) -> Plan:
        """Retry-After is not among the published rules."""
        count = _counted(state, outcome)
        wait = count.wait or 6 * HOUR
        if outcome.failure is not None:
            hard = outcome.failure in {"gone", "empty"}
            score = count.score + (1.0 if hard else self.weights.get(outcome.failure, 0.5))
            later = replace(count, score=score, wait=wait)
            if score >= 30:
                return Plan(None, later)
            return Plan(outcome.at + min(wait * count.failures, DAY), later)
        shown = min(publisher.window, bisect_right(publisher.published, outcome.at)) or 1
        if outcome.new / shown > 0.67:
            wait = max(wait - HOUR, 10 * MINUTE)
        elif outcome.new / shown <= 0.33:
            wait = min(wait + 10 * MINUTE, DAY)
        return Plan(outcome.at + wait, replace(count, wait=wait, score=0.0), _holds_until(wait))


def _holds_until(wait: float) -> float:
    return FOR_EVER if wait >= DAY else 0.0


EVERY = (
    MinifluxRoundRobin(),
    MinifluxEntryFrequency(),
    Reader(),
    Feedbin(),
    VersionWatch(),
    ReleasesSh(),
    Mediacloud(),
)
