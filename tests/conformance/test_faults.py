"""A few of the faults of bench/faults: the suite sees them, and nothing without them.

All of them are measured by bench/mutation.py; these are here so that a check that stops seeing
anything is noticed at once.
"""

import pytest
from faults.every import every_area
from faults.measuring import SOUND, first_failure

from conformance.checks import CHECKS

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


@pytest.fixture(scope="module")
def areas(site):
    return every_area(site)


@pytest.fixture
def failing(site, started_at):
    """Name the first of some checks that fails on a service with a fault."""

    def failing(fault, *checks):
        found = first_failure(fault, site, now=started_at, only=frozenset(checks) | ASKING)
        return found and found.check

    return failing


def test_every_fault_has_a_name_of_its_own_and_checks_that_exist(areas):
    known = {each.name for each in CHECKS}
    faults = [fault.name for area in areas for fault in area.faults]

    assert len(faults) >= 80
    assert len(set(faults)) == len(faults)
    assert [area.name for area in areas if not area.checks <= known] == []


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_found_by_the_check_that_is_for_it(areas, failing, name):
    (fault,) = (each for area in areas for each in area.faults if each.name == name)

    assert failing(fault, FAULTS[name]) == FAULTS[name]


def test_nothing_is_found_where_there_is_no_fault(failing):
    assert failing(SOUND, *FAULTS.values()) is None
