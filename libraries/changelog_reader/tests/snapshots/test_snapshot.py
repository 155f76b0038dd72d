"""From parsed entries to a snapshot, and to bytes."""

import zlib
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone

import pytest

from changelog_reader.adapters.base import Block, ParsedEntry
from changelog_reader.snapshots.diff import diff
from changelog_reader.snapshots.snapshot import SnapshotEntry, decode, encode, snapshot_of

PARSED = ParsedEntry(
    vendor_id="7",
    title="Release  7",
    url="https://acme.example/7?utm_source=feed",
    published_at=datetime(2026, 5, 7, 11, tzinfo=timezone(timedelta(hours=2))),
    date_source="published",
    summary="## Fixed\n\n- One\n- Two  \n",
    raw={"tag_name": "v7", "prerelease": False, "categories": ["New", "Breaking", "New", 3]},
)


def test_an_entry_is_kept_as_the_vendor_shows_it_now():
    found = snapshot_of([("7", PARSED)], parser_version="rss-2")
    assert found.entries == (
        SnapshotEntry(
            id="7",
            title="Release 7",
            url="https://acme.example/7",
            published_at="2026-05-07T09:00:00Z",
            summary="## Fixed\n- One\n- Two",
            labels=("Breaking", "New"),
            tag_name="v7",
            prerelease=False,
        ),
    )
    assert found.parser_version == "rss-2/1"


def test_an_entry_without_date_text_or_link_keeps_its_gaps():
    bare = replace(PARSED, url=None, published_at=None, summary="  ", raw={})
    assert snapshot_of([("7", bare)], parser_version="rss-2").entries == (
        SnapshotEntry(id="7", title="Release 7"),
    )


def test_of_two_entries_with_one_id_the_first_is_kept():
    found = snapshot_of([("7", PARSED), ("7", replace(PARSED, title="x"))], parser_version="1")
    assert [entry.title for entry in found.entries] == ["Release 7"]


def test_blocks_are_normalised_and_empty_ones_left_out():
    blocks = [Block((" 1.0 ", ""), "Fixed \n\n a"), Block(("1.0",), " \n")]
    assert snapshot_of([], blocks=blocks, parser_version="1").blocks == (
        Block(("1.0",), "Fixed\na"),
    )


@pytest.mark.parametrize(
    "again",
    [
        {"summary": "## Fixed\n- One\n\n- Two"},
        {"title": " Release\u00a07"},
        {"url": "https://acme.example/7?utm_source=mail&fbclid=1"},
        {"published_at": datetime(2026, 5, 7, 9, tzinfo=UTC)},
        {"raw": {**PARSED.raw, "categories": ["Breaking", "New"], "views": 12}},
        {"html": "<h2 class='x'>Fixed</h2>", "date_source": "updated"},
    ],
)
def test_the_same_content_has_the_same_hash(again):
    one = snapshot_of([("7", PARSED)], parser_version="1")
    other = snapshot_of([("7", replace(PARSED, **again))], parser_version="1")
    assert encode(one) == encode(other)
    assert diff(one, other) is None


@pytest.mark.parametrize("body", [b"", b"no", zlib.compress(b"[]"), zlib.compress(b'{"a": 1}')])
def test_other_bytes_are_no_snapshot(body):
    with pytest.raises(ValueError, match="not an encoded snapshot"):
        decode(body)
