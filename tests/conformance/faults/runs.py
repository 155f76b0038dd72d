"""Runs the suite on a service with a fault."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from specimen.site import Site, copied, open_service

from conformance.report import Report
from conformance.suite import Options, run
from faults.fault import Fault

SOUND = Fault("no fault")


def run_with(
    fault: Fault,
    site: Site,
    *keys: str,
    now: datetime,
    options: Options,
    contract: Mapping[str, Any] | None = None,
) -> Report:
    """Run the suite with some keys, in process, on a service with a fault and a database of its
    own."""
    chosen = [site.keys[key] for key in keys]
    with copied(site) as url, fault.inside(), open_service(url) as app:
        return run(fault.around(app), chosen, now=now, options=options, contract=contract)


def options_for(site: Site, *, examples: int, only: frozenset[str]) -> Options:
    """What is run: with everything that whoever made the keys knows of them."""
    return Options(
        max_examples=examples,
        only=only,
        allow_writes=True,
        strict=True,
        session=site.session,
        dead_keys=site.dead_keys,
        limited_keys=site.limited_keys,
    )
