"""The laws of snapshots and diffs, over random vendors who publish, edit, withdraw and reorder."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from snapshot_laws import apply, diff_from_wire, invert

from changelog_reader.adapters.base import Block
from changelog_reader.snapshots.diff import diff
from changelog_reader.snapshots.snapshot import ItemChange, Snapshot, SnapshotEntry, encode
from changelog_reader.snapshots.wire import as_wire
from changelog_reader.vocabulary import ChangeOp

pytestmark = pytest.mark.slow

WORDS = ["fixed", "the", "parser", "now", "reads", "dates", "security", "deprecated", "修正", "für"]
HEADINGS = [(), ("Unreleased",), ("1.0",), ("1.0", "Fixed"), ("0.9",)]


def text(variant: int) -> str:
    """One of some hundred texts that share words."""
    return " ".join(WORDS[(variant * step) % len(WORDS)] for step in range(1, 2 + variant % 7))


def entry(number: int, variant: int) -> SnapshotEntry:
    """A version of the vendor's entry of this number: higher numbers are newer."""
    day = f"2026-{1 + number // 28 % 12:02}-{1 + number % 28:02}T00:00:00Z"
    return SnapshotEntry(
        id=str(number),
        title=text(variant % 5),
        url=None if variant % 3 == 0 else f"https://acme.example/{number}",
        published_at=None if variant % 7 == 0 else day,
        summary=None if variant % 11 == 0 else text(variant),
        labels=("Breaking", "New")[: variant % 3],
        tag_name=(None, f"v{number}")[variant % 2],
        prerelease=(None, False, True)[variant % 3],
    )


def entries(*numbers: int) -> st.SearchStrategy[list[SnapshotEntry]]:
    """One version or another of each of these entries."""
    variants = st.lists(VARIANTS, min_size=len(numbers), max_size=len(numbers))
    return variants.map(lambda drawn: list(map(entry, numbers, drawn)))


VARIANTS = st.integers(0, 200)
BLOCKS = st.builds(Block, st.sampled_from(HEADINGS), st.integers(0, 20).map(text))


@st.composite
def next_window(draw: st.DrawFn, window: list[SnapshotEntry], newest: int) -> list[SnapshotEntry]:
    """The next window of a vendor: anything may have happened since."""
    withdrawn = draw(st.sets(st.integers(0, newest), max_size=3))
    edited = draw(st.dictionaries(st.integers(0, newest), VARIANTS, max_size=4))
    window = [
        entry(int(shown.id), edited[int(shown.id)]) if int(shown.id) in edited else shown
        for shown in window
        if int(shown.id) not in withdrawn
    ]
    if draw(st.integers(0, 4)) == 4:
        window = draw(st.permutations(window))
    fresh = draw(entries(*range(newest + draw(st.integers(0, 3)), newest, -1)))
    shown = {int(entry.id) for entry in window}
    again = draw(entries(*sorted(draw(st.sets(st.integers(0, newest), max_size=2)) - shown)))
    return [*fresh, *window, *again][: draw(st.integers(4, 14))]


@st.composite
def histories(draw: st.DrawFn) -> list[Snapshot]:
    """Successive snapshots of one source."""
    newest = draw(st.integers(0, 8))
    window = draw(entries(*range(newest, 0, -1)))
    page = draw(st.lists(BLOCKS, max_size=8))
    found = [Snapshot(tuple(window), tuple(page), "rss/1")]
    for _ in range(draw(st.integers(1, 4))):
        window = draw(next_window(window, newest))
        newest += 3
        page = draw(st.permutations(page) if draw(st.booleans()) else st.just(page))
        page = [*draw(st.lists(BLOCKS, max_size=2)), *page][draw(st.integers(0, 2)) :]
        found.append(Snapshot(tuple(window), tuple(page), "rss/1"))
    return found


LAW = settings(deadline=None, max_examples=100)


def changes_between(before: Snapshot, after: Snapshot) -> tuple[ItemChange, ...]:
    found = diff(before, after)
    return () if found is None else found.changes


@LAW
@given(histories())
def test_applying_a_diff_to_its_before_gives_its_after_byte_for_byte(history):
    before, after = history[0], history[-1]
    assert encode(apply(before, changes_between(before, after))) == encode(after)


@LAW
@given(histories())
def test_the_public_form_of_a_diff_is_enough_to_apply_it(history):
    found = diff(history[0], history[-1])
    if found is not None:
        assert diff_from_wire(as_wire(found)) == found


@LAW
@given(histories())
def test_inverting_a_diff_goes_back(history):
    before, after = history[0], history[-1]
    assert apply(after, invert(changes_between(before, after))) == before


@LAW
@given(histories())
def test_there_is_a_diff_exactly_when_the_content_differs(history):
    before, after = history[0], history[-1]
    found = diff(before, after)
    assert (found is None) == (encode(before) == encode(after))
    assert found is None or found.changes


@LAW
@given(histories())
def test_the_statistics_add_up_to_the_sizes_on_both_sides(history):
    before, after = history[0], history[-1]
    found = diff(before, after)
    if found is not None:
        stats = found.stats
        stayed = stats.changed + stats.unchanged
        assert stats.added + stayed == len(after.entries) + len(after.blocks)
        assert stats.removed + stats.rolled_off + stayed == len(before.entries) + len(before.blocks)


@st.composite
def rolling(draw: st.DrawFn) -> tuple[Snapshot, Snapshot]:
    """A vendor who only publishes and edits, and shows the newest few, with or without dates."""
    size, count, fresh = draw(st.integers(1, 8)), draw(st.integers(1, 12)), draw(st.integers(1, 10))
    published = draw(entries(*range(count + fresh, 0, -1)))
    edits = draw(st.dictionaries(st.integers(1, count + fresh), VARIANTS, max_size=4))
    before = published[fresh:][:size]
    after = [
        item._replace(title=text(edits[int(item.id)])) if int(item.id) in edits else item
        for item in published[:size]
    ]
    if draw(st.booleans()):
        before, after = before[::-1], after[::-1]
        before, after = [_dated(entry) for entry in before], [_dated(entry) for entry in after]
    return Snapshot(tuple(before), (), "rss/1"), Snapshot(tuple(after), (), "rss/1")


def _dated(entry: SnapshotEntry) -> SnapshotEntry:
    return entry._replace(published_at=f"2026-01-{int(entry.id):02}T00:00:00Z")


@LAW
@given(rolling())
def test_falling_off_the_window_is_never_a_removal(pair):
    ops = {change.op for change in changes_between(*pair)}
    assert ops <= {ChangeOp.ADDED, ChangeOp.CHANGED, ChangeOp.ROLLED_OFF}


@given(st.lists(st.integers(0, 50), unique=True, max_size=12), st.data())
def test_a_new_order_takes_no_more_moves_than_items_out_of_order(numbers, data):
    before = [SnapshotEntry(str(number), "t") for number in sorted(numbers)]
    after = data.draw(st.permutations(before))
    found = changes_between(
        Snapshot(tuple(before), (), "rss/1"), Snapshot(tuple(after), (), "rss/1")
    )
    assert {change.op for change in found} <= {ChangeOp.MOVED}
    steady = len(before) - len(found)
    assert steady == _longest_run([int(entry.id) for entry in after])


def _longest_run(numbers: list[int]) -> int:
    """The longest increasing subsequence, by the quadratic definition."""
    best = [0] * len(numbers)
    for place, number in enumerate(numbers):
        best[place] = 1 + max((best[i] for i in range(place) if numbers[i] < number), default=0)
    return max(best, default=0)
