"""Every check of the suite finds the one fault that `faults` has for it."""

from dataclasses import replace

import pytest
from faults import FAULTS
from faults.fault import Fault, asks
from runs import BASE_PATH, CHECKS, faults_found, opened, probes_of
from specimen.site import copied, open_service

from conformance.checks import test_following
from conformance.rules import RULES, Watch
from openapi.contract import load_contract

OF_KEYS = "keys_carry_one_prefix"
"""A check of the keys that it was given: its fault is no fault of the service."""
WRITING = [name for name, check in CHECKS.items() if "writer" in check.__annotations__]
KEYS = ("diffs", "free", "starter", "diffs only")


@pytest.fixture(scope="module")
def probes(running, site, started_at):
    """The public, and the holders of keys of several plans, on the service as it is."""
    with opened(running.app) as opened_site:
        yield probes_of(opened_site, site, KEYS, started_at)


def on(app, probes):
    """The same callers on another application."""
    return [
        replace(probe, site=app, listings={}, remembered={}, callers=probe.callers)
        for probe in probes
    ]


def test_every_check_has_a_fault():
    assert FAULTS.keys() | {OF_KEYS} == CHECKS.keys() | {rule.name for rule in RULES}


@pytest.mark.parametrize("name", sorted(FAULTS.keys() & CHECKS.keys() - set(WRITING)))
def test_a_fault_is_found_by_its_check(name, running, probes, monkeypatch):
    monkeypatch.setattr(test_following, "_SLACK", 1)  # a check of waiting takes three seconds then

    with opened(FAULTS[name].around(running.app)) as app:
        assert faults_found(CHECKS[name], on(app, probes))


@pytest.mark.parametrize("name", WRITING)
def test_a_fault_of_a_request_is_found(name, site, probes):
    with copied(site) as url, open_service(url) as app, opened(FAULTS[name].around(app)) as broken:
        assert faults_found(CHECKS[name], on(broken, probes))


def with_key_of(other, path, site):
    """Let the key of the Free plan read with the rights of another key."""

    def asked(request):
        if (
            request.path == BASE_PATH + path
            and request.headers.get("x-api-key") == site.keys["free"]
        ):
            request.headers["x-api-key"] = site.keys[other]

    return Fault(asked=asked)


SUBTLE = {
    "any account's selection counts": (
        "an_unselected_source_is_refused", lambda site: with_key_of("starter", "/entries", site),
    ),
    "changes without sources are of unselected ones": (
        "one_cursor_serves_all_sources", lambda site: with_key_of("starter", "/changes", site),
    ),
    "changes of unselected sources": (
        "changes_of_an_unselected_source_are_refused",
        lambda site: with_key_of("starter", "/changes", site),
    ),
    "changes without sources are of one source": (
        "one_cursor_serves_all_sources",
        lambda _: asks("/changes", "^limit=100", "sources=acme.mail&limit=100"),
    ),
    "the second category is ignored": (
        "entries_are_filtered_by_what_they_show",
        lambda _: asks("/important", "(category=[a-z_]+)(%2C|,)[a-z_]+", r"\1"),
    ),
}  # fmt: skip
"""Further faults, each of which a check that looks at first pages or one key would miss."""


@pytest.mark.parametrize("kind", SUBTLE)
def test_a_subtle_fault_is_found(kind, running, site, probes):
    check, fault_at = SUBTLE[kind]
    with opened(fault_at(site).around(running.app)) as app:
        assert faults_found(CHECKS[check], on(app, probes))


@pytest.mark.parametrize("name", [rule.name for rule in RULES])
def test_a_fault_is_found_by_its_rule(name, running):
    contract = load_contract()
    watch = Watch(api=f"http://localhost{BASE_PATH}", contract=contract, unnamed_in=contract)
    with opened(FAULTS[name].around(running.app)) as app:
        app.listener = watch.hear
        for path in ("/latest", "/latest?limit=0", "/entries?sources=acme.compute", "/nothing"):
            app.send("GET", BASE_PATH + path)

    assert any(f"    {name}: " in told for told in watch.take_untold())


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
