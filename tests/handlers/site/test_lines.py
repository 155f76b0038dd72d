"""Entries as the lines of a list."""

from datetime import UTC, date, datetime

import orjson
import pytest

from handlers.site.lines import counts_of, history_days, list_line

TODAY = date(2026, 11, 23)


def public(**fields):
    """Return a PublicEntry of acme.compute."""
    entry = {
        "id": "1",
        "source": "acme.compute",
        "vendor": "acme",
        "published_at": "2026-11-23T09:12:00Z",
        "title": "v2",
        "headline": "Acme Compute: version 1 goes",
        "summary": "## News\n\n- Use version 2 from now on.",
    }
    return orjson.dumps(entry | fields)


def important(*passages):
    """Return an Importance object with these passages."""
    evidence = [
        {"category": "breaking", "field": "summary", "text": text, "start": 0, "end": 1}
        for text in passages
    ]
    return orjson.dumps({"categories": ["breaking"], "evidence": evidence})


def line(importance=None, **fields):
    return list_line(public(**fields), importance, path=PATH, source_name="Acme Compute")


PATH = "/e/acme.compute/2026-11-22-version-2"


@pytest.mark.parametrize(
    ("summary", "sentence"),
    [
        ("Drafts have an address. Show one to anybody.", "Show one to anybody."),
        ("Drafts have an address of their own.", "Drafts have an address of their own."),
        ("It is new. Drafts have an address. Show one.", "It is new. Show one."),
        ("## Minor changes\n\n- Show one to **anybody**.", "Show one to anybody."),
    ],
)
def test_a_text_that_begins_like_the_headline_is_shown_from_where_it_goes_on(summary, sentence):
    shown = line(headline="Wren 5.6.0: Drafts have an address", summary=summary)

    assert shown.sentence == sentence


def test_the_sentence_is_the_first_passage_that_says_more_than_the_headline():
    shown = line(important("Breaking change", "Goes: version 1 (#2)!", "- It goes in May."))

    assert (shown.headline, shown.sentence) == ("version 1 goes", "It goes in May.")
    assert shown.quoted


def test_a_sentence_goes_on_where_the_headline_was_cut():
    told = "When a volume claim has the annotation of another provisioner already"

    shown = line(headline=f"Acme Compute: {told}…", summary=f"{told}, it is kept. It was lost.")

    assert shown.sentence == "… it is kept. It was lost."


def test_lines_are_grouped_by_their_day_in_utc():
    moments = ["2026-11-24T00:30:00+01:00", "2026-11-23T00:00:00Z", "2026-11-22T23:59:00Z"]

    days = history_days([line(published_at=at) for at in moments], today=TODAY)

    assert [(day.name, len(day.lines)) for day in days] == [("Today", 2), ("Yesterday", 1)]
    assert days[0].lines[0].published_at == datetime(2026, 11, 23, 23, 30, tzinfo=UTC)


@pytest.mark.parametrize(
    ("days", "headings"),
    [
        (["2026-11-23", "2026-11-17", "2026-11-16"], ["Today", "6 days ago", "November 2026"]),
        (["2026-10-09", "2026-10-09", "2026-10-08", "2026-08-01"], ["October 2026", "August 2026"]),
        (["2026-10-09", "2025-08-01"], ["October 2026", "August 2025"]),
    ],
)
def test_what_is_older_than_a_week_is_grouped_by_month(days, headings):
    lines = [line(published_at=f"{day}T09:00:00Z") for day in days]

    told = history_days(lines, today=TODAY)

    assert [day.name for day in told] == headings
    assert [shown for day in told for shown in day.lines] == lines


def test_more_than_three_entries_of_a_source_in_a_day_are_one_group():
    named = [
        ("acme", 9),
        ("globex", 8),
        ("acme", 7),
        ("acme", 6),
        ("acme", 5),
        ("globex", 4),
        ("globex", 3),
    ]
    lines = [
        line(
            important("It goes.") if hour == 7 else None,
            source=source,
            published_at=f"2026-11-23T{hour:02}:00:00Z",
        )
        for source, hour in named
    ]

    (day,) = history_days(lines, today=TODAY)

    assert [[each.published_at.hour for each in group] for group in day.groups] == [
        [9, 7, 6, 5],
        [8],
        [4],
        [3],
    ]
    assert counts_of(day.groups[0]) == "4 entries, 1 breaking"
