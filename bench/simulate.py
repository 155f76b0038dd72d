"""Follows a simulated world of vendors for three months, by our policy and by those of others.

    python bench/simulate.py
    python bench/simulate.py --sources 100000 --rival-sources 5000 --days 90 --seed 1

runs the functions of ingest.scheduling, as the ingester does, over the large world, then every
policy over the smaller one, and prints delays and requests. Exit 1 if a request was sent inside a
Retry-After, if a source that responds was given up, or if another policy is better in delay and in
requests.
"""

import argparse
import gc
import math
import os
import resource
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from datetime import timedelta

from rich.console import Console
from rich.table import Table
from simulation import rivals
from simulation.changewire import BEGIN, ChangewirePolicy
from simulation.engine import WATCHED_FROM, Simulation
from simulation.policy import Policy
from simulation.tally import Tally, busiest_hour
from simulation.world import DAY, HOUR, hosts

from ingest.scheduling.schedule import Overdue, spread
from ingest.workers.local import SPREAD_PER_HOST, SPREAD_PER_SECOND

WORKERS = 50


def main() -> int:
    """Run the simulation that the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sources", type=int, default=100_000)
    parser.add_argument("--rival-sources", type=int, default=5_000)
    parser.add_argument("--days", type=int, default=90)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    console = Console(width=140)
    begun = time.monotonic()
    large = follow(ChangewirePolicy(), options.sources, days=options.days, seed=options.seed)
    lasted, worked = time.monotonic() - begun, of_children()
    small, days, seed = options.rival_sources, options.days, options.seed
    ours = follow(ChangewirePolicy(), small, days=days, seed=seed)
    other_tallies = {
        rules.name: follow(rules, small, days=days, seed=seed) for rules in rivals.EVERY
    }
    console.print(table(f"{options.sources:,} sources, {days} days", {"Changewire": large}))
    console.print(
        f"took {lasted:.0f} s, {worked:.0f} s of processor time; "
        f"{large.decisions:,} checks simulated"
    )
    busy = busiest_hour(large.work, workers=WORKERS)
    console.print(f"busiest hour of {WORKERS} workers: {busy:.1%} of their time")
    console.print(recovery_time(options.sources, seed=seed))
    console.print(table(f"{small:,} sources, {days} days", {"Changewire": ours, **other_tallies}))
    faults = list(faults_of(large, ours, other_tallies))
    for fault in faults:
        console.print(f"[red]{fault}")
    return 1 if faults else 0


def of_children() -> float:
    """Return the seconds of processor time that ended children have taken."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def follow(policy: Policy, sources: int, *, days: int, seed: int) -> Tally:
    """Follow a world in as many processes as there are processors."""
    parts = os.cpu_count() or 1
    with ProcessPoolExecutor(parts) as pool:
        runs = [
            pool.submit(_follow_part, policy, sources, days, seed, part, parts)
            for part in range(parts)
        ]
        total = Tally(days)
        for run in runs:
            total.add(run.result())
    return total


def _follow_part(
    policy: Policy, sources: int, days: int, seed: int, part: int, parts: int
) -> Tally:
    gc.disable()  # nothing here refers to itself
    world = hosts(sources, days=days, seed=seed, part=part, parts=parts)
    return Simulation(policy, days=days, seed=seed).run(world)


def recovery_time(sources: int, *, seed: int) -> str:
    """Describe how long overdue sources wait after three days without workers."""
    overdue = [
        Overdue(publisher.slug, publisher.host, BEGIN - timedelta(hours=72), timedelta(hours=12))
        for publishers in hosts(sources, days=1, seed=seed)
        for publisher in publishers
    ]
    times = sorted(
        spread(
            overdue, now=BEGIN, per_second=SPREAD_PER_SECOND, host_spacing=SPREAD_PER_HOST
        ).values()
    )
    half, last = times[len(times) // 2] - BEGIN, times[-1] - BEGIN
    return (
        f"after 72 hours without any worker, all {sources:,} overdue: half checked within "
        f"{half / timedelta(minutes=1):.0f} minutes, all within {last / timedelta(minutes=1):.0f}"
    )


def table(title: str, tallies: dict[str, Tally]) -> Table:
    """Return what was counted, a line for each policy."""
    result = Table(title=title)
    result.add_column("policy")
    for heading in (
        "delay p50 h",
        "delay p95 h",
        "requests a source a day",
        "304 responses",
        "inside Retry-After",
        "given up",
        "back after 72 h outage, p95 h",
    ):
        result.add_column(heading, justify="right")
    for name, tally in tallies.items():
        result.add_row(
            name,
            hours(tally.delays, 0.5),
            hours(tally.delays, 0.95),
            f"{requests_a_day(tally):.2f}",
            f"{tally.not_modified / tally.requests:.0%}",
            f"{tally.inside_retry_after:,}",
            f"{tally.dead:,}",
            hours(tally.recoveries, 0.95),
        )
    return result


def faults_of(large: Tally, ours: Tally, other_tallies: dict[str, Tally]) -> Iterator[str]:
    """Yield the faults that make the run fail."""
    for tally in (large, ours):
        if tally.inside_retry_after:
            yield f"{tally.inside_retry_after} requests were sent inside a Retry-After"
        if tally.dead:
            yield f"{tally.dead} sources were given up"
    for name, tally in other_tallies.items():
        for part in (0.5, 0.95):
            sooner = quantile(tally.delays, part) < quantile(ours.delays, part)
            if sooner and requests_a_day(tally) < requests_a_day(ours):
                yield f"{name} sees entries sooner (p{part * 100:.0f}) with fewer requests"


def requests_a_day(tally: Tally) -> float:
    """Return the requests that a source saw on a day."""
    return tally.requests / tally.sources / (tally.days - WATCHED_FROM / DAY)


def hours(values: Sequence[float], part: float) -> str:
    """Return a quantile of seconds as hours."""
    value = quantile(values, part)
    return "never" if value == math.inf else f"{value / HOUR:.1f}"


def quantile(values: Sequence[float], part: float) -> float:
    """Return the value that a part of the values do not exceed."""
    ordered = sorted(values)
    return ordered[min(int(len(ordered) * part), len(ordered) - 1)]


if __name__ == "__main__":
    sys.exit(main())
