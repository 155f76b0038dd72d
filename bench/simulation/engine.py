"""The simulation itself: hosts one after the other, their looks in the order of time.

A look matters when it may end otherwise than the one before: something was published, a spell
begins or ends, chance lets it fail, the rules want to think anew. Those looks are made, one by
one; the equal looks between two of them lie on a grid, and are counted.
"""

import heapq
import math
import random
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Final

from simulation.policy import Asked, Plan, Policy, Seen
from simulation.tally import Tally
from simulation.world import DAY, HOUR, LONG_OUTAGE, Publisher, Spell

SECONDS_PER_LOOK: Final = {"unchanged": 0.25, "document": 0.8, "timeout": 30.0, "failure": 1.0}
WATCHED_FROM: Final = 7 * DAY
"""Entries and requests count from here: before, sources are only being learnt to know."""


@dataclass(frozen=True, slots=True)
class Grid:
    """Looks that end alike, at ``first`` and every ``period`` seconds from there."""

    first: float
    period: float
    looks: int

    def before(self, now: float) -> int:
        """Return how many of them lie before a time."""
        return min(max(math.ceil((now - self.first) / self.period), 0), self.looks)


@dataclass(slots=True)
class Following:
    """A source that is being followed: the plan, what is known, what it was asked to leave."""

    publisher: Publisher
    plan: Plan
    dice: random.Random
    known: int = 0
    succeeded_at: float | None = None
    over: int = 0  # spells that are
    asked_until: float = 0.0
    glitch_in: int = 0  # looks until one fails by chance
    due_at: float | None = None  # the next look that matters
    grid: Grid | None = None  # the equal looks before it

    def next_at(self, now: float) -> float:
        """Return when the source is looked at next."""
        assert self.due_at is not None
        if self.grid is None:
            return self.due_at
        return self.grid.first + self.grid.before(now) * self.grid.period


