"""Follows a world of vendors for three months, by our policy, others, and the optimum.

    python bench/simulate.py
    python bench/simulate.py --sources 100000 --rival-sources 2000 --days 90 --seed 1 --budget 5

runs the functions of ingest.scheduling, as the ingester does, over a large synthetic world, then
every policy over smaller ones: the same kind of world, one whose vendors keep office hours, and,
with CHANGEWIRE_CORPUS, one of recorded times of publication that no rule was chosen on. The optimum
knows the true rate of every source; ``optimum ratio`` is the mean delay over that of the optimum
for as many requests. Last comes the curve from 2 to 24 requests a source and day. Exit 1 if a
request was sent inside a Retry-After, if a source that responds was given up, or if another policy
is better in delay and in requests.
"""

import gc
import math
import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from datetime import timedelta
from functools import partial
from itertools import chain, islice, pairwise
from pathlib import Path

from command_line import parser_of
from rich.console import Console
from rich.table import Table
from simulation import rivals
from simulation.changewire import BEGIN, ChangewirePolicy
from simulation.engine import WATCHED_FROM, Simulation
from simulation.literature import Optimum, literature
from simulation.policy import Policy
from simulation.recorded import recorded_hosts
from simulation.tally import Tally, busiest_hour
from simulation.world import DAY, HOUR, Publisher, hosts
from specimen.processes import seconds_of_children

from ingest.scheduling.budget import A_DAY
from ingest.scheduling.schedule import Overdue, spread
from ingest.workers.local import SPREAD_PER_HOST, SPREAD_PER_SECOND

WORKERS = 50
SAMPLE = 2_000  # sources that a budget is shared out among, instead of a whole world
BUDGETS = (2.0, 3.0, 5.0, 8.0, 12.0, 24.0)
CORPUS = os.environ.get("CHANGEWIRE_CORPUS")
World = Callable[..., Iterator[list[Publisher]]]


def main() -> int:
    """Run the simulation that the command line asks for."""
    parser = parser_of(__doc__, sources=100_000, days=90, seed=1)
    parser.add_argument("--rival-sources", type=int, default=2_000)
    parser.add_argument("--budget", type=float, default=A_DAY, help="requests a source and day")
    options = parser.parse_args()
    if options.days * DAY <= WATCHED_FROM:
        parser.error(f"--days: more than the {WATCHED_FROM / DAY:.0f} that are not watched")
    console = Console(width=140)
    run = partial(Run, days=options.days, seed=options.seed)
    large = run(hosts, options.sources)
    begun = time.monotonic()
    ours = large.of_changewire(options.budget)
    lasted, worked = time.monotonic() - begun, seconds_of_children()
    best = {"optimum (rates known)": large.of_optimum(options.budget)}
    console.print(
        large.table("synthetic", {"Changewire": ours, **best}, curve_of([*best.values()]))
    )
    console.print(
        f"took {lasted:.0f} s, {worked:.0f} s of processor time; "
        f"{ours.decisions:,} checks simulated"
    )
    busy = busiest_hour(ours.work, workers=WORKERS)
    console.print(f"busiest hour of {WORKERS} workers: {busy:.1%} of their time")
    console.print(recovery_time(options.sources, seed=options.seed))
    runs = {title: run(world, options.rival_sources) for title, world in worlds().items()}
    tallies = [of_all(one, title, options.budget, console) for title, one in runs.items()]
    of_ours, of_others, best_curve = tallies[0]
    console.print(curve(runs["synthetic"], best_curve))
    faults = list(faults_of(ours, of_ours, of_others))
    for fault in faults:
        console.print(f"[red]{fault}")
    return 1 if faults else 0


def worlds() -> dict[str, World]:
    """Return the worlds that all policies are compared in."""
    recorded = {} if CORPUS is None else {"recorded": partial(recorded_hosts, Path(CORPUS))}
    return {"synthetic": hosts, "synthetic, office hours": partial(hosts, office=True), **recorded}


