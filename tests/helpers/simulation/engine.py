"""The simulation: one host after the other, its checks ordered by time.

A check is simulated if its outcome may differ from the one before: an entry was published, an
outage begins or ends, a random failure happens, or the policy has to decide again. The checks
between two of these end alike, at times that the plan foretells, and are only counted.
"""

import heapq
import math
import random
from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Final

from simulation.policy import CheckOutcome, PauseRequest, Plan, Policy
from simulation.tally import Tally
from simulation.world import DAY, LONG_OUTAGE, Outage, Publisher

WATCHED_FROM: Final = 7 * DAY
"""Entries and requests count from here; before, the policies have no history of a source."""


@dataclass(slots=True)
class TrackedSource:
    """A source that is checked: its plan, its known entries, and its pauses."""

    publisher: Publisher
    plan: Plan
    rng: random.Random
    entry_count: int = 0
    succeeded_at: float | None = None
    past_outages: int = 0
    paused_until: float = 0.0
    glitch_in: int = 0  # checks until one fails by chance
    due_at: float | None = None  # the next check to simulate
    equal: list[float] = field(default_factory=list)  # the times of equal checks before it

    def next_at(self, now: float) -> float:
        """Return when the source is checked next."""
        assert self.due_at is not None
        before = bisect_left(self.equal, now)
        return self.equal[before] if before < len(self.equal) else self.due_at


