"""How often and at which hours a vendor publishes, and waits that are longer when it does not.

The rate is a posterior: publishing is taken for a Poisson process whose rate is uncertain. What is
known of all vendors is the prior for one of them, and what its last half year says the prior for
its last week, which notices bursts (docs/decisions/0019).

A rhythm is the speed at which the time to the next check passes: faster while entries are likely,
in proportion to the square root of their rate, which makes the mean delay smallest for a number of
checks. It is kept as text: a digit of base 36 for each hour of the day in UTC, then one for
workdays and one for weekends, twelve meaning the usual rate. No text: every hour is alike.
"""

from bisect import bisect_right
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, time, timedelta
from functools import lru_cache
from itertools import cycle, islice
from typing import Final

DAY: Final = timedelta(days=1)
WINDOW: Final = timedelta(days=180)
BURST: Final = timedelta(days=7)
PRIOR_ENTRIES: Final = 2.0
PRIOR_DAYS: Final = 30.0
BURST_PRIOR_ENTRIES: Final = 3.0
ENOUGH: Final = 5  # entries that a rhythm is measured from
HOURS_PRIOR: Final = 20.0  # entries at hours that are all alike
DAYS_PRIOR: Final = 10.0
NEIGHBOURS: Final = ((-2, 1 / 16), (-1, 4 / 16), (0, 6 / 16), (1, 4 / 16), (2, 1 / 16))
MIDNIGHT: Final = time()
UNIT: Final = 12
DIGITS: Final = "0123456789abcdefghijklmnopqrstuvwxyz"
HOUR: Final = 3600.0
WORKDAYS: Final = 5
Speeds = tuple[float, ...]


def expected_rate(past: Sequence[datetime], *, now: datetime) -> float:
    """Return how many entries a day are expected of a source now.

    ``past`` are the distinct times of its entries up to now, in order: entries of one instant are
    one event. The oldest of a source begins its time, unless it was known for the whole window.
    """
    if not past:
        return PRIOR_ENTRIES / PRIOR_DAYS
    begin = max(past[0], now - WINDOW)
    half_year = (PRIOR_ENTRIES + _events(past, begin)) / (PRIOR_DAYS + (now - begin) / DAY)
    begin = max(past[0], now - BURST)
    known_for = BURST_PRIOR_ENTRIES / half_year + (now - begin) / DAY
    return (BURST_PRIOR_ENTRIES + _events(past, begin)) / known_for


def _events(past: Sequence[datetime], begin: datetime) -> int:
    return len(past) - bisect_right(past, begin)


def measured_rhythm(past: Sequence[datetime]) -> str:
    """Return the rhythm of the times of entries.

    A time at midnight is a date whose hour is unknown.
    """
    if len(past) < ENOUGH:
        return ""
    times = [at.astimezone(UTC) for at in past]
    hours = Counter(at.hour for at in times if at.time() != MIDNIGHT)
    work = sum(at.weekday() < WORKDAYS for at in times)
    days = (work * 7 / WORKDAYS, (len(times) - work) * 7 / (7 - WORKDAYS))
    rates = [*_hour_rates(hours), *(_shrunk(seen, len(times), DAYS_PRIOR) for seen in days)]
    return "".join(map(_digit, rates))


def _hour_rates(hours: Mapping[int, int]) -> list[float]:
    """Return the rate of each hour in proportion to the mean, with its neighbours' help."""
    smoothed = [0.0] * 24
    for hour, count in hours.items():
        for away, share in NEIGHBOURS:
            smoothed[(hour + away) % 24] += share * count
    entries = sum(hours.values())
    return [_shrunk(24 * count, entries, HOURS_PRIOR) for count in smoothed]


def _shrunk(seen: float, entries: int, prior: float) -> float:
    return (seen + prior) / (entries + prior)


def _digit(rate: float) -> str:
    return DIGITS[min(max(round(rate**0.5 * UNIT), 1), len(DIGITS) - 1)]


@lru_cache(maxsize=4096)
def mean_speed(rhythm: str) -> float:
    """Return the mean speed of a week, about one or less: a rhythm spares checks."""
    if not rhythm:
        return 1.0
    hours, (work, weekend) = _raw(rhythm)
    return sum(hours) / 24 * (WORKDAYS * work + (7 - WORKDAYS) * weekend) / 7


def _raw(rhythm: str) -> tuple[list[float], tuple[float, float]]:
    *hours, work, weekend = (DIGITS.index(digit) / UNIT for digit in rhythm)
    return hours, (work, weekend)


@lru_cache(maxsize=4096)
def speeds_of_week(rhythm: str) -> Speeds:
    """Return the speed in each hour from Monday on; their mean is one."""
    hours, (work, weekend) = _raw(rhythm)
    mean = mean_speed(rhythm)
    of_days = [work] * WORKDAYS + [weekend] * (7 - WORKDAYS)
    return tuple(day * hour / mean for day in of_days for hour in hours)


def stretched(rhythm: str, wait: timedelta, *, now: datetime, longest: timedelta) -> timedelta:
    """Return how long a usual wait lasts from now on, at most ``longest``."""
    if not rhythm:
        return min(wait, longest)
    at = now.astimezone(UTC)
    into_week = ((at.weekday() * 24 + at.hour) * 60 + at.minute) * 60.0 + at.second
    seconds = elapsed(
        speeds_of_week(rhythm), into_week, wait.total_seconds(), longest=longest.total_seconds()
    )
    return timedelta(seconds=seconds)


def elapsed(speeds: Speeds, into_week: float, wait: float, *, longest: float) -> float:
    """Return the seconds, at most ``longest``, in which ``wait`` passes at changing speeds."""
    hour, into_hour = divmod(into_week, HOUR)
    passed, left = -into_hour, wait + into_hour * speeds[int(hour)]
    for speed in islice(cycle(speeds), int(hour), None):
        if left <= speed * HOUR or passed >= longest:
            return min(passed + left / speed, longest)
        left -= speed * HOUR
        passed += HOUR
    raise AssertionError("a cycle has no end")
