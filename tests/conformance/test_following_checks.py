"""The checks of following and of formats, on services with one fault each."""

import re

import pytest

from conformance.checks import CHECKS, following, formats
from conformance.checks.probe import Check
from conformance.suite import Options, run

NEW = frozenset(
    var.name
    for module in (following, formats)
    for var in vars(module).values()
    if isinstance(var, Check)
)


@pytest.fixture
def failed(running, started_at):
    """Run the checks on an application; returns those that failed."""

    def failed(app, *names):
        options = Options(only=frozenset(names or NEW), max_examples=0)
        keys = [running.keys["free"], running.keys["diffs"]]
        report = run(app, keys, now=started_at, options=options)
        assert report.results
        return {result.check for result in report.failed}

    return failed


def asks(pattern, replacement, path="/api/v1/changes"):
    """Requests arrive with another query."""

    def asked(request):
        if request.path == path:
            request.query = re.sub(pattern, replacement, request.query)

    return {"asked": asked}


def says(pattern, replacement, path="/api/v1/changes"):
    """Answers leave with another Link header."""

    def answered(reply):
        if reply.asked.path == path and "link" in reply.headers:
            reply.headers["link"] = re.sub(pattern, replacement, reply.headers["link"])

    return {"answered": answered}


def writes(pattern, replacement, path):
    """Answers leave with another body."""

    def answered(reply):
        if reply.asked.path == path:
            reply.body = re.sub(pattern, replacement, reply.body)

    return {"answered": answered}


FAULTS = {
    "changes-from-the-beginning-give-every-entry": asks("limit=100$", "limit=100&after=now"),
    "pages-of-changes-join-without-a-gap": says("after=[^&>]*([^>]*limit=7)", r"after=now\1"),
    "an-idle-follower-keeps-its-cursor": says(".*", ""),
    "one-cursor-serves-all-sources": asks("^limit=20$", "after=now&limit=20"),
    "a-request-waits-no-longer-than-it-says": asks("wait=1", "wait=7"),
    "pages-name-their-neighbours": says("offset=4", "offset=5", "/api/v1/latest"),
    "a-neighbour-is-the-page-it-is-called": says("offset=3", "offset=4", "/api/v1/latest"),
    "atom-is-whole": writes(b"<updated>[^<]*</updated>", b"", "/feeds/updates.atom"),
    "csv-pages-are-the-pages-in-json": writes(rb"\r\n[^\r]*\r\n$", b"\r\n", "/entries.csv"),
    "the-api-catalog-names-the-api": writes(b"service-doc", b"doc", "/.well-known/api-catalog"),
    "llms-txt-says-what-is-where": writes(b"/changes", b"/gone", "/llms.txt"),
}


def test_the_service_has_none_of_the_faults(running, failed):
    assert {check.name for check in CHECKS} >= NEW > FAULTS.keys()
    assert failed(running.app) == set()


@pytest.mark.slow
@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_found_by_its_check(name, broken, failed):
    assert name in failed(broken(**FAULTS[name]), name)
