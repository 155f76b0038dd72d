"""How others decide when to look again, as far as they have published it, in a few lines each.

Only the rules are here, none of the programs. Where a rule is not published, the better of the
plausible ones was taken, and it is said.
"""

import math
import zlib
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from simulation.policy import Asked, Plan, Seen
from simulation.world import DAY, HOUR, MINUTE, PAST, Publisher

FOR_EVER = math.inf
WEEK = 7 * DAY
POLITE = 31 * DAY


@dataclass(frozen=True, slots=True)
class Count:
    """What the rules of others remember: failures in a row, looks without news in a row."""

    failures: int = 0
    nothing_new: int = 0
    wait: float = 0.0
    score: float = 0.0


def _begin(publisher: Publisher) -> Plan:
    return Plan(zlib.crc32(publisher.slug.encode()) / 2**32 * HOUR, Count())


class Rival:
    """What the rules of others have in common: the first look, and no pause for a host."""

    name = ""

    def begin(self, publisher: Publisher) -> Plan:
        """Look at once."""
        return _begin(publisher)

    def host_pause(self, askings: Sequence[Asked], now: float) -> float | None:
        """None of them leaves a whole host alone."""
        return None


def _counted(state: object, seen: Seen) -> Count:
    assert isinstance(state, Count)
    if seen.failure is not None:
        return replace(state, failures=state.failures + 1)
    return replace(state, failures=0, nothing_new=0 if seen.new else state.nothing_new + 1)


def _wished(publisher: Publisher) -> float:
    return publisher.fresh_for or 0.0


class MinifluxRoundRobin(Rival):
    """60 minutes, or what the feed wishes up to a day; three failures end it."""

    name = "Miniflux, round robin"

    def usual(self, publisher: Publisher, at: float) -> tuple[float, float]:
        """Return the wait, and until when it stays so."""
        return HOUR, FOR_EVER

    def after(self, publisher: Publisher, state: object, seen: Seen) -> Plan:
        """Plan by success and failure alike; Retry-After only lengthens."""
        count = _counted(state, seen)
        if count.failures >= 3:
            return Plan(None, count)
        usual, holds_until = self.usual(publisher, seen.at)
        wait = max(min(max(usual, _wished(publisher)), DAY), seen.retry_after or 0.0)
        return Plan(seen.at + wait, count, 0.0 if seen.failure else holds_until)


class MinifluxEntryFrequency(MinifluxRoundRobin):
    """A week over the entries of a week as the last week's gaps foretell them, 5 min to 24 h."""

    name = "Miniflux, entry frequency"

    def usual(self, publisher: Publisher, at: float) -> tuple[float, float]:
        """Return the wait, and when an entry leaves the week that it rests on."""
        known = bisect_right(publisher.published, at)
        left = bisect_right(publisher.published, at - WEEK)
        week = publisher.published[left:known]
        changes_at = week[0] + WEEK if week else FOR_EVER
        if len(week) < 2 or week[-1] == week[0]:
            return DAY, changes_at
        mean_gap = (week[-1] - week[0]) / (len(week) - 1)
        return min(max(mean_gap, 5 * MINUTE), DAY), changes_at


class Reader(Rival):
    """Every 60 minutes on a grid; wishes and Retry-After only lengthen, up to 31 days."""

    name = "reader"

    def after(self, publisher: Publisher, state: object, seen: Seen) -> Plan:
        """Failures change nothing."""
        count = _counted(state, seen)
        wait = min(max(HOUR, _wished(publisher), seen.retry_after or 0.0), POLITE)
        return Plan(seen.at + wait, count, 0.0 if seen.failure else FOR_EVER)


class Feedbin(Rival):
    """Every 15 minutes; failures wait their number, 8 to 23, to the fourth power of seconds."""

    name = "Feedbin"

    def after(self, publisher: Publisher, state: object, seen: Seen) -> Plan:
        """Obey Retry-After up to eight hours."""
        count = _counted(state, seen)
        if seen.failure is None:
            return Plan(seen.at + 15 * MINUTE, count, FOR_EVER)
        backoff = float(min(max(count.failures, 8), 23) ** 4)
        if seen.retry_after is not None:
            backoff = min(seen.retry_after, 8 * HOUR)
        return Plan(seen.at + backoff, count)


