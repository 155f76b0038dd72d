"""Changes between two snapshots of one source."""

from collections.abc import Sequence
from operator import add

from changelog_reader.adapters.base import Block
from changelog_reader.snapshots.block_pairs import Pair, matched
from changelog_reader.snapshots.changes import (
    MAX_CHANGES,
    MAX_DIFF_CHARACTERS,
    Diff,
    Item,
    ItemChange,
    Placed,
    Stats,
    in_order,
    labelled,
)
from changelog_reader.snapshots.normalise import is_cut
from changelog_reader.snapshots.order import moved
from changelog_reader.snapshots.snapshot import Snapshot, SnapshotEntry
from changelog_reader.snapshots.window import rolled_off, rolled_off_blocks
from changelog_reader.vocabulary import ChangeOp


def diff(before: Snapshot, after: Snapshot) -> Diff | None:
    """Return the changes from ``before`` to ``after``; None when there are none.

    None too when two parser versions read them: the newer snapshot is then a new baseline.
    Entries come before blocks; each kind by operation (edits and withdrawals first, roll-off
    last), then by position. Positions of moves are the fewest that explain the new order.
    """
    if before.parser_version != after.parser_version:
        return None
    entry_changes, entry_stats = _entry_changes(before.entries, after.entries)
    fallen = {change.placed.index for change in entry_changes if change.op is ChangeOp.ROLLED_OFF}
    titles = frozenset(before.entries[index].title for index in fallen)
    block_changes, block_stats = _block_changes(before.blocks, after.blocks, titles)
    changes = [*in_order(entry_changes), *in_order(block_changes)]
    if not changes:
        return None
    bounded = _bounded(changes)
    return Diff(
        changes=tuple(bounded),
        stats=Stats(*map(add, entry_stats, block_stats)),
        truncated=len(bounded) < len(changes) or any(map(_has_cut_text, bounded)),
    )


def _entry_changes(
    before: Sequence[SnapshotEntry], after: Sequence[SnapshotEntry]
) -> tuple[list[ItemChange], Stats]:
    places = {item.id: index for index, item in enumerate(after)}
    pairs = [(old, places[item.id]) for old, item in enumerate(before) if item.id in places]
    return _changes(before, after, pairs, rolled_off(before, after))


def _block_changes(
    before: Sequence[Block], after: Sequence[Block], titles: frozenset[str]
) -> tuple[list[ItemChange], Stats]:
    pairs = matched(before, after)
    return _changes(before, after, pairs, rolled_off_blocks(before, after, pairs, titles))


def _changes(
    before: Sequence[Item], after: Sequence[Item], pairs: list[Pair], fallen: set[int]
) -> tuple[list[ItemChange], Stats]:
    """Return the changes of one kind, given the pairs of items and those that fell off."""
    remaining, arrived = {old for old, _ in pairs}, {new for _, new in pairs}
    removed = [Placed(index, item) for index, item in enumerate(before) if index not in remaining]
    added = [Placed(index, item) for index, item in enumerate(after) if index not in arrived]
    edited = [pair for pair in pairs if before[pair[0]] != after[pair[1]]]
    stats = Stats(
        added=len(added),
        changed=len(edited),
        removed=len(removed) - len(fallen),
        rolled_off=len(fallen),
        unchanged=len(pairs) - len(edited),
    )

    def placed(pair: Pair) -> tuple[Placed, Placed]:
        return Placed(pair[0], before[pair[0]]), Placed(pair[1], after[pair[1]])

    return [
        *(
            ItemChange(ChangeOp.ROLLED_OFF if old.index in fallen else ChangeOp.REMOVED, old, None)
            for old in removed
        ),
        *(ItemChange(ChangeOp.ADDED, None, new) for new in added),
        *(ItemChange(ChangeOp.CHANGED, *placed(pair)) for pair in edited),
        *(ItemChange(ChangeOp.MOVED, *map(labelled, placed(pair))) for pair in moved(pairs)),
    ], stats


def _bounded(changes: list[ItemChange]) -> list[ItemChange]:
    """Return as many changes from the front as both limits allow, at least one."""
    room = MAX_DIFF_CHARACTERS
    for count, change in enumerate(changes[:MAX_CHANGES]):
        room -= sum(_size(placed.item) for placed in (change.before, change.after) if placed)
        if room < 0:
            return changes[: max(count, 1)]
    return changes[:MAX_CHANGES]


def _size(item: Item) -> int:
    if isinstance(item, Block):
        return len(item.text) + sum(map(len, item.heading))
    return len(item.title) + len(item.summary or "") + len(item.url or "")


def _has_cut_text(change: ItemChange) -> bool:
    return any(
        is_cut(placed.item.text if isinstance(placed.item, Block) else placed.item.summary)
        for placed in (change.before, change.after)
        if placed
    )
