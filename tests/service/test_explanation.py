"""What the operator reads of a source besides its facts: gaps, and a page redesigned."""

from datetime import UTC, datetime, timedelta

import pytest

from service.commands.sources import explanation
from storage.models import FetchFacts, Gap

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
DAY = timedelta(days=1)


def told(*gaps, **facts):
    known = {"entries_180d": 0, "failures": 0, "open_gap": bool(gaps)}
    row = FetchFacts(feed_url="https://acme.example/feed", host="acme.example", **known | facts)
    return " ".join(explanation("acme.mail", row, gaps, now=NOW))


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
            "could not be fetched 1 time; they are requested at every check, 24 times at most",
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


def test_a_redesigned_page_is_told_with_the_way_back():
    text = told(recipe="{}", recipe_made_at=NOW - DAY)

    assert "Its page was redesigned 24 hours ago" in text
    assert text.endswith("changewire source forget-recipe acme.mail")
