"""Runs the suite on a service with a fault, and on the service as it is."""

import contextlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from specimen.site import Site, copied, open_service

from conformance.callers import UnusableKey
from conformance.checks.universal import RULES
from conformance.report import Report, Result
from conformance.suite import NoContract, Options, UnreadableContract, run
from faults.areas import Area
from faults.fault import Fault

LONGEST = timedelta(minutes=15)
EXAMPLES = 2
"""Random requests for each operation and caller; most that is sent is no random request."""
SOUND = Fault("no fault")
_KEYS_OF_PARTIAL = ("diffs", "starter")
"""A key that may read everything, and one that has a selection."""
_RULES = frozenset(rule.name for rule in RULES)


@dataclass(frozen=True, slots=True)
class Finding:
    """The first check that failed on a service with a fault; without one nothing was found."""

    fault: str
    check: str = ""
    group: str = ""
    """specification (a named check), contract (a generated request) or run (the run ended)."""
    caller: str = ""
    area: str = ""


class _Enough(Exception):
    """A check failed; what others say would not change the verdict."""


def find(area: Area, fault: Fault, site: Site, *, now: datetime) -> Finding:
    """Look for a fault: first with the checks that its area is for, then with all named checks,
    then with generated requests as well.

    All of them are parts of one run of the suite; the first failure decides, so that the order
    saves time and changes nothing.
    """
    every: frozenset[str] = frozenset()
    keys = _KEYS_OF_PARTIAL if area.partial else tuple(site.keys)
    for examples, only in ((0, area.checks | _RULES), (0, every), (EXAMPLES, every)):
        found = first_failure(fault, site, *keys, now=now, examples=examples, only=only)
        if found is not None:
            return replace(found, area=area.name)
    return Finding(fault.name, area=area.name)


def first_failure(
    fault: Fault,
    site: Site,
    *keys: str,
    now: datetime,
    examples: int = 0,
    only: frozenset[str] = frozenset(),
) -> Finding | None:
    """The first failure of a run on a service with a fault; None where everything passes."""
    failed: list[Finding] = []

    def note(result: Result) -> None:
        if result.faults:
            failed.append(Finding(fault.name, result.check, result.group, result.caller))
            raise _Enough

    options = options_for(site, examples=examples, only=only)
    with contextlib.suppress(_Enough):
        try:
            run_with(fault, site, *keys, now=now, options=options, progress=note)
        except (UnusableKey, NoContract, UnreadableContract) as error:
            return Finding(fault.name, type(error).__name__, "run", "a key")
    return failed[0] if failed else None


def run_with(
    fault: Fault,
    site: Site,
    *keys: str,
    now: datetime,
    options: Options,
    contract: Mapping[str, Any] | None = None,
    progress: Callable[[Result], None] = lambda _: None,
) -> Report:
    """Run the suite with some keys, in process, on a service with a fault and a database of its
    own."""
    chosen = [site.keys[key] for key in keys]
    with copied(site) as url, fault.inside(), open_service(url) as app:
        return run(
            fault.around(app),
            chosen,
            now=now,
            options=options,
            contract=contract,
            progress=progress,
        )


def whole_run(site: Site, *, now: datetime, seed: int) -> Report:
    """The whole suite on the service as it is, in process.

    The first seed is tried as every caller; the others, which change generated requests only, as
    the public and with the key that may do most.
    """
    keys = site.keys if seed == 1 else ("diffs",)
    return run_with(SOUND, site, *keys, now=now, options=options_for(site, seed=seed))


def failures(results: Iterable[Result]) -> list[tuple[str, str, str]]:
    """Return check, caller and first sentence of the failed results."""
    return [
        (result.check, result.caller, result.faults[0].sentence)
        for result in results
        if result.faults
    ]


def options_for(
    site: Site, *, examples: int = EXAMPLES, seed: int = 1, only: frozenset[str] = frozenset()
) -> Options:
    """What is run: with everything that whoever made the keys knows of them."""
    return Options(
        max_examples=examples,
        seed=seed,
        only=only,
        allow_writes=True,
        strict=True,
        longest=LONGEST,
        session=site.session,
        dead_keys=site.dead_keys,
        limited_keys=site.limited_keys,
    )
