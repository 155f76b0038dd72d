"""A few of the faults of bench/faults: the suite sees them, and nothing without them.

All of them are measured by bench/mutation.py; these are here so that a check that stops seeing
anything is noticed at once.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

BENCH = Path(__file__).parents[2] / "bench"
FAULTS = {
    "entry without tags": "every-answer-is-as-promised",
    "feed address in raw": "no-feed-address",
    "HTML in titles": "texts-are-plain",
    "entries pages overlap": "pages-of-entries-do-not-overlap",
    "since is inclusive": "since-is-strict",
    "q takes % and _ for wildcards": "search-has-no-wildcards",
    "code source_not_selected beyond the plan": "more-sources-than-slots-are-refused",
    "a revoked key is accepted": "dead-keys-are-refused",
    "scope of /diffs ignored": "limited-keys-are-refused",
    "sample in another order at each call": "sample-is-stable",
    "RSS guid other at each call": "rss-items-keep-their-guid",
    "304 to the public for a key's page": "an-etag-is-worth-nothing-to-others",
    "addresses are not normalised": "a-request-is-taken-once",
}
ASKING = frozenset({"entries-come-newest-first"})
"""Asks for what the rules for all answers are held against."""


@dataclass(frozen=True)
class Bench:
    """The modules of bench/faults, with a service to break."""

    areas: Any
    measuring: Any
    site: Any
    now: Any

    @property
    def sound(self):
        return self.measuring.SOUND

    def failing(self, fault, *checks):
        """The first of some checks that fails on a service with a fault."""
        found = self.measuring.first_failure(
            fault, self.site, now=self.now, only=frozenset(checks) | ASKING
        )
        return found and found.check


@pytest.fixture(scope="module")
def bench(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(BENCH)
        from faults import measuring
        from faults.every import every_area
        from faults.service import make_site, the_time

        now = the_time()
        site = make_site(tmp_path_factory.mktemp("faults"), now=now)
        yield Bench(every_area(site), measuring, site, now)


def test_every_fault_has_a_name_of_its_own_and_checks_that_exist(bench):
    from conformance.checks import CHECKS

    known = {each.name for each in CHECKS}
    faults = [fault.name for area in bench.areas for fault in area.faults]

    assert len(faults) >= 80
    assert len(set(faults)) == len(faults)
    assert [area.name for area in bench.areas if not area.checks <= known] == []


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_found_by_the_check_that_is_for_it(bench, name):
    (fault,) = (each for area in bench.areas for each in area.faults if each.name == name)

    assert bench.failing(fault, FAULTS[name]) == FAULTS[name]


def test_nothing_is_found_where_there_is_no_fault(bench):
    assert bench.failing(bench.sound, *FAULTS.values()) is None
