"""When a source is checked next: pure functions of its fetch state (docs/decisions/0019).

A source is never given up. It is checked in proportion to the square root of the entries that are
expected of it (docs/decisions/0019), less often if the vendor wants that or if it fails, and never
earlier than the vendor has asked for.
"""

import hashlib
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache
from operator import sub
from typing import Final

from ingest.scheduling.rhythm import WINDOW, expected_rate, mean_speed, measured_rhythm, stretched
from openapi.vocabulary import AdapterType, Tier

SHORTEST = timedelta(minutes=30)
LONGEST = timedelta(hours=24)
BYTES_A_DAY = 24_000_000  # that the entries of one source may add
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
HOST_PAUSES = 3
HOST_WINDOW = timedelta(minutes=10)


@dataclass(frozen=True, slots=True)
class Cadence:
    """How often a vendor publishes, as seen from one moment.

    ``entries_180d`` and ``newest_published_at`` leave out entries dated in the future. ``pull`` is
    how many checks it is worth: the square root of the entries that are expected a day, less where
    a ``rhythm`` says when; see ingest.scheduling.rhythm.
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
    floors = [min(pause, LONGEST) for pause in vendor_pauses if pause is not None]
    if not has_validators:
        floors.append(WITHOUT_VALIDATORS)
    return max(floors, default=None)


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


def wait_for_writing(written: int) -> timedelta:
    """Return how long a check has to be waited for that wrote so many bytes of entries.

    So no source fills the database with more than BYTES_A_DAY, whatever its vendor sends.
    """
    return timedelta(days=1) * (written / BYTES_A_DAY)


@dataclass(frozen=True, slots=True)
class Pace:
    """What decides the time of the next check of a source.

    ``failures`` counts attempts that failed in a row, the last one included, since
    ``first_failed_at``. ``gone``: two checks in a row got a 410. ``retry_after`` is that
    of the vendor's last response.
    """

    slug: str
    interval: timedelta
    failures: int = 0
    first_failed_at: datetime | None = None
    gone: bool = False
    retry_after: timedelta | None = None


def wait(pace: Pace, *, now: datetime) -> timedelta:
    """Return how long to wait by our own rules, before the vendor's Retry-After and jitter."""
    if pace.failures == 0:
        return pace.interval
    failing_for = now - (pace.first_failed_at or now)
    if pace.gone or failing_for >= LONG_FAILING:
        return WEEK
    backoff = FIRST_BACKOFF * (1 << min(pace.failures - 1, 10))
    return min(max(pace.interval, backoff), LONGEST)


def next_check(pace: Pace, *, now: datetime) -> datetime:
    """Return when to check again.

    Jitter only ever adds to what a vendor may have asked for. It shortens the weekly
    check, which is ours alone, so that a source is attempted within every seven days.
    """
    own = wait(pace, now=now)
    own += -jitter(pace.slug, own) if own == WEEK else jitter(pace.slug, own)
    if pace.retry_after is None:
        return now + own
    return now + max(own, pace.retry_after + jitter(pace.slug, pace.retry_after))


def jitter(slug: str, waiting: timedelta) -> timedelta:
    """Return the source's own share of a tenth of the wait, at most an hour.

    Always the same for a slug, so that sources that once met do not stay together.
    """
    return min(waiting / 10, LONGEST_JITTER) * _share(slug)


@lru_cache(maxsize=1024)
def _share(slug: str) -> float:
    digest = hashlib.sha256(slug.encode()).digest()
    return int.from_bytes(digest[:4]) / 2**32


@dataclass(frozen=True, slots=True)
class RetryAfter:
    """A vendor's Retry-After at one URL: no requests until a time."""

    url: str
    asked_at: datetime
    until: datetime


def host_pause(pauses: Iterable[RetryAfter], *, now: datetime) -> datetime | None:
    """Return until when no request is sent to a whole host, None if it is not paused.

    The Retry-After of one URL counts for that URL. When three URLs of the host asked for a pause
    within ten minutes it counts for the host, for as long as at least three of them want it: a
    single month does not silence a host that many vendors share.
    """
    current = sorted((p for p in pauses if p.until > now), key=lambda pause: pause.asked_at)
    ends = (
        _third_longest([p for p in current[index:] if p.asked_at - first.asked_at <= HOST_WINDOW])
        for index, first in enumerate(current)
    )
    return max((end for end in ends if end is not None), default=None)


def _third_longest(pauses: Sequence[RetryAfter]) -> datetime | None:
    latest: dict[str, datetime] = {}
    for pause in pauses:
        latest[pause.url] = max(pause.until, latest.get(pause.url, pause.until))
    untils = sorted(latest.values(), reverse=True)
    return untils[HOST_PAUSES - 1] if len(untils) >= HOST_PAUSES else None


_TIERS: Final = tuple(Tier)


@dataclass(frozen=True, slots=True)
class Overdue:
    """A source whose check is overdue since ``due_at``."""

    slug: str
    host: str
    due_at: datetime
    interval: timedelta
    tier: Tier = Tier.PRODUCT


def spread(
    overdue: Iterable[Overdue],
    *,
    now: datetime,
    per_second: float = 5.0,
    host_spacing: timedelta = timedelta(seconds=2),
) -> dict[str, datetime]:
    """Space out sources that are all due at once, as after an outage.

    Those that are overdue by the largest part of their interval come first, and of those that are
    so alike, as before the first sweep, what is looked for the likeliest. No more than
    ``per_second`` sources start in a second, and those of one host are ``host_spacing`` apart;
    a crowded host delays nobody else. Returns a time, never before ``now``, for every slug.
    """
    step = timedelta(seconds=1) / per_second
    times: dict[str, datetime] = {}
    host_free_at: dict[str, datetime] = {}
    free_at = now
    by_lateness = sorted(
        overdue,
        key=lambda source: (
            (source.due_at - now) / source.interval,
            _TIERS.index(source.tier),
            source.slug,
        ),
    )
    for source in by_lateness:
        at = max(free_at, host_free_at.get(source.host, now))
        times[source.slug] = at
        host_free_at[source.host] = at + host_spacing
        free_at += step
    return times