class Simulation:
    """One policy in one world."""

    def __init__(self, policy: Policy, *, days: int, seed: int) -> None:
        self._policy = policy
        self._end = days * DAY
        self._seed = seed
        self.tally = Tally(days)

    def run(self, world: Iterable[list[Publisher]]) -> Tally:
        """Simulate every host of the world from the first day to the last."""
        for crowd in world:
            self._host(crowd)
        return self.tally

    def _host(self, crowd: list[Publisher]) -> None:
        followed = [self._begin(publisher) for publisher in crowd]
        queue = [(source.due_at, place) for place, source in enumerate(followed) if source.due_at]
        heapq.heapify(queue)
        pauses: list[PauseRequest] = []
        while queue:
            at, place = heapq.heappop(queue)
            source = followed[place]
            if at != source.due_at:
                continue  # it has another plan by now
            self._count_equal(source, at)
            if at >= self._end:
                continue
            outcome = self._check(source, at)
            self._plan(source, self._policy.after(source.publisher, source.plan.state, outcome), at)
            if source.due_at is not None:
                heapq.heappush(queue, (source.due_at, place))
            if outcome.retry_after is not None:
                pauses = [pause for pause in pauses if pause.until > at]
                pauses.append(PauseRequest(source.publisher.slug, at, at + outcome.retry_after))
                self._pause(followed, pauses, at, queue)
        for source in followed:
            self._finish(source)

    def _begin(self, publisher: Publisher) -> TrackedSource:
        rng = random.Random(f"{self._seed}:{publisher.slug}")
        source = TrackedSource(publisher, self._policy.begin(publisher), rng)
        source.entry_count = bisect_right(publisher.published, 0.0)
        source.glitch_in = self._glitch(source)
        self._plan(source, source.plan, 0.0)
        self.tally.sources += 1
        return source

    def _glitch(self, source: TrackedSource) -> int:
        chance = source.publisher.glitches
        return int(math.log(1.0 - source.rng.random()) / math.log(1.0 - chance)) if chance else -1

    def _plan(self, source: TrackedSource, plan: Plan, now: float) -> None:
        """Take a plan, and find the next check to simulate."""
        source.plan, source.due_at, source.equal = plan, None, []
        at = plan.next_at
        if at is None or at >= self._end:
            return
        period = at - now
        if plan.holds_until > at and period > 0:
            following = plan.following or period.__add__
            matters = min(self._matters(source, now), plan.holds_until, self._end)
            most = source.glitch_in if source.glitch_in >= 0 else math.inf
            while at < matters and len(source.equal) < most:
                source.equal.append(at)
                at = following(at)
        source.due_at = at

    def _matters(self, source: TrackedSource, now: float) -> float:
        """Return when the vendor next publishes an entry or has an outage."""
        published, index = source.publisher.published, source.entry_count
        outage = self._outage(source, now)
        return min(
            published[index] if index < len(published) else math.inf,
            outage.start if outage is not None else math.inf,
        )

    def _outage(self, source: TrackedSource, now: float) -> Outage | None:
        """Return the current outage, or else the next one."""
        outages = source.publisher.outages
        while source.past_outages < len(outages) and outages[source.past_outages].end <= now:
            source.past_outages += 1
        return outages[source.past_outages] if source.past_outages < len(outages) else None

    def _count_equal(self, source: TrackedSource, now: float) -> None:
        """Count the equal checks that lie before a time, and drop the others."""
        equal, tally, publisher = source.equal, self.tally, source.publisher
        source.equal = []
        checks = bisect_left(equal, now)
        if checks == 0:
            return
        last = equal[checks - 1]
        watched = checks - bisect_left(equal, WATCHED_FROM, 0, checks)
        tally.requests += watched
        tally.not_modified += watched if publisher.validators else 0
        source.succeeded_at = last
        source.glitch_in -= checks

    def _check(self, source: TrackedSource, at: float) -> CheckOutcome:
        publisher, tally = source.publisher, self.tally
        watched = at >= WATCHED_FROM
        tally.requests += watched
        if at < source.paused_until:
            tally.inside_retry_after += 1
        failed = self._failure(source, at)
        if failed is not None:
            return failed
        new = self._read(source, at)
        is_304 = publisher.validators and new == 0 and source.succeeded_at is not None
        tally.not_modified += is_304 and watched
        self._recovered(source, at)
        source.succeeded_at = at
        return CheckOutcome(at, new=new)

    def _failure(self, source: TrackedSource, at: float) -> CheckOutcome | None:
        outage = self._outage(source, at)
        if outage is not None and outage.start <= at:
            if not outage.sends_retry_after:
                return CheckOutcome(at, outage.failure)
            source.paused_until = outage.end
            return CheckOutcome(at, outage.failure, retry_after=outage.end - at)
        source.glitch_in -= 1
        if source.glitch_in < 0 and source.publisher.glitches:
            source.glitch_in = self._glitch(source)
            return CheckOutcome(at, source.rng.choice(("timeout", "server_error", "connection")))
        return None

    def _read(self, source: TrackedSource, at: float) -> int:
        published, first = source.publisher.published, source.entry_count
        last = bisect_right(published, at)
        fresh = last - first
        if source.succeeded_at is None:
            first = max(first, last - source.publisher.window)
        for when in published[first:last]:
            if when >= WATCHED_FROM and not _is_out(source.publisher, when):
                self.tally.delays.append(at - when)
        source.entry_count = last
        return fresh

    def _recovered(self, source: TrackedSource, at: float) -> None:
        for outage in source.publisher.outages:
            long = outage.end - outage.start == LONG_OUTAGE
            if long and (source.succeeded_at or 0.0) < outage.end <= at:
                self.tally.recoveries.append(at - outage.end)

    def _pause(
        self,
        followed: list[TrackedSource],
        pauses: list[PauseRequest],
        now: float,
        queue: list[tuple[float, int]],
    ) -> None:
        """Pause a host if the policy says so: its sources are checked afterwards."""
        until = self._policy.host_pause(pauses, now)
        if until is None:
            return
        for place, source in enumerate(followed):
            if source.due_at is None or source.next_at(now) >= until:
                continue
            self._count_equal(source, now)
            self._plan(source, replace(source.plan, next_at=until, holds_until=0.0), now)
            heapq.heappush(queue, (until, place))

    def _finish(self, source: TrackedSource) -> None:
        publisher, end, succeeded_at = source.publisher, self._end, source.succeeded_at or 0.0
        for outage in publisher.outages:
            if (
                outage.end - outage.start == LONG_OUTAGE
                and succeeded_at < outage.end < end - 8 * DAY
            ):
                self.tally.recoveries.append(math.inf)
        responds_since = max(
            (outage.end for outage in publisher.outages if not outage.sends_retry_after),
            default=0.0,
        )
        if responds_since > end - 8 * DAY:
            return
        if succeeded_at < end - 8 * DAY:
            self.tally.dead += 1
        missing = publisher.published[source.entry_count :]
        due = [when for when in missing if WATCHED_FROM <= when < end - 2 * DAY]
        self.tally.late += len(due)
        self.tally.delays.extend(end - when for when in due)


def _is_out(publisher: Publisher, when: float) -> bool:
    """Tell whether an entry was published during an outage."""
    return any(s.start <= when < s.end and not s.sends_retry_after for s in publisher.outages)