def of_all(
    run: "Run", title: str, budget: float, console: Console
) -> tuple[Tally, dict[str, Tally], "Curve"]:
    """Run every policy in a world, and print what was counted."""
    best = {a_day: run.of_optimum(a_day) for a_day in {*BUDGETS, budget}}
    ours = run.of_changewire(budget)
    others = {
        rules.name: run.follow(rules)
        for rules in (*literature(run.sample(), a_day=budget), *rivals.EVERY)
    }
    tallies = {"Changewire": ours, "optimum (rates known)": best[budget], **others}
    best_curve = curve_of([*best.values()])
    console.print(run.table(title, tallies, best_curve))
    return ours, others, best_curve


def curve(run: "Run", best: "Curve") -> Table:
    """Return what other budgets would bring."""
    tallies = {f"budget {a_day:g}": run.of_changewire(a_day) for a_day in BUDGETS}
    return run.table("synthetic, by budget", tallies, best)


class Run:
    """A world of so many sources, followed for some days."""

    def __init__(self, world: World, sources: int, *, days: int, seed: int) -> None:
        self._world, self._sources, self._days, self._seed = world, sources, days, seed

    def sample(self) -> list[Publisher]:
        """Return some sources of the world."""
        some = min(SAMPLE, self._sources)
        made = self._world(self._sources, days=self._days, seed=self._seed)
        return list(islice(chain.from_iterable(made), some))

    def of_changewire(self, a_day: float) -> Tally:
        """Follow the world by our policy."""
        return self.follow(ChangewirePolicy(self.sample(), a_day=a_day))

    def of_optimum(self, a_day: float) -> Tally:
        """Follow the world by the optimum."""
        return self.follow(Optimum(self.sample(), a_day=a_day))

    def follow(self, policy: Policy) -> Tally:
        """Follow the world in as many processes as there are processors."""
        parts = os.cpu_count() or 1
        with ProcessPoolExecutor(parts) as pool:
            runs = [pool.submit(self._part, policy, part, parts) for part in range(parts)]
            total = Tally(self._days)
            for run in runs:
                total.add(run.result())
        return total

    def _part(self, policy: Policy, part: int, parts: int) -> Tally:
        gc.disable()  # nothing here refers to itself
        days, seed = self._days, self._seed
        world = self._world(self._sources, days=days, seed=seed, part=part, parts=parts)
        return Simulation(policy, days=days, seed=seed).run(world)

    def table(self, title: str, tallies: dict[str, Tally], best: "Curve") -> Table:
        """Return what was counted, a line for each policy."""
        result = Table(title=f"{title}: {self._sources:,} sources, {self._days} days")
        result.add_column("policy")
        for heading in HEADINGS:
            result.add_column(heading, justify="right")
        for name, tally in tallies.items():
            result.add_row(name, *figures(tally, best))
        return result


HEADINGS = (
    "p50 h",
    "p95 h",
    "mean h",
    "requests",
    "optimum ratio",
    "304",
    "inside Retry-After",
    "given up",
    "back after 72 h, p95 h",
)
Curve = Sequence[tuple[float, float]]  # requests a day and mean delays of the optimum


def figures(tally: Tally, best: Curve) -> Iterator[str]:
    """Yield what stands in the line of a policy."""
    yield hours(quantile(tally.delays, 0.5))
    yield hours(quantile(tally.delays, 0.95))
    yield hours(mean(tally))
    yield f"{requests_a_day(tally):.2f}"
    yield f"{mean(tally) / optimum_at(requests_a_day(tally), best):.2f}"
    yield f"{tally.not_modified / tally.requests:.0%}"
    yield f"{tally.inside_retry_after:,}"
    yield f"{tally.dead:,}"
    yield hours(quantile(tally.recoveries, 0.95)) if tally.recoveries else "-"


def curve_of(tallies: Sequence[Tally]) -> Curve:
    """Return the mean delays of the optimum by requests."""
    return sorted((requests_a_day(tally), mean(tally)) for tally in tallies)


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


def mean(tally: Tally) -> float:
    """Return the mean delay."""
    return sum(tally.delays) / len(tally.delays)


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


def hours(value: float) -> str:
    """Return seconds as hours."""
    return "never" if value == math.inf else f"{value / HOUR:.1f}"


def quantile(values: Sequence[float], part: float) -> float:
    """Return the value that a part of the values do not exceed."""
    ordered = sorted(values)
    return ordered[min(int(len(ordered) * part), len(ordered) - 1)]


if __name__ == "__main__":
    sys.exit(main())
