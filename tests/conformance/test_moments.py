"""One moment is one moment, however a deployment writes it (RFC 3339)."""

import re
from datetime import datetime, timedelta, timezone
from zlib import crc32

import pytest
from faults.fault import Fault
from runs import CHECKS, faults_found, opened, probes_of

ABOUT_TIMES = {
    "entries_come_newest_first",
    "future_entries_wait",
    "last_update_is_the_newest_entry",
    "random_pages_are_parts_of_the_list",
    "since_cuts_every_source_anywhere",
    "since_means_a_moment",
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


def otherwise(reply):
    """Write each time of a response in one of several ways."""
    if "json" in reply.headers.get("content-type", ""):
        body = AN_ENTRY.sub(
            lambda found: found[1] + spelled(found[3], crc32(found[2])) + b'"', reply.body
        )
        reply.body = OTHERS.sub(
            lambda found: found[1] + spelled(found[2], crc32(found[2])) + b'"', body
        )


@pytest.mark.parametrize("check", sorted(ABOUT_TIMES))
def test_a_check_compares_moments_and_not_their_spelling(running, site, started_at, check):
    with opened(Fault(answered=otherwise).around(running.app)) as app:
        probes = probes_of(app, site, ("free", "diffs"), started_at)
        assert faults_found(CHECKS[check], probes) == []
