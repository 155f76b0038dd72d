"""Compare how soon entries are seen with other schedules, in a simulated world of vendors.

Changewire's own scheduling functions follow sources for some days, beside a check every hour and an
optimum that knows the true rate of every source. Vendors publish in bursts, share hosts, fail for
hours or for ever, limit requests, redesign pages. ``optimum ratio`` is the mean delay over that of
the optimum for as many requests. Exit status 1 if a request was sent inside a Retry-After, a source
that responds was given up, or an hourly check is better in delay and in requests.

    python bench/freshness.py [--sources 2000] [--days 90] [--seed 1] [--budget 5]
"""

import argparse
import gc
import math
import os
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from itertools import chain, islice, pairwise

from common import parser_of, quantile
from rich.console import Console
from rich.table import Table
from simulation.changewire import ChangewirePolicy
from simulation.engine import WATCHED_FROM, Simulation
from simulation.others import EveryHour, Optimum
from simulation.policy import Policy
from simulation.tally import Tally
from simulation.world import DAY, HOUR, hosts

from ingest.scheduling.budget import A_DAY

SAMPLE = 2_000  # sources that a budget is shared out among, instead of a whole world
BUDGETS = (2.0, 3.0, 5.0, 8.0, 12.0, 24.0)
HEADINGS = ("p50 h", "p95 h", "mean h", "requests", "optimum ratio", "304", "inside Retry-After")
HEADINGS += ("given up", "back after 72 h, p95 h")
Curve = Sequence[tuple[float, float]]  # requests a day and mean delays of the optimum


def main() -> int:
    """Run every schedule in one world."""
    parser = parser_of(__doc__, sources=2_000, days=90, seed=1)
    parser.add_argument("--budget", type=float, default=A_DAY, help="requests a source and day")
    options = parser.parse_args()
    if options.days * DAY <= WATCHED_FROM:
        parser.error(f"--days: more than the {WATCHED_FROM / DAY:.0f} that are not watched")
    console = Console(width=140)
    tallies, best = followed(options)
    table = Table(title=f"{options.sources:,} sources, {options.days} days")
    for heading in ("schedule", *HEADINGS):
        table.add_column(heading, justify="left" if heading == "schedule" else "right")
    for name, tally in tallies.items():
        table.add_row(name, *figures(tally, best))
    console.print(table)
    faults = list(faults_of(tallies))
    for fault in faults:
        console.print(f"[red]{fault}")
    return 1 if faults else 0


def followed(options: argparse.Namespace) -> tuple[dict[str, Tally], Curve]:
    """Return the counts of every schedule, ours first, and the curve of the optimum."""
    made = hosts(options.sources, days=options.days, seed=options.seed)
    sample = list(islice(chain.from_iterable(made), min(SAMPLE, options.sources)))
    follow = partial(tally_of, options)
    best = {a_day: follow(Optimum(sample, a_day=a_day)) for a_day in {*BUDGETS, options.budget}}
    schedules = [ChangewirePolicy(sample, a_day=options.budget), EveryHour()]
    tallies = {schedule.name: follow(schedule) for schedule in schedules}
    tallies["optimum (rates known)"] = best[options.budget]
    return tallies, sorted((requests_a_day(tally), mean(tally)) for tally in best.values())


def tally_of(options: argparse.Namespace, policy: Policy) -> Tally:
    """Follow a world in as many processes as there are processors."""
    parts = os.cpu_count() or 1
    total = Tally(options.days)
    with ProcessPoolExecutor(parts) as pool:
        runs = [pool.submit(part_of, options, policy, part, parts) for part in range(parts)]
        for run in runs:
            total.add(run.result())
    return total


def part_of(options: argparse.Namespace, policy: Policy, part: int, parts: int) -> Tally:
    """Follow a part of a world."""
    gc.disable()  # nothing here refers to itself
    days, seed = options.days, options.seed
    publishers = hosts(options.sources, days=days, seed=seed, part=part, parts=parts)
    return Simulation(policy, days=days, seed=seed).run(publishers)


def figures(tally: Tally, best: Curve) -> Iterator[str]:
    """Yield the cells of a schedule's row."""
    yield hours(quantile(tally.delays, 0.5))
    yield hours(quantile(tally.delays, 0.95))
    yield hours(mean(tally))
    yield f"{requests_a_day(tally):.2f}"
    yield f"{mean(tally) / optimum_at(requests_a_day(tally), best):.2f}"
    yield f"{tally.not_modified / tally.requests:.0%}"
    yield f"{tally.inside_retry_after:,}"
    yield f"{tally.dead:,}"
    yield hours(quantile(tally.recoveries, 0.95)) if tally.recoveries else "-"


def optimum_at(requests: float, best: Curve) -> float:
    """Return the mean delay of the optimum for so many requests.

    Beyond the curve it is inversely proportional to them, in favour of the optimum.
    """
    for (few, slow), (many, fast) in pairwise(best):
        if few <= requests <= many and few < many:
            share = math.log(requests / few) / math.log(many / few)
            return slow * (fast / slow) ** share
    few, slow = min(best, key=lambda point: abs(point[0] - requests))
    return slow * few / requests


def faults_of(tallies: dict[str, Tally]) -> Iterator[str]:
    """Yield the faults that make the run fail."""
    ours = tallies["Changewire"]
    if ours.inside_retry_after:
        yield f"{ours.inside_retry_after} requests were sent inside a Retry-After"
    if ours.dead:
        yield f"{ours.dead} sources were given up"
    for name in tallies.keys() - {"Changewire", "optimum (rates known)"}:
        tally = tallies[name]
        for part in (0.5, 0.95):
            sooner = quantile(tally.delays, part) < quantile(ours.delays, part)
            if sooner and requests_a_day(tally) < requests_a_day(ours):
                yield f"{name} sees entries sooner (p{part * 100:.0f}) with fewer requests"


def mean(tally: Tally) -> float:
    """Return the mean delay."""
    return sum(tally.delays) / len(tally.delays)


def requests_a_day(tally: Tally) -> float:
    """Return the requests that a source saw on a day."""
    return tally.requests / tally.sources / (tally.days - WATCHED_FROM / DAY)


def hours(value: float) -> str:
    """Return seconds as hours."""
    return "never" if value == math.inf else f"{value / HOUR:.1f}"


if __name__ == "__main__":
    sys.exit(main())
