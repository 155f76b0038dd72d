"""What the operator is told about a source, sentence by sentence."""

from datetime import UTC, datetime, timedelta

import pytest

from ingest.scheduling.health import Verdict
from openapi.vocabulary import Health
from service.explanation import explanation
from storage.models import FetchFacts, Gap

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)
DAY = timedelta(days=1)


def told(*gaps, **facts):
    known = {"entries_180d": 0, "failures": 0, "open_gap": bool(gaps)}
    row = FetchFacts(feed_url="https://acme.example/feed", host="acme.example", **known | facts)
    return " ".join(explanation("acme.mail", row, Verdict(Health.OK, ("it is so",)), gaps, now=NOW))


def gap(**known):
    return Gap(
        after_id="5",
        after_at=NOW - 3 * DAY,
        before_id="9",
        before_at=NOW - DAY,
        **{"declared_at": NOW - DAY, "tries": None, "closed_at": None} | known,
    )


@pytest.mark.parametrize(
    ("known", "sentence"),
    [
        ({}, "The vendor offers no older entries, so only a longer document can close it."),
        (
            {"tries": 1},
            "could not be fetched once; they are requested at every check, 24 times at most",
        ),
        ({"tries": 24}, "could not be fetched 24 times; only a new document starts new tries."),
        (
            {"tries": 3, "declared_at": NOW - 181 * DAY},
            "That was 181 days ago and no longer counts.",
        ),
        ({"closed_at": NOW}, "was closed at 2026-11-21T12:00:00Z."),
    ],
)
def test_a_gap_is_told_with_its_ends_and_its_hope(known, sentence):
    text = told(gap(**known))

    assert "between 2026-11-18T12:00:00Z (5) and 2026-11-20T12:00:00Z (9)" in text
    assert sentence in text


@pytest.mark.parametrize(
    ("facts", "sentences"),
    [
        (
            {},
            ["It is ok: it is so.", "It has not been checked yet.", "check is due now."],
        ),
        (
            {"last_attempt_at": NOW - HOUR, "last_success_at": NOW - HOUR, "interval": HOUR},
            ["The last check was 60 minutes ago and worked.", "The server offers no validators"],
        ),
        (
            {
                "last_attempt_at": NOW - HOUR,
                "last_failure": "server_error",
                "last_status": 502,
                "failures": 3,
                "first_failed_at": NOW - DAY,
            },
            [
                "failed (server_error, HTTP status 502): server error",
                "It has failed 3 times in a row; the first time was 24 hours ago.",
                "It has never been read.",
            ],
        ),
        (
            {"next_check_at": NOW + 2 * HOUR, "interval": 4 * HOUR},
            ["The next check is in 2 hours, usually every 4 hours."],
        ),
        ({"leased_until": NOW + HOUR}, ["A worker is checking it now."]),
        (
            {"retry_after_at": NOW + HOUR},
            ["The server asked for no request before 2026-11-21T13:00:00Z."],
        ),
        ({"ttl": 6 * HOUR}, ["The feed asks for at least 6 hours between checks."]),
        (
            {"newest_published_at": NOW - DAY, "entries_180d": 30, "median_gap": 6 * DAY},
            ["published 30 entries in 180 days, typically 6 days apart, the newest 24 hours ago."],
        ),
        (
            {"newest_published_at": NOW - 400 * DAY},
            ["The vendor publishes seldom; the newest entry came 400 days ago."],
        ),
        (
            {"redirect_url": "https://acme.example/new"},
            ["Its address redirects for good to https://acme.example/new;"],
        ),
        (
            {"recipe": "{}", "recipe_made_at": NOW - DAY},
            ["Its page was redesigned 24 hours ago", "changewire source forget-recipe acme.mail"],
        ),
    ],
)
def test_a_source_is_explained_as_its_facts_are(facts, sentences):
    text = told(**facts)

    assert [sentence for sentence in sentences if sentence not in text] == []
