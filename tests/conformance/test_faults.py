"""A few of the faults of the package `faults`: the suite sees them, and nothing without them.

These are here so that a check that stops seeing anything is noticed at once.
"""

import pkgutil

import pytest
from faults.areas import every_area
from faults.runs import SOUND, options_for, run_with

from conformance.checks import CHECKS
from conformance.checks.universal import RULES
from openapi.contract import load_contract

FAULTS = {
    "entry without tags": "every-answer-is-as-promised",
    "feed address in raw": "no-feed-address",
    "ChangelogSource may lack tags, as it promises": "sources-have-their-fields",
    "ChangelogSourceSample may lack vendor, as it promises": "sample-sources-have-their-fields",
    "ChangelogEntry may lack title, as it promises": "entries-have-their-fields",
    "entry id made anew at each call": "entries-keep-their-id",
    "HTML in titles": "texts-are-plain",
    "error is the code in a 401": "error-equals-message",
    "a detail more in the Error object": "nothing-unnamed-is-sent",
    "code bad_request": "the-code-fits-the-status",
    "selected=0 is taken": "selected-is-1-or-absent",
    "numbers are read leniently": "numbers-are-plain-digits",
    "404 as HTML": "every-body-is-json",
    "a large offset fails": "no-server-error",
    "a stack trace in a hint": "no-trace-of-the-inside",
    "sample of six": "sample-of-at-most-five",
    "sample without agent": "sample-says-that-it-is-one",
    "sample agent does not warn": "sample-says-it-in-these-words",
    "sample with tags": "sample-items-have-basic-fields-only",
    "sample filtered by vendor": "sample-is-not-filtered",
    "sample in another order at each call": "sample-is-stable",
    "default limit 20 on /sources": "catalog-page-says-what-it-is",
    "total of the page on /sources": "random-pages-are-parts-of-the-list",
    "sources by name": "sources-come-in-the-order-of-slugs",
    "sources pages overlap": "random-pages-are-parts-of-the-list",
    "filter vendor ignored": "every-filter-cuts-the-catalog",
    "only the first filter counts": "filters-work-together",
    "q is case-sensitive": "search-finds-names-and-vendors-in-any-case",
    "q takes % and _ for wildcards": "search-has-no-wildcards",
    "selected ignored": "selected-gives-the-sources-of-the-key",
    "selected ignores filters": "selected-sources-are-filtered-too",
    "limit over 100 is cut on /sources": "limit-is-1-to-100",
    "negative offset is taken for 0": "offset-is-at-least-0",
    "unknown parameters are ignored": "unknown-parameters-are-refused",
    "the last of repeated parameters counts": "repeated-parameters-are-refused",
    "the first of repeated sources counts": "lists-may-be-repeated",
    "since without seconds is refused": "times-may-be-printed-in-other-ways",
    "401 as 403": "no-key-is-refused",
    "a bad key is ignored on the public feeds": "wrong-keys-are-refused-on-public-operations",
    "sessions are not read": "a-session-may-ask",
    "prices of another year": "plans-have-their-prices",
    "a revoked key is accepted": "dead-keys-are-refused",
    "a 401 tells why": "every-401-is-the-same",
    "scope of /diffs ignored": "limited-keys-are-refused",
    "entries oldest first": "entries-come-newest-first",
    "default limit 20 on /entries": "entries-page-says-what-it-is",
    "entries pages overlap": "random-pages-are-parts-of-the-list",
    "since is inclusive": "since-is-strict",
    "since counts on the first page only": "since-cuts-every-source-anywhere",
    "since as a date is taken": "since-needs-an-offset",
    "code forbidden instead of source_not_selected": "an-unselected-source-is-refused-by-name",
    "code source_not_selected beyond the plan": "the-limit-of-the-plan-has-its-code",
    "importance with no evidence": "important-entries-say-why",
    "evidence in other words": "evidence-is-word-for-word",
    "raw in /latest": "feeds-are-cut-for-the-public",
    "future entries in /latest": "future-entries-wait",
    "RSS cut off": "rss-is-well-formed",
    "RSS shows feed addresses as source": "rss-shows-no-feed-address",
    "RSS guid other at each call": "rss-items-keep-their-guid",
    "304 with a body": "an-unchanged-answer-is-304",
    "ETag of the path alone": "the-etag-follows-the-body",
    "304 to the public for a key's page": "an-etag-is-worth-nothing-to-others",
    "Cache-Control public with a key": "cache-control-keeps-keys-private",
    "Vary without X-Api-Key": "vary-names-what-decides",
    "Allow missing": "a-405-names-the-methods-there-are",
    "request id always the same": "request-ids-are-unique",
    "CORS with cookies": "other-origins-may-read-without-cookies",
    "nosniff missing": "answers-are-not-sniffed",
    "addresses are not normalised": "a-request-is-taken-once",
    "request of any media type is taken": "another-media-type-is-refused",
    "callers are mixed up": "callers-are-not-mixed-up",
    "openapi.json needs a parameter that is optional": "the-contract-breaks-nobody",
    "openapi.json lacks an operation": "the-contract-has-every-operation",
    "openapi.yaml is an older copy": "both-spellings-of-the-contract-are-one",
    "diffs count one more": "diffs-count-what-they-hold",
    "vendor of /latest ignored": "entries-are-filtered-by-what-they-show",
    "kind of /latest ignored": "entries-are-filtered-by-kind-and-category",
    "the neighbours lose q": "filters-of-entries-hold-on-every-page",
    "nothing is found by relevance": "entries-are-found-by-their-words",
    "vendor of /changes ignored": "changes-are-filtered",
    "to of /upgrades ignored": "upgrades-lie-between-the-versions",
    "upgrades by time": "upgrades-put-what-breaks-first",
    "upgrades say no reason": "an-unknown-part-is-told",
    "offset of /upgrades ignored": "pages-of-upgrades-are-parts-of-the-list",
    "a stack counts one more": "a-stack-has-the-upgrades-of-its-parts",
    "a stack passes over wanted": "a-stack-that-stays-has-nothing-between",
    "a stack is silent about uncovered parts": "a-stack-says-what-covers-each-part",
    "deadlines backwards": "deadlines-come-soonest-first",
    "from of /deadlines ignored": "deadlines-are-filtered-by-their-days",
    "offset of /deadlines ignored": "pages-of-deadlines-are-parts-of-the-list",
    "deadlines have another title": "deadlines-have-their-entries",
    "webhooks show their secrets": "webhooks-show-no-secret",
    "webhooks of others are shown": "other-webhooks-are-404",
    "deliveries count one more": "deliveries-are-listed-by-state",
}
ASKING = frozenset({
    "a-wrong-body-is-refused",
    "entries-come-newest-first",
    "no-key-is-refused",
    "unknown-paths-are-404",
    "offset-is-at-least-0",
    "limit-is-1-to-100",
})  # fmt: skip
"""They ask for what the rules for all answers are held against."""
RULE_NAMES = frozenset(rule.name for rule in RULES)


