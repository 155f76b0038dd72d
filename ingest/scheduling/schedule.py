"""When a source is checked next: pure functions of its fetch state (docs/decisions/0019).

A source is never given up. It is checked in proportion to the square root of the entries that are
expected of it, less often if the vendor wants that or if it fails, and never earlier than the
vendor has asked for.

The rate is a posterior: publishing is taken for a Poisson process whose rate is uncertain. What is
known of all vendors is the prior for one of them, and what its last half year says the prior for
its last week, which notices bursts.

A rhythm is the speed at which the time to the next check passes: faster while entries are likely,
in proportion to the square root of their rate, which makes the mean delay smallest for a number of
checks. It is kept as text: a digit of base 36 for each hour of the day in UTC, then one for
workdays and one for weekends, twelve meaning the usual rate. No text: every hour is alike.
"""

import hashlib
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from functools import lru_cache
from itertools import cycle, islice
from operator import sub
from typing import Final

from openapi.vocabulary import AdapterType

SHORTEST = timedelta(minutes=30)
LONGEST = timedelta(hours=24)
BYTES_A_DAY = 24_000_000  # that entries of one source may add, whatever its vendor sends
FEED_START = timedelta(minutes=60)
PAGE_START = timedelta(hours=4)
WITHOUT_VALIDATORS = timedelta(hours=4)
USUAL_UNIT_WAIT = timedelta(hours=1.25)
"""The wait of a source of which one entry a day is expected, in a catalog like the shipped one."""
LEAST_PULL = 1e-3

FIRST_BACKOFF = timedelta(minutes=15)
LONG_FAILING = timedelta(days=30)
WEEK = timedelta(days=7)

ENOUGH_ENTRIES = 3

LONGEST_JITTER = timedelta(hours=1)

DAY: Final = timedelta(days=1)
WINDOW: Final = timedelta(days=180)
BURST: Final = timedelta(days=7)
PRIOR_ENTRIES: Final = 2.0
PRIOR_DAYS: Final = 30.0
BURST_PRIOR_ENTRIES: Final = 3.0
RHYTHM_ENTRIES: Final = 5  # that a rhythm is measured from
HOURS_PRIOR: Final = 20.0  # entries at hours that are all alike
DAYS_PRIOR: Final = 10.0
NEIGHBOURS: Final = ((-2, 1 / 16), (-1, 4 / 16), (0, 6 / 16), (1, 4 / 16), (2, 1 / 16))
MIDNIGHT: Final = time()
UNIT: Final = 12
DIGITS: Final = "0123456789abcdefghijklmnopqrstuvwxyz"
HOUR_SECONDS: Final = 3600.0
WORKDAYS: Final = 5
Speeds = tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Cadence:
    """How often a vendor publishes, as seen from one moment.

    ``entries_180d`` and ``newest_published_at`` leave out entries dated in the future. ``pull`` is
    how many checks it is worth: the square root of the entries that are expected a day, less where
    a ``rhythm`` says when.
    """

    entries_180d: int = 0
    median_gap: timedelta | None = None
    newest_published_at: datetime | None = None
    pull: float | None = None
    rhythm: str = ""


def cadence(published_ats: Iterable[datetime], *, now: datetime) -> Cadence:
    """Return the cadence of a source from the times of all its entries."""
    past = sorted(published_ats)
    past = past[: bisect_right(past, now)]
    recent = past[bisect_right(past, now - WINDOW) :]
    rhythm = measured_rhythm(recent)
    rate = expected_rate(sorted(set(past)), now=now)
    return Cadence(
        entries_180d=len(recent),
        median_gap=_median_gap(recent, has_older=len(past) > len(recent)),
        newest_published_at=past[-1] if past else None,
        pull=rate**0.5 * mean_speed(rhythm),
        rhythm=rhythm,
    )


