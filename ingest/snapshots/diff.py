"""What changed between two snapshots of one source."""

from collections.abc import Sequence

from ingest.adapters.base import Block
from ingest.snapshots.changes import (
    MAX_CHANGES,
    MAX_DIFF_CHARACTERS,
    Change,
    Diff,
    Item,
    Placed,
    Stats,
    in_order,
    labelled,
)
from ingest.snapshots.matching import Pair, matched
from ingest.snapshots.normalise import is_cut
from ingest.snapshots.order import moved
from ingest.snapshots.snapshot import Snapshot, SnapshotEntry
from ingest.snapshots.window import rolled_off, rolled_off_blocks
from openapi.vocabulary import ChangeOp


def diff(before: Snapshot, after: Snapshot) -> Diff | None:
    """The changes from ``before`` to ``after``; None when there are none.

    None too when two parser versions read them: the newer snapshot is then a new baseline.
    Entries come before blocks; each kind by operation (edits and withdrawals first, roll-off
    last), then by position. Positions of moves are the fewest that explain the new order.
    """
    if before.parser_version != after.parser_version:
        return None
    entry_changes, entry_stats = _entry_changes(before.entries, after.entries)
    titles = {
        each.before.item.title
        for each in entry_changes
        if each.op is ChangeOp.ROLLED_OFF
        and each.before
        and isinstance(each.before.item, SnapshotEntry)
    }
    block_changes, block_stats = _block_changes(before.blocks, after.blocks, titles)
    changes = [*in_order(entry_changes), *in_order(block_changes)]
    if not changes:
        return None
    kept = _bounded(changes)
    return Diff(
        changes=tuple(kept),
        stats=entry_stats + block_stats,
        truncated=len(kept) < len(changes) or any(map(_has_cut_text, kept)),
    )


def _entry_changes(
    before: Sequence[SnapshotEntry], after: Sequence[SnapshotEntry]
) -> tuple[list[Change], Stats]:
    places = {each.id: index for index, each in enumerate(after)}
    pairs = [(old, places[each.id]) for old, each in enumerate(before) if each.id in places]
    return _changes(before, after, pairs, rolled_off(before, after))


def _block_changes(
    before: Sequence[Block], after: Sequence[Block], titles: set[str]
) -> tuple[list[Change], Stats]:
    pairs = matched(before, after)
    gone = set(range(len(before))) - {old for old, _ in pairs}
    fallen = rolled_off_blocks(before, gone, grew=len(pairs) < len(after), titles=titles)
    return _changes(before, after, pairs, fallen)


def _changes(
    before: Sequence[Item], after: Sequence[Item], pairs: list[Pair], fallen: set[int]
) -> tuple[list[Change], Stats]:
    """The changes of one kind, given which item is which and which vanished ones fell off."""
    stayed, taken = {old for old, _ in pairs}, {new for _, new in pairs}
    found = [
        Change(
            ChangeOp.ROLLED_OFF if index in fallen else ChangeOp.REMOVED, Placed(index, item), None
        )
        for index, item in enumerate(before)
        if index not in stayed
    ]
    lost = len(found)
    found += [
        Change(ChangeOp.ADDED, None, Placed(index, item))
        for index, item in enumerate(after)
        if index not in taken
    ]
    edited = [(old, new) for old, new in pairs if before[old] != after[new]]
    found += [
        Change(ChangeOp.CHANGED, Placed(old, before[old]), Placed(new, after[new]))
        for old, new in edited
    ]
    found += [
        Change(
            ChangeOp.MOVED,
            labelled(Placed(old, before[old])),
            labelled(Placed(new, after[new])),
        )
        for old, new in moved(pairs)
    ]
    rolled = sum(index in fallen for index in range(len(before)) if index not in stayed)
    stats = Stats(
        added=len(after) - len(pairs),
        changed=len(edited),
        removed=lost - rolled,
        rolled_off=rolled,
        unchanged=len(pairs) - len(edited),
    )
    return found, stats


def _bounded(changes: list[Change]) -> list[Change]:
    """As many from the front as both limits allow."""
    room = MAX_DIFF_CHARACTERS
    for count, change in enumerate(changes[:MAX_CHANGES]):
        room -= sum(_size(placed.item) for placed in (change.before, change.after) if placed)
        if room < 0:
            return changes[:count]
    return changes[:MAX_CHANGES]


def _size(item: Item) -> int:
    if isinstance(item, Block):
        return len(item.text) + sum(map(len, item.heading))
    return len(item.title) + len(item.summary or "") + len(item.url or "")


def _has_cut_text(change: Change) -> bool:
    return any(
        is_cut(placed.item.text if isinstance(placed.item, Block) else placed.item.summary)
        for placed in (change.before, change.after)
        if placed
    )
