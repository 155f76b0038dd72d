"""A world of vendors whose times of publication were recorded.

A corpus has ``feeds/GROUP/NAME.expect.json`` with ``items`` that have a ``date_utc``. Nothing is
repeated within a source: the newest entry is moved to the last week of the simulation by whole
weeks, so that hours and weekdays stay. Of a date without a time the hour is drawn.
"""

import json
import random
import zlib
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

from simulation.changewire import seconds
from simulation.engine import WATCHED_FROM
from simulation.world import DAY, FEED, Publisher

ENOUGH = 8  # entries
LEAST_SPAN = 30 * DAY
OLDEST = -360 * DAY
WEEK = 7 * DAY
VALIDATORS = 0.75


def recorded_times(corpus: Path) -> dict[str, tuple[float, ...]]:
    """Return the times of each recorded source that has enough, in seconds of the simulation."""
    found: dict[str, tuple[float, ...]] = {}
    for path in sorted(corpus.glob("feeds/*/*.expect.json")):
        items = json.loads(path.read_text(encoding="utf-8")).get("items") or []
        dates = (item.get("date_utc") for item in items)
        times = tuple(sorted(seconds(datetime.fromisoformat(text)) for text in dates if text))
        is_enough = len(set(times)) >= ENOUGH and times[-1] - times[0] >= LEAST_SPAN
        if is_enough and times not in found.values():
            found[f"feeds/{path.parent.name}/{path.name.removesuffix('.expect.json')}"] = times
    return found


def recorded_hosts(
    corpus: Path, sources: int, *, days: int, seed: int, part: int = 0, parts: int = 1
) -> Iterator[list[Publisher]]:
    """Make a world of recorded sources, again and again until there are enough of them.

    Those that the rules were chosen on are left out: half of them, by their names.
    """
    times = {
        name: found
        for name, found in recorded_times(corpus).items()
        if zlib.crc32(name.encode()) % 2
    }
    names = sorted(times)
    for number in range(part, sources if names else 0, parts):
        name = names[number % len(names)]
        yield [_publisher(name, number // len(names), times[name], days=days, seed=seed)]


def _publisher(
    name: str, copy: int, times: tuple[float, ...], *, days: int, seed: int
) -> Publisher:
    rng = random.Random(f"{seed}:{copy}:{name}")
    timed = sorted(at if at % DAY else at + rng.random() * DAY for at in times)
    weeks = (days * DAY - timed[-1]) // WEEK - copy % 4
    published = tuple(at + weeks * WEEK for at in timed if at + weeks * WEEK >= OLDEST)
    watched = sum(WATCHED_FROM <= at < days * DAY for at in published)
    return Publisher(
        f"{name}.{copy}",
        f"{name}.{copy}.example",
        FEED,
        published,
        window=max(len(published), 1),
        validators=rng.random() < VALIDATORS,
        fresh_for=None,
        glitches=0.003,
        rate=watched / (days - WATCHED_FROM / DAY),
    )
