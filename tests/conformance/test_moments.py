"""One moment is one moment, however a deployment writes it (RFC 3339)."""

import re
from datetime import datetime, timedelta, timezone
from zlib import crc32

import pytest

from conformance.checks import CHECKS
from conformance.suite import Options, run

ABOUT_TIMES = {
    "entries-come-newest-first",
    "future-entries-wait",
    "last-update-is-the-newest-entry",
    "random-pages-are-parts-of-the-list",
    "since-cuts-every-source-anywhere",
    "since-is-strict",
    "since-means-a-moment",
    "diffs-hold-what-changed",
}
AN_ENTRY = re.compile(rb'("id":"([^"]*)"[^{}]*?"published_at":")([^"]+)"')
OTHERS = re.compile(rb'("(?:lastUpdatedAt|fetchedAt)":")([^"]+)"')
SPELLINGS = (
    lambda at: at.isoformat(timespec="microseconds"),
    lambda at: at.astimezone(timezone(timedelta(hours=5, minutes=30))).isoformat(),
    lambda at: at.astimezone(timezone(-timedelta(hours=8))).isoformat(),
    lambda at: at.isoformat(timespec="microseconds").replace("+00:00", "Z"),
)


def spelled(text, number):
    """Write a moment in another way."""
    spelling = SPELLINGS[number % len(SPELLINGS)]
    return spelling(datetime.fromisoformat(text.decode())).encode()


@pytest.fixture
def failed(running, broken, started_at):
    """Run checks on a service that writes each time in one of several ways."""

    def answered(reply):
        if "json" in reply.headers.get("content-type", ""):
            body = AN_ENTRY.sub(
                lambda found: found[1] + spelled(found[3], crc32(found[2])) + b'"', reply.body
            )
            reply.body = OTHERS.sub(
                lambda found: found[1] + spelled(found[2], crc32(found[2])) + b'"', body
            )

    def failed(*names):
        options = Options(only=frozenset(names), max_examples=0)
        keys = [running.keys["free"], running.keys["diffs"]]
        report = run(broken(answered=answered), keys, now=started_at, options=options)
        assert {result.check for result in report.results} >= set(names)
        return [(result.check, result.faults) for result in report.failed if result.check in names]

    return failed


def test_the_checks_about_times_exist():
    assert {check.name for check in CHECKS} >= ABOUT_TIMES


@pytest.mark.parametrize("check", sorted(ABOUT_TIMES))
def test_a_check_compares_moments_and_not_their_spelling(failed, check):
    assert failed(check) == []