@pytest.fixture(scope="module")
def areas(site):
    return every_area(site)


@pytest.fixture
def failing(site, started_at):
    """Name the checks that fail on a service with a fault."""

    def failing(fault, *checks):
        more = ASKING if RULE_NAMES & set(checks) else frozenset()
        options = options_for(site, examples=0, only=frozenset(checks) | more)
        report = run_with(
            fault, site, "free", "diffs", now=started_at, options=options, contract=load_contract()
        )
        return {result.check for result in report.failed}

    return failing


def test_every_fault_has_a_name_of_its_own_and_checks_that_exist(areas):
    known = {check.name for check in CHECKS}
    faults = [fault.name for area in areas for fault in area.faults]

    assert len(faults) >= 80
    assert len(set(faults)) == len(faults)
    assert [area.name for area in areas if not area.checks <= known] == []


@pytest.mark.slow
@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_found_by_the_check_that_is_for_it(areas, failing, name):
    (fault,) = (candidate for area in areas for candidate in area.faults if candidate.name == name)

    assert FAULTS[name] in failing(fault, FAULTS[name])


def test_every_fault_is_put_where_the_service_has_something(areas):
    targets = {target for area in areas for fault in area.faults for target, _ in fault.patches}

    for target in sorted(targets):
        assert pkgutil.resolve_name(target) is not None


@pytest.mark.slow
def test_nothing_is_found_where_there_is_no_fault(failing):
    assert failing(SOUND, *FAULTS.values()) == set()
