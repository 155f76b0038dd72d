"""Silent edits as typed facts."""

import pytest

from changelog_reader.snapshots.diff import diff
from changelog_reader.snapshots.facts import facts_of

NOTES = "Fixes a critical flaw. Every customer has to rotate the keys before June."


def facts(before, after):
    """Each fact of a diff in one line: its type, its path and its detail."""
    found = diff(before, after)
    return [
        " ".join(filter(None, (fact.type, fact.path, fact.detail)))
        for change in found.changes
        for fact in facts_of(change, found.changes)
    ]


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ({"title": "Old"}, {"title": "New"}, ["title_changed title"]),
        ({}, {"published_at": "2026-04-30T09:00:00Z"}, ["date_moved_earlier published_at"]),
        ({}, {"published_at": "2026-06-01T09:00:00Z"}, ["date_moved_later published_at"]),
        ({}, {"published_at": None}, ["date_withdrawn published_at"]),
        ({"published_at": None}, {}, []),
        ({}, {"url": "https://acme.example/new"}, ["link_moved url"]),
        ({}, {"url": None}, ["link_withdrawn url"]),
        ({"summary": NOTES}, {"summary": "Fixes a critical flaw."}, ["text_shortened summary"]),
        ({"summary": "Fixes a critical flaw."}, {"summary": NOTES}, ["text_lengthened summary"]),
        ({"summary": "a b c d e f"}, {"summary": "a"}, ["text_shortened summary"]),
        ({"summary": "a"}, {"summary": "a b c d e f"}, ["text_lengthened summary"]),
        ({"summary": "a b c d e"}, {"summary": "a"}, []),
        ({"summary": "Fixes a flaw"}, {"summary": "Fixes the flaw"}, []),
        (
            {"summary": "Fixes a critical flaw"},
            {"summary": "Fixes a flaw"},
            ["severity_word_removed critical"],
        ),
        (
            {"title": "Fix", "summary": "Critical"},
            {"title": "Critical fix", "summary": "Done"},
            ["title_changed title"],
        ),
        (
            {"summary": "Fixes a flaw"},
            {"summary": "Fixes CVE-2026-12345"},
            ["severity_word_added CVE-2026-12345"],
        ),
        (
            {"labels": ("Breaking", "New")},
            {"labels": ("Fixed", "New")},
            ["label_removed labels Breaking", "label_added labels Fixed"],
        ),
        ({"tag_name": "v1"}, {"tag_name": "v1.0"}, ["tag_moved tag_name"]),
        ({"prerelease": True}, {"prerelease": False}, ["prerelease_promoted prerelease"]),
    ],
)
def test_an_edit_is_named_by_what_it_did(shown, old, new, expected):
    assert facts(shown((1, old)), shown((1, new))) == expected


def test_an_entry_that_left_the_middle_was_withdrawn(shown):
    assert facts(shown(3, 2, 1), shown(3, 1)) == ["entry_withdrawn"]


@pytest.mark.parametrize("kept", [{}, {"url": None}, {"title": "New", "published_at": None}])
def test_an_entry_that_got_another_id_was_reissued(shown, kept):
    after = shown(3, (2, {"id": "entry-2-again", **kept}), 1)
    assert facts(shown(3, 2, 1), after) == ["entry_reissued entry-2-again"]


def test_publishing_rolling_off_and_moving_are_not_silent_edits(shown):
    assert facts(shown(3, 2, 1), shown(4, 2, 3)) == []


def test_a_block_that_lost_a_sentence_was_shortened(page):
    assert facts(page(("1.0", NOTES)), page(("1.0", "Fixes a critical flaw."))) == [
        "text_shortened text"
    ]


def test_a_removed_block_is_no_withdrawn_entry(page):
    assert facts(page(("1.0", "a"), ("0.9", "b")), page(("0.9", "b"))) == []
