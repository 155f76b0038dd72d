"""Names of the changes in a diff."""

from dataclasses import replace

import pytest

from changelog_reader.adapters.base import Block
from changelog_reader.snapshots import snapshot as limits
from changelog_reader.snapshots.diff import diff
from changelog_reader.snapshots.normalise import normal_text
from changelog_reader.snapshots.snapshot import Snapshot, SnapshotEntry
from changelog_reader.snapshots.spans import spans


def ops(before, after):
    """Each change as its operation and the id or text it is about."""
    found = diff(before, after)
    if found is None:
        return []
    return [
        (
            change.op.value,
            change.placed.item.id
            if isinstance(change.placed.item, SnapshotEntry)
            else change.placed.item.text,
        )
        for change in found.changes
    ]


def test_what_rolled_off_is_not_counted_as_removed(shown):
    stats = diff(shown(5, 4, 3, 2, 1), shown(6, 5, 3, 2)).stats

    assert (stats.added, stats.removed, stats.rolled_off, stats.unchanged) == (1, 1, 1, 3)


SAME_DAY = {"published_at": "2026-05-01T09:00:00Z"}


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        pytest.param((3, 2, 1), (4, 3, 2), "added 4, rolled_off 1", id="growth of a full window"),
        pytest.param((4, 3, 2, 1), (4, 2, 1), "removed 3", id="gone from the middle"),
        pytest.param(
            (5, 4, 3, 2, 1), (6, 5, 3, 2), "removed 4, added 6, rolled_off 1", id="both at once"
        ),
        pytest.param((1, 2, 3), (2, 3, 4), "added 4, rolled_off 1", id="growth, oldest first"),
        pytest.param((1, 2, 3), (1, 2), "removed 3", id="gone from the end, oldest first"),
        pytest.param(
            (5, 1, 3, 4, 2), (6, 5, 3, 4, 2), "added 6, rolled_off 1", id="oldest, unsorted"
        ),
        pytest.param(
            (3, (2, SAME_DAY), 1), (4, 3, (2, SAME_DAY)), "added 4, rolled_off 1", id="last of day"
        ),
        pytest.param((3, (2, SAME_DAY), 1), (3, 1), "removed 2", id="not the last of its day"),
        pytest.param(
            (9, 1), (3, 2), "removed 9, added 3, added 2, rolled_off 1", id="newer than what came"
        ),
        pytest.param(
            (2, 1), (9, 8), "added 9, added 8, rolled_off 2, rolled_off 1", id="a new window"
        ),
        pytest.param((4, 3, 2, 1), (1, 4, 3, 2), "moved 1", id="another place"),
        pytest.param((3, 2, 1), ((1, {"title": "Pinned"}), 3, 2), "changed 1, moved 1", id="pin"),
    ],
)
def test_an_entry_is_added_removed_moved_or_rolled_off(shown, before, after, expected):
    found = [f"{op} {id_.removeprefix('entry-')}" for op, id_ in ops(shown(*before), shown(*after))]

    assert ", ".join(found) == expected


OLD = "Adds a faster parser for the dates that vendors write by hand in pages"
NEW = "Removes support of every runtime older than three years, as announced before"
FIRST, SECOND, THIRD = (f"{word} release" for word in ("First", "Second", "Third"))


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        pytest.param(
            [("1.1", "Adds a faster parser for dates"), ("1.0", FIRST)],
            [("1.1", "Adds a faster and safer parser for dates"), ("1.0", FIRST)],
            [("changed", "Adds a faster and safer parser for dates")],
            id="its heading and most of its words stay",
        ),
        pytest.param(
            [("Unreleased", "Adds a faster parser"), ("1.0", FIRST)],
            [("1.1", "Adds a faster parser"), ("1.0", FIRST)],
            [("changed", "Adds a faster parser")],
            id="its heading is renamed",
        ),
        pytest.param(
            [("1.1", "Unreleased"), ("1.1", "Adds a faster parser")],
            [("1.1", "Released 2026-05-04"), ("1.1", "Adds a faster parser")],
            [("changed", "Released 2026-05-04")],
            id="its line becomes a date",
        ),
        pytest.param(
            [("1.0", OLD)], [("1.0", NEW)], [("removed", OLD), ("added", NEW)], id="another text"
        ),
        pytest.param(
            [("1.1", SECOND), ("1.0", FIRST)],
            [("1.2", THIRD), ("1.1", SECOND)],
            [("added", THIRD), ("rolled_off", FIRST)],
            id="the last of a page that got new ones",
        ),
        pytest.param(
            [("1.1", SECOND), ("1.0", FIRST)],
            [("1.1", SECOND)],
            [("removed", FIRST)],
            id="the last of a page that got none",
        ),
    ],
)
def test_a_block_is_followed_by_its_heading_and_its_words(page, before, after, expected):
    assert ops(page(*before), page(*after)) == expected


def test_the_blocks_of_an_entry_that_rolled_off_rolled_off_with_it(shown, page):
    footer = ("About", "Acme makes everything")
    before = replace(
        shown(2, 1), blocks=page(("Release 2", "New"), ("Release 1", "Old"), footer).blocks
    )
    after = replace(
        shown(3, 2), blocks=page(("Release 3", "Newest"), ("Release 2", "New"), footer).blocks
    )
    assert ("rolled_off", "Old") in ops(before, after)


def test_more_changes_than_the_limit_are_truncated_and_edits_stay(shown):
    many = [SnapshotEntry(f"new-{number}", "New") for number in range(limits.MAX_CHANGES + 1)]
    before = shown((1, {"title": "Before"}))
    found = diff(before, Snapshot((*many, *shown(1).entries), (), "rss/1"))
    assert found.truncated
    assert len(found.changes) == limits.MAX_CHANGES
    assert found.changes[0].op == "changed"
    assert found.stats.added == limits.MAX_CHANGES + 1


def test_more_text_than_the_limit_is_truncated(shown):
    long = "word " * 12_000
    count = limits.MAX_DIFF_CHARACTERS // len(long) + 2
    after = tuple(SnapshotEntry(str(number), "New", summary=long) for number in range(count))
    found = diff(shown(), Snapshot(after, (), "rss/1"))
    assert found.truncated
    assert 0 < len(found.changes) < count


@pytest.mark.parametrize("paragraphs", [300, 3_000])
def test_a_paragraph_put_before_a_long_section_removes_nothing(paragraphs):
    text = "\n".join(f"Paragraph {number} of a long section." for number in range(paragraphs))
    before, after = (
        Snapshot((), (Block(("Notes",), normal_text(words)),), "html/1")
        for words in (text, f"New.\n{text}")
    )

    found = diff(before, after)

    assert found is not None
    (change,) = found.changes
    words = spans(change.before.item.text, change.after.item.text)
    assert [op for op, _ in words if op != "equal"] == ["insert"]
    assert found.truncated == (paragraphs == 3_000)


def test_a_change_within_a_cut_text_says_that_it_is_truncated(shown):
    cut = normal_text("word " * 20_000)
    found = diff(shown(1), shown((1, {"summary": cut})))
    assert found.truncated
    assert not diff(shown(1), shown((1, {"summary": "word"}))).truncated
