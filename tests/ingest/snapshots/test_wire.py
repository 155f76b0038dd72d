"""The public form of a diff."""

from ingest.snapshots.diff import diff
from ingest.snapshots.wire import as_wire, from_wire


def test_an_edited_entry_shows_both_states_what_differs_and_in_which_words(shown):
    before = shown(2, (1, {"summary": "A critical fix for the parser"}))
    after = shown(2, (1, {"summary": "A fix for the parser"}))
    assert as_wire(diff(before, after)) == {
        "stats": {"added": 0, "changed": 1, "removed": 0, "rolledOff": 0, "unchanged": 1},
        "truncated": False,
        "changes": [
            {
                "op": "changed",
                "entryId": "entry-1",
                "before": {
                    "index": 1,
                    "id": "entry-1",
                    "title": "Release 1",
                    "url": "https://acme.example/releases/1",
                    "published_at": "2026-05-01T09:00:00Z",
                    "summary": "A critical fix for the parser",
                },
                "after": {
                    "index": 1,
                    "id": "entry-1",
                    "title": "Release 1",
                    "url": "https://acme.example/releases/1",
                    "published_at": "2026-05-01T09:00:00Z",
                    "summary": "A fix for the parser",
                },
                "fields": [
                    {
                        "path": "summary",
                        "before": "A critical fix for the parser",
                        "after": "A fix for the parser",
                        "spans": [
                            {"op": "equal", "text": "A "},
                            {"op": "delete", "text": "critical "},
                            {"op": "equal", "text": "fix for the parser"},
                        ],
                    }
                ],
                "facts": [{"type": "severity_word_removed", "path": None, "detail": "critical"}],
            }
        ],
    }


def test_an_edited_entry_that_also_got_another_place_lists_only_the_fields_edited(shown):
    before, after = shown(1), shown(2, (1, {"url": None, "labels": ("New",)}))
    changed = as_wire(diff(before, after))["changes"][0]
    assert (changed["before"]["index"], changed["after"]["index"]) == (0, 1)
    assert changed["fields"] == [
        {"path": "url", "before": "https://acme.example/releases/1", "after": None},
        {"path": "labels", "before": None, "after": ["New"]},
    ]


def test_a_moved_entry_shows_its_places_and_not_its_text(shown):
    moved = as_wire(diff(shown(3, 2, 1), shown(1, 3, 2)))["changes"][0]
    assert moved["fields"] == [{"path": "index", "before": 2, "after": 0}]
    assert moved["before"]["title"] == "Release 1"
    assert moved["before"]["summary"] is None


def test_an_added_entry_has_no_before_and_a_removed_one_no_after(shown):
    added = as_wire(diff(shown(1), shown(2, 1)))["changes"][0]
    removed = as_wire(diff(shown(2, 1), shown(1)))["changes"][0]
    assert (added["op"], added["before"], added["after"]["id"]) == ("added", None, "entry-2")
    assert (removed["op"], removed["before"]["id"], removed["after"]) == (
        "removed",
        "entry-2",
        None,
    )


def test_a_block_is_named_by_its_heading_and_its_place(page):
    before = page(("1.0", "Reads dates by hand"))
    after = page(("1.1", "New"), ("1.0", "Reads dates by itself"))
    first, second = as_wire(diff(before, after))["changes"]
    assert first["block"] == {"heading": ["1.0"], "index": 1}
    assert first["before"] == {"index": 0, "heading": ["1.0"], "text": "Reads dates by hand"}
    assert [each["path"] for each in first["fields"]] == ["text"]
    assert second["block"] == {"heading": ["1.1"], "index": 0}
    assert "entryId" not in first


def test_a_text_that_kept_no_word_has_no_spans(shown):
    changed = as_wire(diff(shown((1, {"title": "One"})), shown((1, {"title": "Two"}))))["changes"][
        0
    ]
    assert changed["fields"] == [{"path": "title", "before": "One", "after": "Two"}]


def test_an_address_is_not_compared_in_words(shown):
    after = shown((1, {"url": "https://acme.example/releases/one"}))
    changed = as_wire(diff(shown(1), after))["changes"][0]
    assert "spans" not in changed["fields"][0]


def test_the_public_form_is_read_back(shown):
    found = diff(shown(3, (2, {"labels": ("a",), "prerelease": True}), 1), shown(4, 2, 3))
    assert from_wire(as_wire(found)) == found
