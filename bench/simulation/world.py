"""Vendors as they are: how they publish, how they answer, when they fail. Seeded, no real time.

Times are seconds; 0 is where the simulation begins, and vendors have published for 180 days
before. A spell is a time in which every look at a source fails the same way. The proportions
(kinds of sources, shared hosts, validators, wishes) follow the shipped catalog and the documents
of vendors; the failures are chosen to be worse than what was seen.
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

FEED: Final = "feed"
PAGE: Final = "page"


@dataclass(frozen=True, slots=True)
class Spell:
    """From ``start`` until ``end`` looks fail: ``failure`` is a name of ingest.fetching.outcomes.

    A vendor that ``asks`` says in every answer to be left alone until the spell ends
    (Retry-After).
    """

    start: float
    end: float
    failure: str
    asks: bool = False


@dataclass(frozen=True, slots=True)
class Publisher:
    """One source of the world.

    ``published`` are the times of its entries, ``window`` how many its document shows.
    ``validators``: it can answer 304. ``fresh_for`` is its TTL or max-age. ``glitches`` is the
    probability that a look fails for no lasting reason.
    """

    slug: str
    host: str
    kind: str
    published: tuple[float, ...]
    window: int
    validators: bool
    fresh_for: float | None
    glitches: float
    spells: tuple[Spell, ...] = field(default=())


def hosts(
    sources: int, *, days: int, seed: int, part: int = 0, parts: int = 1
) -> Iterator[list[Publisher]]:
    """Make a world of so many sources, host by host; equal seeds make equal worlds.

    One source in four lives on a crowded host, as releases do that many vendors keep at one
    forge; the others have a host of their own, or share it with two or three of the same vendor.
    The hosts are dealt out to ``parts`` that have as many sources each; only ``part`` is made.
    """
    made = number = 0
    dealt = [0] * parts
    while made < sources:
        number += 1
        dice = random.Random(f"{seed}:{number}")
        crowd = 400 if number % 800 == 1 else dice.choice((1, 1, 1, 2, 3))
        crowd = min(crowd, sources - made)
        made += crowd
        least = dealt.index(min(dealt))
        dealt[least] += crowd
        if least == part:
            yield _host(dice, f"h{number}.example", crowd, end=days * DAY)


def _host(dice: random.Random, host: str, crowd: int, *, end: float) -> list[Publisher]:
    shared = _spells_of_host(dice, end=end, crowded=crowd > 3)
    return [_publisher(dice, host, f"{host}.s{place}", shared, end=end) for place in range(crowd)]


def _publisher(
    dice: random.Random, host: str, slug: str, shared: list[Spell], *, end: float
) -> Publisher:
    kind = PAGE if dice.random() < 0.25 else FEED
    gap = min(max(dice.lognormvariate(2.7, 1.0), 0.3), 180.0) * DAY  # median 15 days
    wish = dice.random()
    fresh_for = None
    if wish < 0.2:
        fresh_for = HOUR
    elif wish < 0.4:
        fresh_for = dice.choice((5 * MINUTE, 10 * MINUTE, 4 * HOUR, 24 * HOUR))
    return Publisher(
        slug,
        host,
        kind,
        tuple(_publishing(dice, gap, end=end)),
        window=dice.choice((10, 20, 30, 50, 100)),
        validators=dice.random() < (0.75 if kind == FEED else 0.45),
        fresh_for=fresh_for,
        glitches=0.003,
        spells=_apart([*shared, *_spells_of_source(dice, kind, end=end)]),
    )


def _publishing(dice: random.Random, gap: float, *, end: float) -> Iterator[float]:
    """Bursts and pauses: the gaps vary more than chance alone would have them vary."""
    at = -PAST + dice.random() * gap
    while at < end:
        yield at
        at += dice.gammavariate(0.6, gap / 0.6)


def _spells_of_host(dice: random.Random, *, end: float, crowded: bool) -> list[Spell]:
    spells = []
    at = dice.expovariate(1 / (60 * DAY))
    while at < end:
        lasting = min(dice.lognormvariate(1.0, 1.0), 24.0) * HOUR
        kind = dice.choice(("server_error", "timeout", "connection", "dns_temporary", "tls"))
        spells.append(Spell(at, at + lasting, kind))
        at += lasting + dice.expovariate(1 / (60 * DAY))
    if crowded:  # the forge has had enough of everybody, once a fortnight
        spells += [
            Spell(at, at + HOUR, "rate_limited", asks=True) for at in _now_and_then(dice, end)
        ]
    fate = dice.random()
    start = (0.2 + 0.4 * dice.random()) * end
    if crowded or fate < 0.05:
        spells.append(Spell(start, start + LONG_OUTAGE, "server_error"))
    elif fate < 0.06:  # dead, and never seen again
        spells.append(Spell(start, float("inf"), "dns"))
    elif fate < 0.07:  # dead, and back when nobody thought of it any more
        spells.append(Spell(start, start + dice.uniform(10, 34) * DAY, "not_found"))
    return spells


def _spells_of_source(dice: random.Random, kind: str, *, end: float) -> list[Spell]:
    spells = []
    if dice.random() < 0.15:  # a vendor that counts requests
        for at in _now_and_then(dice, end):
            asked = dice.choice((15 * MINUTE, HOUR, 6 * HOUR, 24 * HOUR, 3 * DAY))
            spells.append(Spell(at, at + asked, "rate_limited", asks=True))
    if kind == PAGE and dice.random() < 0.03:  # redesigned, not understood, mended by hand
        at = dice.random() * end
        spells.append(Spell(at, at + dice.uniform(1, 10) * DAY, "empty"))
    if dice.random() < 0.01:  # the address is given up, and taken up again
        at = dice.random() * end
        spells.append(Spell(at, at + dice.uniform(3, 20) * DAY, "gone"))
    return spells


def _now_and_then(dice: random.Random, end: float) -> Iterator[float]:
    at = dice.expovariate(1 / (14 * DAY))
    while at < end:
        yield at
        at += DAY + dice.expovariate(1 / (14 * DAY))


def _apart(spells: list[Spell]) -> tuple[Spell, ...]:
    """Leave out what begins while another spell lasts: a source fails in one way at a time."""
    kept: list[Spell] = []
    for spell in sorted(spells, key=lambda each: each.start):
        if not kept or spell.start >= kept[-1].end:
            kept.append(spell)
    return tuple(kept)