class VersionWatch(Rival):
    """Four fixed tiers, on a tick of 15 minutes; failures double up to 6 h, from five on 24 h.

    Which source is in which tier is decided by people; here they know the true rhythm.
    """

    name = "Version Watch"
    tiers = (30 * MINUTE, HOUR, 4 * HOUR, 12 * HOUR)

    def after(self, publisher: Publisher, state: object, seen: Seen) -> Plan:
        """Retry-After is not mentioned among the published rules."""
        count = _counted(state, seen)
        known = len(publisher.published)
        gap = (PAST + 90 * DAY) / max(known, 1)
        tier = self.tiers[bisect_right((4 * DAY, 10 * DAY, 25 * DAY), gap)]
        jitter = zlib.crc32(publisher.slug.encode()) / 2**32 * 5 * MINUTE
        if seen.failure is None:
            return Plan(seen.at + max(tier, 15 * MINUTE) + jitter, count, FOR_EVER)
        wait = min(max(tier, 15 * MINUTE * 2 ** min(count.failures - 1, 9)), 6 * HOUR)
        return Plan(seen.at + (DAY if count.failures >= 5 else wait) + jitter, count)


class ReleasesSh(Rival):
    """4 h or 24 h by the median gap; without news, and with failures, doubling to 48 and 72 h.

    An address dropped after five answers of 4xx is found anew a day later; pages that are empty
    five times are paused for good.
    """

    name = "releases.sh"

    def after(self, publisher: Publisher, state: object, seen: Seen) -> Plan:
        """Wait at least as long as Retry-After says."""
        count = _counted(state, seen)
        if seen.failure == "empty" and count.failures >= 5:
            return Plan(None, count)
        if seen.retry_after is not None:
            return Plan(seen.at + max(seen.retry_after, HOUR), replace(count, failures=0))
        if seen.failure is not None:
            wait = min(2.0 ** min(count.failures - 1, 9), 72.0) * HOUR
            return Plan(seen.at + wait, count)
        known = bisect_right(publisher.published, seen.at)
        recent = publisher.published[bisect_right(publisher.published, seen.at - PAST) : known]
        gaps = sorted(later - earlier for earlier, later in pairwise(recent))
        tier = DAY if len(recent) >= 3 and gaps[len(gaps) // 2] > 14 * DAY else 4 * HOUR
        quiet = min(2.0 ** min(count.nothing_new - 1, 9), 48.0) * HOUR if count.nothing_new else 0.0
        steady = count.nothing_new > 6
        return Plan(seen.at + max(tier, quiet), count, seen.at + WEEK if steady else 0.0)


class Mediacloud(Rival):
    """Longer by ten minutes where most is known already, shorter by an hour where most is new.

    Failures wait their number times the interval up to a day, and a score of 30 ends it. The
    interval a feed starts with is not published: 6 hours here.
    """

    name = "mediacloud"
    weights = {"rate_limited": 0.25, "dns_temporary": 0.25}  # noqa: RUF012 - never changed

    def after(self, publisher: Publisher, state: object, seen: Seen) -> Plan:
        """Retry-After is not among the published rules."""
        count = _counted(state, seen)
        wait = count.wait or 6 * HOUR
        if seen.failure is not None:
            hard = seen.failure in {"gone", "empty"}
            score = count.score + (1.0 if hard else self.weights.get(seen.failure, 0.5))
            later = replace(count, score=score, wait=wait)
            if score >= 30:
                return Plan(None, later)
            return Plan(seen.at + min(wait * count.failures, DAY), later)
        shown = min(publisher.window, bisect_right(publisher.published, seen.at)) or 1
        if seen.new / shown > 0.67:
            wait = max(wait - HOUR, 10 * MINUTE)
        elif seen.new / shown <= 0.33:
            wait = min(wait + 10 * MINUTE, DAY)
        return Plan(seen.at + wait, replace(count, wait=wait, score=0.0), _at_rest(wait))


def _at_rest(wait: float) -> float:
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
