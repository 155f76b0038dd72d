"""A random world of vendors: when they publish, how they respond, when they fail.

Times are seconds; 0 is where the simulation begins, and vendors have published for 180 days
before. In an outage every check of a source fails the same way. The proportions
(kinds of sources, shared hosts, validators, TTLs) follow the shipped catalog and the documents
of vendors; the failures are chosen to be worse than observed.
"""

import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

MINUTE: Final = 60.0
HOUR: Final = 3600.0
DAY: Final = 86400.0
PAST: Final = 180 * DAY

LONG_OUTAGE: Final = 72 * HOUR

FIRST_WEEKDAY: Final = 3  # 1 January 2026, a Thursday

FEED: Final = "feed"
PAGE: Final = "page"


@dataclass(frozen=True, slots=True)
class Outage:
    """From ``start`` until ``end`` checks fail: ``failure`` is a name of ingest.fetching.outcomes.

    ``sends_retry_after``: every response has a Retry-After until the end of the outage.
    """

    start: float
    end: float
    failure: str
    sends_retry_after: bool = False


@dataclass(frozen=True, slots=True)
class Publisher:
    """One source of the world.

    ``published`` are the times of its entries, ``window`` how many its document shows.
    ``validators``: it sends 304s. ``fresh_for`` is its TTL or max-age. ``glitches`` is the
    probability that a single check fails. ``rate`` is the true number of entries a day, which only
    the optimum knows.
    """

    slug: str
    host: str
    kind: str
    published: tuple[float, ...]
    window: int
    validators: bool
    fresh_for: float | None
    glitches: float
    rate: float = 0.0
    outages: tuple[Outage, ...] = field(default=())


def hosts(
    sources: int, *, days: int, seed: int, part: int = 0, parts: int = 1
) -> Iterator[list[Publisher]]:
    """Make a world of so many sources, host by host; equal seeds make equal worlds.

    One source in four lives on a crowded host, as releases do that many vendors keep at one
    forge; the others have a host of their own, or share it with two or three of the same vendor.
    The hosts are dealt out to ``parts`` that have as many sources each; only ``part`` is made.
    """
    created = number = 0
    dealt = [0] * parts
    while created < sources:
        number += 1
        rng = random.Random(f"{seed}:{number}")
        crowd = 400 if number % 800 == 1 else rng.choice((1, 1, 1, 2, 3))
        crowd = min(crowd, sources - created)
        created += crowd
        least = dealt.index(min(dealt))
        dealt[least] += crowd
        if least == part:
            yield _host(rng, f"h{number}.example", crowd, end=days * DAY)


def _host(rng: random.Random, host: str, crowd: int, *, end: float) -> list[Publisher]:
    shared = _outages_of_host(rng, end=end, crowded=crowd > 3)
    return [_publisher(rng, host, f"{host}.s{place}", shared, end=end) for place in range(crowd)]


def _publisher(
    rng: random.Random, host: str, slug: str, shared: list[Outage], *, end: float
) -> Publisher:
    kind = PAGE if rng.random() < 0.25 else FEED
    gap = min(max(rng.lognormvariate(2.7, 1.0), 0.3), 180.0) * DAY  # median 15 days
    ttl_chance = rng.random()
    fresh_for = None
    if ttl_chance < 0.2:
        fresh_for = HOUR
    elif ttl_chance < 0.4:
        fresh_for = rng.choice((5 * MINUTE, 10 * MINUTE, 4 * HOUR, 24 * HOUR))
    return Publisher(
        slug,
        host,
        kind,
        tuple(_publishing(rng, gap, end=end)),
        window=rng.choice((10, 20, 30, 50, 100)),
        validators=rng.random() < (0.75 if kind == FEED else 0.45),
        fresh_for=fresh_for,
        glitches=0.003,
        rate=DAY / gap,
        outages=_apart([*shared, *_outages_of_source(rng, kind, end=end)]),
    )


def _publishing(rng: random.Random, gap: float, *, end: float) -> Iterator[float]:
    """Yield the times of entries, in bursts: the gaps have a gamma distribution."""
    at = -PAST + rng.random() * gap
    while at < end:
        yield at
        at += rng.gammavariate(0.6, gap / 0.6)


def _outages_of_host(rng: random.Random, *, end: float, crowded: bool) -> list[Outage]:
    outages = []
    at = rng.expovariate(1 / (60 * DAY))
    while at < end:
        length = min(rng.lognormvariate(1.0, 1.0), 24.0) * HOUR
        kind = rng.choice(("server_error", "timeout", "connection", "dns_temporary", "tls"))
        outages.append(Outage(at, at + length, kind))
        at += length + rng.expovariate(1 / (60 * DAY))
    if crowded:  # a shared host limits all requests, once a fortnight
        outages += [
            Outage(at, at + HOUR, "rate_limited", sends_retry_after=True)
            for at in _random_times(rng, end)
        ]
    chance = rng.random()
    start = (0.2 + 0.4 * rng.random()) * end
    if crowded or chance < 0.05:
        outages.append(Outage(start, start + LONG_OUTAGE, "server_error"))
    elif chance < 0.06:  # gone for good
        outages.append(Outage(start, float("inf"), "dns"))
    elif chance < 0.07:  # away for weeks
        outages.append(Outage(start, start + rng.uniform(10, 34) * DAY, "not_found"))
    return outages


def _outages_of_source(rng: random.Random, kind: str, *, end: float) -> list[Outage]:
    outages = []
    if rng.random() < 0.15:  # a vendor with rate limits
        for at in _random_times(rng, end):
            length = rng.choice((15 * MINUTE, HOUR, 6 * HOUR, 24 * HOUR, 3 * DAY))
            outages.append(Outage(at, at + length, "rate_limited", sends_retry_after=True))
    if kind == PAGE and rng.random() < 0.03:  # redesigned, and repaired by hand
        at = rng.random() * end
        outages.append(Outage(at, at + rng.uniform(1, 10) * DAY, "empty"))
    if rng.random() < 0.01:  # the address is gone for a while
        at = rng.random() * end
        outages.append(Outage(at, at + rng.uniform(3, 20) * DAY, "gone"))
    return outages


def _random_times(rng: random.Random, end: float) -> Iterator[float]:
    at = rng.expovariate(1 / (14 * DAY))
    while at < end:
        yield at
        at += DAY + rng.expovariate(1 / (14 * DAY))


def _apart(outages: list[Outage]) -> tuple[Outage, ...]:
    """Leave out outages that begin during another one."""
    distinct: list[Outage] = []
    for outage in sorted(outages, key=lambda outage: outage.start):
        if not distinct or outage.start >= distinct[-1].end:
            distinct.append(outage)
    return tuple(distinct)