def _median_gap(recent: Sequence[datetime], *, has_older: bool) -> timedelta | None:
    """Return the median time between the entries of the last 180 days, None if unknown.

    Entries of one instant count once: a batch says nothing about the cadence. With
    fewer than three entries in the window there is no median; but a source that was already
    publishing before the window rarely publishes, and its gap is the window over the
    pauses in it.
    """
    if len(recent) < ENOUGH_ENTRIES:
        return WINDOW / (len(recent) + 1) if has_older else None
    gaps = sorted(map(sub, recent[1:], recent))
    gaps = gaps[bisect_right(gaps, timedelta()) :]
    return (gaps[(len(gaps) - 1) // 2] + gaps[len(gaps) // 2]) / 2 if gaps else None


def start_interval(adapter_type: AdapterType) -> timedelta:
    """Return the interval of a source before its cadence is measured."""
    return PAGE_START if adapter_type is AdapterType.HTML else FEED_START


def floor(
    vendor_pauses: Iterable[timedelta | None] = (), *, has_validators: bool
) -> timedelta | None:
    """Return the shortest interval that a vendor wants, None if any is welcome.

    ``vendor_pauses`` is what it asks for (TTL, max-age, Expires), of which at most 24 hours count.
    Without validators every check costs the whole document.
    """
    wanted = [*filter(None, vendor_pauses), *([] if has_validators else [WITHOUT_VALIDATORS])]
    return min(max(wanted), LONGEST) if wanted else None


def wait_for_entries(pull: float, rhythm: str, *, unit: timedelta, now: datetime) -> timedelta:
    """Return how long to wait from now on by what is expected of a source.

    ``unit`` is the wait of a source whose pull is one (ingest.scheduling.budget).
    """
    return max(stretched(rhythm, unit / max(pull, LEAST_PULL), now=now, longest=LONGEST), SHORTEST)


def interval(usual: timedelta, shortest: timedelta | None, *, open_gap: bool = False) -> timedelta:
    """Return how long to wait between two checks of a source that responds.

    An open gap halves the usual wait, but not below what the vendor asks for.
    """
    return max(usual / 2 if open_gap else usual, shortest or timedelta())


def wait_after_failures(
    interval: timedelta, failures: int, *, failing_for: timedelta, gone: bool
) -> timedelta:
    """Return how long to wait by our own rules after some failures in a row.

    ``gone``: two checks in a row got a 410.
    """
    if gone or failing_for >= LONG_FAILING:
        return WEEK
    backoff = FIRST_BACKOFF * (1 << min(failures - 1, 10))
    return min(max(interval, backoff), LONGEST)


def next_check(
    slug: str, own: timedelta, *, retry_after: timedelta | None = None, now: datetime
) -> datetime:
    """Return when to check again, by our own wait and the vendor's last Retry-After.

    Jitter only ever adds to what a vendor may have asked for. It shortens the weekly
    check, which is ours alone, so that a source is attempted within every seven days.
    """
    own += -jitter(slug, own) if own == WEEK else jitter(slug, own)
    if retry_after is None:
        return now + own
    return now + max(own, retry_after + jitter(slug, retry_after))


def jitter(slug: str, waiting: timedelta) -> timedelta:
    """Return the source's own share of a tenth of the wait, at most an hour.

    Always the same for a slug, so that sources that once met do not stay together.
    """
    return min(waiting / 10, LONGEST_JITTER) * _share(slug)


@lru_cache(maxsize=1024)
def _share(slug: str) -> float:
    digest = hashlib.sha256(slug.encode()).digest()
    return int.from_bytes(digest[:4]) / 2**32


def expected_rate(past: Sequence[datetime], *, now: datetime) -> float:
    """Return how many entries a day are expected of a source now.

    ``past`` are the distinct times of its entries up to now, in order: entries of one instant are
    one event. The oldest of a source begins its time, unless it was known for the whole window.
    """
    if not past:
        return PRIOR_ENTRIES / PRIOR_DAYS
    begin = max(past[0], now - WINDOW)
    entries = PRIOR_ENTRIES + len(past) - bisect_right(past, begin)
    half_year = entries / (PRIOR_DAYS + (now - begin) / DAY)
    begin = max(past[0], now - BURST)
    known_for = BURST_PRIOR_ENTRIES / half_year + (now - begin) / DAY
    return (BURST_PRIOR_ENTRIES + len(past) - bisect_right(past, begin)) / known_for


def measured_rhythm(past: Sequence[datetime]) -> str:
    """Return the rhythm of the times of entries.

    A time at midnight is a date whose hour is unknown.
    """
    if len(past) < RHYTHM_ENTRIES:
        return ""
    times = [at.astimezone(UTC) for at in past]
    hours = [at.hour for at in times if at.time() != MIDNIGHT]
    smoothed = [0.0] * 24  # each hour is helped by its neighbours
    for hour in hours:
        for away, share in NEIGHBOURS:
            smoothed[(hour + away) % 24] += share
    work = len([at for at in times if at.weekday() < WORKDAYS])
    days = (work * 7 / WORKDAYS, (len(times) - work) * 7 / (7 - WORKDAYS))
    rates = [(24 * count + HOURS_PRIOR) / (len(hours) + HOURS_PRIOR) for count in smoothed]
    rates += [(seen + DAYS_PRIOR) / (len(times) + DAYS_PRIOR) for seen in days]
    steps = [round(rate**0.5 * UNIT) for rate in rates]
    return "".join([DIGITS[min(max(step, 1), len(DIGITS) - 1)] for step in steps])


@lru_cache(maxsize=4096)
def mean_speed(rhythm: str) -> float:
    """Return the mean speed of a week, about one or less: a rhythm spares checks."""
    if not rhythm:
        return 1.0
    *hours, work, weekend = map(DIGITS.index, rhythm)
    return sum(hours) / 24 * (WORKDAYS * work + (7 - WORKDAYS) * weekend) / 7 / UNIT**2


@lru_cache(maxsize=4096)
def speeds_of_week(rhythm: str) -> Speeds:
    """Return the speed in each hour from Monday on; their mean is one."""
    *hours, work, weekend = map(DIGITS.index, rhythm)
    mean = mean_speed(rhythm) * UNIT**2
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
    hour, into_hour = divmod(into_week, HOUR_SECONDS)
    passed, left = -into_hour, wait + into_hour * speeds[int(hour)]
    for speed in islice(cycle(speeds), int(hour), None):
        if left <= speed * HOUR_SECONDS or passed >= longest:
            return min(passed + left / speed, longest)
        left -= speed * HOUR_SECONDS
        passed += HOUR_SECONDS
    raise AssertionError("a cycle has no end")
