"""What a diff calls each change."""

from dataclasses import replace

from changelog_reader.snapshots import changes as limits
from changelog_reader.snapshots.diff import diff
from changelog_reader.snapshots.normalise import normal_text
from changelog_reader.snapshots.snapshot import Snapshot, SnapshotEntry


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


def test_the_same_snapshot_twice_is_no_diff(shown):
    assert diff(shown(3, 2, 1), shown(3, 2, 1)) is None


def test_a_newer_parser_makes_a_new_baseline_and_no_diff(shown):
    before = shown(3, 2, 1)
    assert diff(before, replace(shown(4, 3), parser_version="rss/2")) is None


def test_growth_at_the_top_with_a_full_window_is_added_and_rolled_off(shown):
    assert ops(shown(3, 2, 1), shown(4, 3, 2)) == [
        ("added", "entry-4"),
        ("rolled_off", "entry-1"),
    ]


def test_an_entry_that_left_the_middle_was_removed(shown):
    assert ops(shown(4, 3, 2, 1), shown(4, 2, 1)) == [("removed", "entry-3")]


def test_a_withdrawal_and_a_roll_off_at_once_are_told_apart(shown):
    assert ops(shown(5, 4, 3, 2, 1), shown(6, 5, 3, 2)) == [
        ("removed", "entry-4"),
        ("added", "entry-6"),
        ("rolled_off", "entry-1"),
    ]


def test_what_rolled_off_is_not_counted_as_removed(shown):
    stats = diff(shown(5, 4, 3, 2, 1), shown(6, 5, 3, 2)).stats

    assert (stats.added, stats.removed, stats.rolled_off, stats.unchanged) == (1, 1, 1, 3)


def test_a_window_that_lists_the_oldest_first_rolls_off_at_its_front(shown):
    assert ops(shown(1, 2, 3), shown(2, 3, 4)) == [("added", "entry-4"), ("rolled_off", "entry-1")]


def test_leaving_the_end_of_a_window_that_lists_the_oldest_first_is_a_removal(shown):
    assert ops(shown(1, 2, 3), shown(1, 2)) == [("removed", "entry-3")]


def test_the_oldest_of_an_unsorted_window_rolls_off_wherever_it_stood(shown):
    assert ops(shown(5, 1, 3, 4, 2), shown(6, 5, 3, 4, 2)) == [
        ("added", "entry-6"),
        ("rolled_off", "entry-1"),
    ]


def test_an_entry_of_the_same_day_as_the_last_one_shown_rolls_off_by_its_place(shown):
    same_day = {"published_at": "2026-05-01T09:00:00Z"}
    assert ops(shown(3, (2, same_day), 1), shown(4, 3, (2, same_day))) == [
        ("added", "entry-4"),
        ("rolled_off", "entry-1"),
    ]


def test_an_entry_of_the_oldest_day_that_stood_above_one_that_stayed_was_removed(shown):
    same_day = {"published_at": "2026-05-01T09:00:00Z"}
    assert ops(shown(3, (2, same_day), 1), shown(3, 1)) == [("removed", "entry-2")]


def test_an_entry_newer_than_all_that_replaced_the_window_was_removed(shown):
    assert ops(shown(9, 1), shown(3, 2)) == [
        ("removed", "entry-9"),
        ("added", "entry-3"),
        ("added", "entry-2"),
        ("rolled_off", "entry-1"),
    ]


def test_a_wholly_new_window_rolled_everything_off(shown):
    assert ops(shown(2, 1), shown(9, 8)) == [
        ("added", "entry-9"),
        ("added", "entry-8"),
        ("rolled_off", "entry-2"),
        ("rolled_off", "entry-1"),
    ]


def test_one_entry_that_changed_places_is_one_move(shown):
    assert ops(shown(4, 3, 2, 1), shown(1, 4, 3, 2)) == [("moved", "entry-1")]


def test_an_entry_that_was_edited_and_pinned_has_both_changes(shown):
    assert ops(shown(3, 2, 1), shown((1, {"title": "Pinned"}), 3, 2)) == [
        ("changed", "entry-1"),
        ("moved", "entry-1"),
    ]


def test_a_block_is_followed_by_its_heading_and_wording(page):
    before = page(("1.1", "Adds a faster parser for dates"), ("1.0", "First release"))
    after = page(("1.1", "Adds a faster and safer parser for dates"), ("1.0", "First release"))
    assert ops(before, after) == [("changed", "Adds a faster and safer parser for dates")]


def test_a_block_under_a_renamed_heading_is_the_same_block(page):
    before = page(("Unreleased", "Adds a faster parser"), ("1.0", "First release"))
    after = page(("1.1", "Adds a faster parser"), ("1.0", "First release"))
    assert ops(before, after) == [("changed", "Adds a faster parser")]


def test_a_line_that_becomes_a_date_is_the_same_line(page):
    before = page(("1.1", "Unreleased"), ("1.1", "Adds a faster parser"))
    after = page(("1.1", "Released 2026-05-04"), ("1.1", "Adds a faster parser"))
    assert ops(before, after) == [("changed", "Released 2026-05-04")]


def test_another_text_under_the_same_heading_is_another_block(page):
    old = "Adds a faster parser for the dates that vendors write by hand in pages"
    new = "Removes support of every runtime older than three years, as announced before"
    assert ops(page(("1.0", old)), page(("1.0", new))) == [("removed", old), ("added", new)]


def test_the_last_blocks_of_a_page_that_got_new_ones_rolled_off(page):
    before = page(("1.1", "Second release"), ("1.0", "First release"))
    after = page(("1.2", "Third release"), ("1.1", "Second release"))
    assert ops(before, after) == [("added", "Third release"), ("rolled_off", "First release")]


def test_a_block_taken_from_the_end_of_a_page_that_got_none_was_removed(page):
    before = page(("1.1", "Second release"), ("1.0", "First release"))
    assert ops(before, page(("1.1", "Second release"))) == [("removed", "First release")]


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


def test_a_change_within_a_cut_text_says_that_it_is_truncated(shown):
    cut = normal_text("word " * 20_000)
    found = diff(shown(1), shown((1, {"summary": cut})))
    assert found.truncated
    assert not diff(shown(1), shown((1, {"summary": "word"}))).truncated