class Simulation:
    """One set of rules in one world."""

    def __init__(self, policy: Policy, *, days: int, seed: int) -> None:
        self._policy = policy
        self._end = days * DAY
        self._seed = seed
        self.tally = Tally(days)

    def run(self, world: Iterable[list[Publisher]]) -> Tally:
        """Follow every host of the world from its first day to its last."""
        for crowd in world:
            self._host(crowd)
        return self.tally

    def _host(self, crowd: list[Publisher]) -> None:
        followed = [self._begin(publisher) for publisher in crowd]
        queue = [(each.due_at, place) for place, each in enumerate(followed) if each.due_at]
        heapq.heapify(queue)
        askings: list[Asked] = []
        while queue:
            at, place = heapq.heappop(queue)
            source = followed[place]
            if at != source.due_at:
                continue  # planned anew meanwhile
            self._count_equal(source, at)
            if at >= self._end:
                continue
            seen = self._look(source, at)
            self._plan(source, self._policy.after(source.publisher, source.plan.state, seen), at)
            if source.due_at is not None:
                heapq.heappush(queue, (source.due_at, place))
            if seen.retry_after is not None:
                askings = [each for each in askings if each.until > at]
                askings.append(Asked(source.publisher.slug, at, at + seen.retry_after))
                self._pause(followed, askings, at, queue)
        for each in followed:
            self._finish(each)

    def _begin(self, publisher: Publisher) -> Following:
        dice = random.Random(f"{self._seed}:{publisher.slug}")
        source = Following(publisher, self._policy.begin(publisher), dice)
        source.known = bisect_right(publisher.published, 0.0)
        source.glitch_in = self._glitch(source)
        self._plan(source, source.plan, 0.0)
        self.tally.sources += 1
        return source

    def _glitch(self, source: Following) -> int:
        chance = source.publisher.glitches
        return int(math.log(1.0 - source.dice.random()) / math.log(1.0 - chance)) if chance else -1

    def _plan(self, source: Following, plan: Plan, now: float) -> None:
        """Take a plan, and find the first look of it that matters."""
        source.plan, source.due_at, source.grid = plan, None, None
        first = plan.next_at
        if first is None or first >= self._end:
            return
        period, looks = first - now, 0
        if plan.holds_until > first and period > 0:
            matters = min(self._matters(source, now), plan.holds_until, self._end)
            looks = max(math.ceil((matters - first) / period), 0)
            if source.glitch_in >= 0:
                looks = min(looks, source.glitch_in)
        if looks:
            source.grid = Grid(first, period, looks)
        source.due_at = first + looks * period

    def _matters(self, source: Following, now: float) -> float:
        """When, after ``now``, something happens at the vendor that a look would notice."""
        published, known = source.publisher.published, source.known
        spell = self._spell(source, now)
        return min(
            published[known] if known < len(published) else math.inf,
            spell.start if spell is not None else math.inf,
        )

    def _spell(self, source: Following, now: float) -> Spell | None:
        """The spell that lasts or comes next."""
        spells = source.publisher.spells
        while source.over < len(spells) and spells[source.over].end <= now:
            source.over += 1
        return spells[source.over] if source.over < len(spells) else None

    def _count_equal(self, source: Following, now: float) -> None:
        """Count the looks of the grid that lie before a time, and forget it."""
        grid, tally, publisher = source.grid, self.tally, source.publisher
        source.grid = None
        looks = grid.before(now) if grid is not None else 0
        if grid is None or looks == 0:
            return
        last = grid.first + (looks - 1) * grid.period
        watched = looks
        if grid.first < WATCHED_FROM:
            watched = max(0, math.floor((last - WATCHED_FROM) / grid.period) + 1)
        tally.requests += watched
        tally.not_modified += watched if publisher.validators else 0
        seconds = SECONDS_PER_LOOK["unchanged" if publisher.validators else "document"]
        self._load_evenly(grid.first, last, seconds * looks)
        source.succeeded_at = last
        source.glitch_in -= looks

    def _load_evenly(self, first: float, last: float, seconds: float) -> None:
        """Spread the work of equal looks over the hours they lie in."""
        start, stop = int(first // HOUR), int(min(last, self._end - 1) // HOUR) + 1
        share = seconds / (stop - start)
        self.tally.hourly[start] += share
        self.tally.hourly[stop] -= share

    def _look(self, source: Following, at: float) -> Seen:
        publisher, tally = source.publisher, self.tally
        tally.judged += 1
        watched = at >= WATCHED_FROM
        tally.requests += watched
        if at < source.asked_until:
            tally.inside_retry_after += 1
        failed = self._failure(source, at)
        if failed is not None:
            kind = "timeout" if failed.failure == "timeout" else "failure"
            tally.load[int(at // HOUR)] += SECONDS_PER_LOOK[kind]
            return failed
        new = self._read(source, at)
        is_304 = publisher.validators and new == 0 and source.succeeded_at is not None
        tally.not_modified += is_304 and watched
        tally.load[int(at // HOUR)] += SECONDS_PER_LOOK["unchanged" if is_304 else "document"]
        self._recovered(source, at)
        source.succeeded_at = at
        return Seen(at, new=new)

    def _failure(self, source: Following, at: float) -> Seen | None:
        spell = self._spell(source, at)
        if spell is not None and spell.start <= at:
            if not spell.asks:
                return Seen(at, spell.failure)
            source.asked_until = spell.end
            return Seen(at, spell.failure, retry_after=spell.end - at)
        source.glitch_in -= 1
        if source.glitch_in < 0 and source.publisher.glitches:
            source.glitch_in = self._glitch(source)
            return Seen(at, source.dice.choice(("timeout", "server_error", "connection")))
        return None

    def _read(self, source: Following, at: float) -> int:
        published, known = source.publisher.published, source.known
        now_known = bisect_right(published, at)
        fresh = now_known - known
        if source.succeeded_at is None:
            known = max(known, now_known - source.publisher.window)
        self.tally.missed += max(fresh - source.publisher.window, 0)
        for when in published[known:now_known]:
            if when >= WATCHED_FROM and not _is_out(source.publisher, when):
                self.tally.delays.append(at - when)
        source.known = now_known
        return fresh

    def _recovered(self, source: Following, at: float) -> None:
        for spell in source.publisher.spells:
            long = spell.end - spell.start == LONG_OUTAGE
            if long and (source.succeeded_at or 0.0) < spell.end <= at:
                self.tally.recoveries.append(at - spell.end)

    def _pause(
        self,
        followed: list[Following],
        askings: list[Asked],
        now: float,
        queue: list[tuple[float, int]],
    ) -> None:
        """Leave a host alone if the rules say so; its sources' turns wait until then."""
        until = self._policy.host_pause(askings, now)
        if until is None:
            return
        for place, each in enumerate(followed):
            if each.due_at is None or each.next_at(now) >= until:
                continue
            self._count_equal(each, now)
            self._plan(each, replace(each.plan, next_at=until, holds_until=0.0), now)
            heapq.heappush(queue, (until, place))

    def _finish(self, source: Following) -> None:
        publisher, end, seen_at = source.publisher, self._end, source.succeeded_at or 0.0
        for spell in publisher.spells:
            if spell.end - spell.start == LONG_OUTAGE and seen_at < spell.end < end - 8 * DAY:
                self.tally.recoveries.append(math.inf)
        answers_since = max((s.end for s in publisher.spells if not s.asks), default=0.0)
        if answers_since > end - 8 * DAY:
            return
        if seen_at < end - 8 * DAY:
            self.tally.dead += 1
        unseen = publisher.published[source.known :]
        due = [when for when in unseen if WATCHED_FROM <= when < end - 2 * DAY]
        self.tally.late += len(due)
        self.tally.delays.extend(end - when for when in due)


def _is_out(publisher: Publisher, when: float) -> bool:
    """Tell whether nobody could have seen an entry when it was published."""
    return any(s.start <= when < s.end and not s.asks for s in publisher.spells)
