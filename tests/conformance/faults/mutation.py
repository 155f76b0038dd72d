"""Measures the conformance suite: how many single faults of a service does it find?

    tox -e mutation

runs the suite on a small service with each fault of this package in turn, in process, with keys of
every plan, and on the same service without a fault under twenty seeds. It prints what found each
fault and writes docs/mutation.md. Exit 1 where less than 95 % are found, where a fault that is not
found has no reason in reasons.py, or where anything fails without a fault.
"""

import argparse
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import TimeoutError as TookTooLong
from concurrent.futures import as_completed
from datetime import date, datetime, timedelta
from pathlib import Path

from pebble import ProcessExpired, ProcessPool
from specimen.site import Site, make_site, quiet, the_time

from faults.areas import every_area
from faults.page import Measured, as_markdown, score
from faults.reasons import REASONS
from faults.runs import Finding, failures, find, whole_run

PAGE = Path(__file__).parents[3] / "docs" / "mutation.md"
LONGEST = 1200
"""Seconds for one fault or one seed, also on a loaded machine; one that hangs has found nothing."""
LEAST = 0.95
"""The share of faults that has to be found."""


def look(name: str, site: Site, large: Site, now: datetime) -> Finding:
    """Look for the fault of a name; partial ones in lists of several pages."""
    area, fault = next(
        (area, fault) for area in every_area(site) for fault in area.faults if fault.name == name
    )
    return find(area, fault, large if area.partial else site, now=now)


def sound(site: Site, now: datetime, seed: int) -> tuple[int, list[str], int]:
    """The seed, what failed without a fault, and how many requests were sent."""
    report = whole_run(site, now=now, seed=seed)
    failed = [f"{check}, {caller}: {words}" for check, caller, words in failures(report.results)]
    return seed, failed, report.requests


def find_all(
    pool: ProcessPool, names: Sequence[str], site: Site, large: Site, now: datetime
) -> list[Finding]:
    """What was found of each fault, in their order; printed as it comes."""
    runs = {
        pool.schedule(look, args=[name, site, large, now], timeout=LONGEST): name for name in names
    }
    found: dict[str, Finding] = {}
    for run in as_completed(runs):
        name = runs[run]
        try:
            found[name] = run.result()
        except (TookTooLong, ProcessExpired) as error:
            print(f"{name}: {error!r}")
            found[name] = Finding(name)
        print(f"{name:60} {found[name].check or 'NOT FOUND'}", flush=True)
    return [found[name] for name in names]


def sound_runs(
    pool: ProcessPool, seeds: Sequence[int], site: Site, now: datetime
) -> Iterator[tuple[int, list[str], int]]:
    """The service without a fault under every seed."""
    runs = [pool.schedule(sound, args=[site, now, seed], timeout=LONGEST) for seed in seeds]
    for run in as_completed(runs):
        seed, failed, requests = run.result()
        print(f"seed {seed}: {requests} requests, {'; '.join(failed) or 'no failure'}", flush=True)
        yield seed, failed, requests


def measure(chosen: argparse.Namespace) -> Measured:
    """Run everything that was chosen."""
    began = time.monotonic()
    with (
        tempfile.TemporaryDirectory() as folder,
        ProcessPool(chosen.processes, initializer=quiet) as pool,
    ):
        now = the_time()
        site = make_site(Path(folder), now=now)
        large = make_site(Path(folder), now=now, large=True)
        names = [
            fault.name
            for area in every_area(site)
            for fault in area.faults
            if chosen.only in fault.name and chosen.area in ("", area.name)
        ]
        seeds = range(1, chosen.seeds + 1)
        without = list(sound_runs(pool, seeds, site, now))
        findings = find_all(pool, names, site, large, now)
    return Measured(
        findings,
        seeds,
        sorted({f"seed {seed}: {each}" for seed, failed, _ in without for each in failed}),
        sum(requests for _, _, requests in without),
        timedelta(seconds=time.monotonic() - began),
    )


def main() -> int:
    """Measure, print, write the page, and judge."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--only", default="", help="faults with this in their name; no page")
    parser.add_argument("--area", default="", help="faults of this area; no page")
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--processes", type=int, default=2)
    chosen = parser.parse_args()
    measured = measure(chosen)
    missed = [finding.fault for finding in measured.findings if not finding.check]
    unexplained = [each for each in missed if each not in REASONS]
    share = score(measured.findings)
    print(f"{share:.1%} of {len(measured.findings)} found in {measured.took.total_seconds():.0f} s")
    for each in (*missed, *measured.sound_failures):
        print(f"  {each}")
    if not chosen.only and not chosen.area and not unexplained and chosen.seeds:
        today = date.fromisoformat(f"{the_time():%Y-%m-%d}")
        PAGE.write_text(as_markdown(measured, reasons=REASONS, today=today), encoding="utf-8")
    return int(bool(unexplained or measured.sound_failures) or share < LEAST)


if __name__ == "__main__":
    sys.exit(main())
