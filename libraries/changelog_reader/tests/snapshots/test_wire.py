"""The public form of a diff."""

import orjson
import pytest

from changelog_reader.snapshots.diff import diff
from changelog_reader.snapshots.normalise import normal_text
from changelog_reader.snapshots.wire import MAX_DIFF_BYTES, as_wire


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


def test_a_block_is_named_by_its_heading_and_its_place(page):
    before = page(("1.0", "Reads dates by hand"))
    after = page(("1.1", "New"), ("1.0", "Reads dates by itself"))
    first, second = as_wire(diff(before, after))["changes"]
    assert first["block"] == {"heading": ["1.0"], "index": 1}
    assert first["before"] == {"index": 0, "heading": ["1.0"], "text": "Reads dates by hand"}
    assert [field["path"] for field in first["fields"]] == ["text"]
    assert second["block"] == {"heading": ["1.1"], "index": 0}
    assert "entryId" not in first


def size(wire) -> int:
    return len(orjson.dumps(wire["changes"]))


@pytest.mark.parametrize("word", ["word ", '"" ', "語"], ids=["plain", "escaped", "wide"])
def test_many_long_texts_are_cut_to_a_mebibyte_of_json(shown, word):
    text = normal_text(word * (60_000 // len(word.encode())))
    wire = as_wire(diff(shown(), shown(*((day, {"summary": text}) for day in range(60)))))
    assert wire["truncated"]
    assert MAX_DIFF_BYTES * 0.8 < size(wire) <= MAX_DIFF_BYTES
    assert len(wire["changes"]) < wire["stats"]["added"] == 60


def test_one_change_that_is_too_long_in_spans_is_shown_without_them(shown):
    words = [chr(0x4E00 + number) + chr(0x4E01 + number) for number in range(0, 18_600, 2)]
    before, after = "-".join(words), "+".join(words)
    found = diff(shown((1, {"summary": before})), shown((1, {"summary": after})))
    wire = as_wire(found)
    (change,) = wire["changes"]
    assert wire["truncated"]
    assert change["after"]["summary"] == after
    assert [set(field) for field in change["fields"]] == [{"path", "before", "after"}]
    assert size(wire) <= MAX_DIFF_BYTES
