"""Every fault is found by its check; the sound service and the sound stranger have none of them."""

from dataclasses import replace

import pytest
from faults import of_service, of_stranger
from faults.fault import Fault
from runs import BASE_PATH, CHECKS, faults_found, opened, probes_of
from stranger import DEAD_KEY, KEYS, Stranger
from stranger_contract import contract

from conformance.callers import find_callers
from conformance.probe import Probe
from conformance.rules import RULES, Watch
from conformance.suite import relative

OF_KEYS = "keys_carry_one_prefix"
"""A check of the keys that it was given: its fault is no fault of the service."""
OF_STRANGER = {name for name, _ in of_stranger.FAULTS.values()}


@pytest.fixture(scope="module")
def at_stranger(started_at):
    """The stranger and its callers: the public, and the holder of each key."""
    stranger, limited = Stranger(started_at), (("strg_small", "/diffs", 402),)
    with opened(stranger) as site:
        callers = tuple(find_callers(site, list(KEYS)))
        document = relative(contract())
        yield (
            stranger,
            [
                Probe(site, one, callers, started_at, document, (DEAD_KEY,), limited_keys=limited)
                for one in callers
            ],
        )


@pytest.fixture(scope="module")
def probes(running, site, started_at):
    """The public, and the holders of keys of several plans, on the service as it is."""
    with opened(running.app) as opened_site:
        yield probes_of(opened_site, site, ("diffs", "free", "starter", "diffs only"), started_at)


def on(app, probes):
    """The same callers on another application."""
    return [replace(probe, site=app, listings={}) for probe in probes]


def is_found(name, probes):
    """Return whether a check finds something, or a rule in a few responses."""
    if name in CHECKS:
        return bool(faults_found(CHECKS[name], probes))
    document, site, reader = probes[0].contract, probes[0].site, probes[1].caller
    watch = Watch(api=f"http://localhost{BASE_PATH}", contract=document, unnamed_in=document)
    site.listener = watch.hear
    for path in ("/latest", "/latest?limit=0", "/nothing", "/entries"):
        site.send("GET", BASE_PATH + path)
    path = f"{BASE_PATH}/entries?sources={reader.any_source}"
    site.send("GET", path, headers=reader.headers)
    return any(f"    {name}: " in words for words in watch.take_untold())


def test_every_check_and_every_rule_has_a_fault():
    names = CHECKS.keys() | {rule.name for rule in RULES}

    assert of_service.FAULTS.keys() | OF_STRANGER | {OF_KEYS} == names
    assert len(of_stranger.FAULTS) >= 50


@pytest.mark.parametrize("kind", of_stranger.FAULTS)
def test_a_fault_of_the_stranger_is_found(kind, at_stranger, started_at):
    check, fault = of_stranger.FAULTS[kind]
    stranger, callers = at_stranger
    if "request" in kind:
        stranger = Stranger(started_at)  # with its limit unused
    with opened(fault.around(stranger)) as app:
        assert is_found(check, on(app, callers))


@pytest.mark.parametrize("name", sorted(OF_STRANGER & CHECKS.keys()))
def test_the_sound_stranger_passes(name, started_at, at_stranger):
    with opened(Stranger(started_at)) as app:
        assert faults_found(CHECKS[name], on(app, at_stranger[1])) == []


@pytest.mark.parametrize("name", of_service.FAULTS)
def test_a_fault_of_the_service_is_found(name, running, probes):
    with opened(of_service.FAULTS[name].around(running.app)) as app:
        assert is_found(name, on(app, probes))


def test_a_key_without_a_prefix_is_found(running, probes):
    def asked(request):
        if request.headers.get("x-api-key") == "bare":
            request.headers["x-api-key"] = probes[1].caller.key

    with opened(Fault(asked=asked).around(running.app)) as app:
        before = on(app, probes)
        bare = replace(probes[1].caller, key="bare")
        callers = (*probes[1].callers, bare)
        after = [*before, replace(before[1], caller=bare, callers=callers)]

        assert not faults_found(CHECKS[OF_KEYS], before)
        assert faults_found(CHECKS[OF_KEYS], after)
