"""Every check of the suite finds the one fault that `faults` has for it."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace

import pytest
from faults import FAULTS
from faults.fault import Fault
from specimen.site import copied, open_service

from conformance.callers import Caller, find_callers
from conformance.checks import CHECKS, following
from conformance.checks.probe import Audience, Check, NotApplicable, Probe, Stopped
from conformance.checks.universal import RULES
from conformance.listener import Listener
from conformance.site import IN_PROCESS, open_site
from openapi.contract import load_contract

BY_NAME = {check.name: check for check in CHECKS}
OF_KEYS = "keys-carry-one-prefix"
"""A check of the keys that it was given: its fault is no fault of the service."""
BASE_PATH = "/api/v1"


@pytest.fixture(scope="module")
def contract():
    return load_contract()


@pytest.fixture(scope="module")
def callers(running) -> tuple[Caller, ...]:
    """The public, and the holders of keys of several plans."""
    keys = [running.keys[name] for name in ("diffs", "free", "diffs only")]
    with open_site(running.app, base_path=BASE_PATH) as opened:
        return tuple(find_callers(opened, keys))


@contextmanager
def probes(check, fault, site, running, callers, contract, now) -> Iterator[Iterator[Probe]]:
    """Give a probe for each caller of a check, on a service with a fault."""
    with ExitStack() as stack:
        app = running.app
        if check.audience is Audience.WRITER:  # what was stored would count for the next one
            app = stack.enter_context(open_service(stack.enter_context(copied(site))))
        opened = stack.enter_context(open_site(fault.around(app), base_path=BASE_PATH))
        yield (
            Probe(
                opened, caller, callers, now, contract, dead_keys=site.dead_keys,
                session=site.session, limited_keys=site.limited_keys,
            )
            for caller in callers
            if check.audience.includes(caller)
        )  # fmt: skip


@pytest.fixture
def is_found(site, running, callers, contract, started_at) -> Callable[[Check, Fault], bool]:
    """Say whether a check finds a fault with the request of any caller."""

    def is_found(check, fault, *more):
        world = (site, running, (*callers, *more), contract, started_at)
        with probes(check, fault, *world) as made:
            return any(has_faults(check, probe) for probe in made)

    return is_found


def has_faults(check, probe):
    with suppress(NotApplicable, Stopped):
        check.run(probe)
    return bool(probe.faults)


def test_every_check_has_a_fault():
    assert FAULTS.keys() | {OF_KEYS} == BY_NAME.keys() | {rule.name for rule in RULES}


@pytest.mark.parametrize("name", sorted(FAULTS.keys() & BY_NAME.keys()))
def test_a_fault_is_found_by_its_check(name, is_found, monkeypatch):
    monkeypatch.setattr(following, "_SLACK", 1)  # a check of waiting takes three seconds then

    assert is_found(BY_NAME[name], FAULTS[name])


@pytest.fixture(scope="module")
def listener(contract):
    return Listener(
        api=f"{IN_PROCESS}{BASE_PATH}", keys=(), feed_addresses=(), contract=contract,
        served=contract,
    )  # fmt: skip


@pytest.mark.parametrize("name", [rule.name for rule in RULES])
def test_a_fault_is_found_by_its_rule(name, running, listener):
    listener.caller = name
    with open_site(FAULTS[name].around(running.app), base_path=BASE_PATH) as opened:
        opened.listener = listener.hear
        for path in ("/latest", "/latest?limit=0", "/entries?sources=acme.compute", "/nothing"):
            opened.send("GET", BASE_PATH + path)

    assert name in {result.check for result in listener.results() if result.faults}


def test_a_key_without_a_prefix_is_found(is_found, callers):
    def asked(request):
        if request.headers.get("x-api-key") == "bare":
            request.headers["x-api-key"] = callers[1].key

    fault = Fault(asked=asked)

    assert not is_found(BY_NAME[OF_KEYS], fault)
    assert is_found(BY_NAME[OF_KEYS], fault, replace(callers[1], key="bare"))
