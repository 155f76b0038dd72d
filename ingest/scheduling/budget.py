"""How requests are spent on the sources and hosts of a catalog: pure functions.

The mean delay is smallest for a number of requests if each source gets them in proportion to its
``pull``, the square root of the entries expected of it, counted by how many people follow it
(docs/decisions/0019). What a vendor asks for is a floor; what is not spent there goes to others.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final

from ingest.scheduling.schedule import DAY, LEAST_PULL, LONGEST, SHORTEST, USUAL_UNIT_WAIT

A_DAY: Final = 5.0  # requests for a source
HOST_A_DAY: Final = 43_200.0  # for all sources of a host: one in two seconds
MOST_FOLLOWERS: Final = 15  # that count, so that a few sources do not take what all have
MEAN_JITTER: Final = 1.05
HALVINGS: Final = 30
HOST_PAUSES: Final = 3
HOST_WINDOW: Final = timedelta(minutes=10)
LEAST, MOST = SHORTEST / DAY, LONGEST / DAY
Demand = tuple[str, float, timedelta | None]
"""What a source asks of the budget: its host, its pull counted by followers, and its floor."""
_Share = tuple[float, float]  # weighted pull, shortest wait in days
Pause = tuple[str, datetime, datetime]
"""A Retry-After: the URL that it was sent for, when, and until when it holds."""


def weight(followers: int) -> float:
    """Return how much more often a source is checked for its followers: four times at most."""
    return float((1 + min(followers, MOST_FOLLOWERS)) ** 0.5)


@dataclass(frozen=True, slots=True)
class Allotment:
    """The wait of a source whose pull is one: the usual one, and those of crowded hosts.

    ``weights`` are those of sources that somebody follows, by id.
    """

    usual: timedelta = USUAL_UNIT_WAIT
    hosts: Mapping[str, timedelta] = field(default_factory=dict)
    weights: Mapping[int, float] = field(default_factory=dict)

    def unit_wait(self, source_id: int, host: str) -> timedelta:
        """Return the wait of this source, were its pull one."""
        return self.hosts.get(host, self.usual) / self.weights.get(source_id, 1.0)


def allot(
    demands: Collection[Demand], *, a_day: float = A_DAY, host_a_day: float = HOST_A_DAY
) -> tuple[timedelta, dict[str, timedelta]]:
    """Return the usual wait of a pull of one, and those of hosts that would get too many requests.

    What such a host does not get is spent on the others.
    """
    of_host: defaultdict[str, list[_Share]] = defaultdict(list)
    for host, weighted_pull, floor in demands:
        shortest = LEAST if floor is None else floor / DAY
        of_host[host].append((weighted_pull, min(max(shortest, LEAST), MOST)))
    crowded: dict[str, timedelta] = {}
    while True:
        rest = [share for host in of_host if host not in crowded for share in of_host[host]]
        usual = _unit_wait(rest, a_day * len(demands) - host_a_day * len(crowded))
        more = {
            host: _unit_wait(shares, host_a_day)
            for host, shares in of_host.items()
            if host not in crowded and _requests(shares, usual / DAY) > host_a_day
        }
        if not more:
            return usual, crowded
        crowded |= more


def _requests(shares: Sequence[_Share], unit: float) -> float:
    """Return the requests of a day at this wait, in days, of a pull of one."""
    waits = (min(max(unit / max(pull, LEAST_PULL), shortest), MOST) for pull, shortest in shares)
    return sum(map((1 / MEAN_JITTER).__truediv__, waits))


def _unit_wait(shares: Sequence[_Share], a_day: float) -> timedelta:
    """Return the wait of a pull of one at which the sources take so many requests a day."""
    if not shares:
        return USUAL_UNIT_WAIT
    low, high = 1e-4, 1e3
    for _ in range(HALVINGS):
        middle = (low * high) ** 0.5
        low, high = (middle, high) if _requests(shares, middle) > a_day else (low, middle)
    return high * DAY


def host_pause(pauses: Iterable[Pause], *, now: datetime) -> datetime | None:
    """Return until when no request is sent to a whole host, None if it is not paused.

    The Retry-After of one URL counts for that URL. When three URLs of the host asked for a pause
    within ten minutes it counts for the host, for as long as at least three of them want it: a
    single month does not silence a host that many vendors share.
    """
    current = sorted((p for p in pauses if p[2] > now), key=lambda pause: pause[1])
    ends = (
        _third_longest([p for p in current[index:] if p[1] - first[1] <= HOST_WINDOW])
        for index, first in enumerate(current)
    )
    return max((end for end in ends if end is not None), default=None)


def _third_longest(pauses: Sequence[Pause]) -> datetime | None:
    latest: dict[str, datetime] = {}
    for url, _, until in pauses:
        latest[url] = max(until, latest.get(url, until))
    untils = sorted(latest.values(), reverse=True)
    return untils[HOST_PAUSES - 1] if len(untils) >= HOST_PAUSES else None


def spread(
    hosts: Mapping[int, str], *, now: datetime, per_second: float, host_spacing: timedelta
) -> dict[int, datetime]:
    """Return a time for each source, given with its host in the order in which they are checked.

    No more than ``per_second`` sources start in a second, and those of one host are
    ``host_spacing`` apart; a crowded host delays nobody else.
    """
    times: dict[int, datetime] = {}
    host_free_at: dict[str, datetime] = {}
    for place, (source_id, host) in enumerate(hosts.items()):
        at = max(now + place * timedelta(seconds=1) / per_second, host_free_at.get(host, now))
        times[source_id] = at
        host_free_at[host] = at + host_spacing
    return times
