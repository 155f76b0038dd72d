"""Changes between two snapshots of one source.

Entries are paired by their ids; blocks have none, so headings and wording decide. A vendor shows
only its newest entries: one that leaves at the old end says nothing, one that leaves from the
middle or the top was withdrawn (docs/decisions/0011).
"""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence
from itertools import pairwise
from operator import add, itemgetter

from changelog_reader.adapters.base import Block
from changelog_reader.snapshots.normalise import CUT, is_cut
from changelog_reader.snapshots.snapshot import (
    MAX_CHANGES,
    MAX_DIFF_CHARACTERS,
    Diff,
    Item,
    ItemChange,
    Placed,
    Snapshot,
    SnapshotEntry,
    Stats,
)
from changelog_reader.vocabulary import ChangeOp

Pair = tuple[int, int]  # the index before and the one after
# What can be read nowhere else comes first, so that truncation takes it last.
_ORDER = (ChangeOp.CHANGED, ChangeOp.REMOVED, ChangeOp.ADDED, ChangeOp.MOVED, ChangeOp.ROLLED_OFF)
SIMILAR = 0.3
"""From here on two texts under one heading are taken for versions of one text (0 to 1)."""
# Lines of so few words that are left over alone under one heading are one line in other words:
# "Unreleased" becomes a date.
_SHORT_LINE = 12
# Comparing each with each is quadratic: beyond this many pairs under one heading, order decides.
_MAX_PAIRS = 256
# The opening tells versions of a text apart from other texts; the rest would only cost time.
_OPENING = 2_000


def diff(before: Snapshot, after: Snapshot) -> Diff | None:
    """Return the changes from ``before`` to ``after``; None when there are none.

    None too when two parser versions read them: the newer snapshot is then a new baseline.
    Entries come before blocks; each kind by operation (edits and withdrawals first, roll-off
    last), then by position. Positions of moves are the fewest that explain the new order.
    """
    if before.parser_version != after.parser_version:
        return None
    places = {item.id: index for index, item in enumerate(after.entries)}
    pairs = [(old, places[item.id]) for old, item in enumerate(before.entries) if item.id in places]
    fallen = rolled_off(before.entries, after.entries)
    changes, stats = _changes(before.entries, after.entries, pairs, fallen)
    if before.blocks or after.blocks:
        titles = frozenset(before.entries[index].title for index in fallen)
        pairs = matched(before.blocks, after.blocks)
        fallen = rolled_off_blocks(before.blocks, after.blocks, pairs, titles)
        block_changes, block_stats = _changes(before.blocks, after.blocks, pairs, fallen)
        changes += block_changes
        stats = Stats(*map(add, stats, block_stats))
    if not changes:
        return None
    bounded = _bounded(changes)
    shown = [
        placed.item for change in bounded for placed in (change.before, change.after) if placed
    ]
    has_cut = any(map(is_cut, map(_text, shown)))
    return Diff(tuple(bounded), stats, truncated=has_cut or len(bounded) < len(changes))


def _changes(
    before: Sequence[Item], after: Sequence[Item], pairs: list[Pair], fallen: set[int]
) -> tuple[list[ItemChange], Stats]:
    """Return the changes of one kind in order, by the pairs of items and those that fell off."""
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

    changes = [
        ItemChange(ChangeOp.ROLLED_OFF if item.index in fallen else ChangeOp.REMOVED, item, None)
        for item in removed
    ]
    changes += [ItemChange(ChangeOp.ADDED, None, item) for item in added]
    for old, new in edited:
        earlier = _up_to_the_cut(before[old], after[new])
        changed = Placed(old, earlier), Placed(new, after[new])
        changes.append(ItemChange(ChangeOp.CHANGED, *changed))
    for old, new in moved(pairs):
        relocated = Placed(old, _labelled(before[old])), Placed(new, _labelled(after[new]))
        changes.append(ItemChange(ChangeOp.MOVED, *relocated))
    changes.sort(key=lambda change: (_ORDER.index(change.op), change.placed.index))
    return changes, stats


def _text(item: Item) -> str | None:
    return item.text if isinstance(item, Block) else item.summary


def _labelled(item: Item) -> Item:
    """Return what a moved item can be recognised by: its text did not move anywhere."""
    return item if isinstance(item, Block) else item._replace(summary=None)


def _up_to_the_cut(before: Item, after: Item) -> Item:
    """Return an earlier version, ending in the line in which a cut text of the later one ends.

    What was behind that line may be there still: it is not listed as removed.
    """
    old, new = _text(before), _text(after)
    if old is None or new is None or not is_cut(new):
        return before
    lines, ending = old.removesuffix(CUT).split("\n"), new.removesuffix(CUT).rpartition("\n")[2]
    last = next((at for at in range(len(lines))[::-1] if lines[at].startswith(ending)), None)
    if last is None:
        return before
    text = "\n".join([*lines[:last], ending]) + CUT
    return (
        Block(before.heading, text) if isinstance(before, Block) else before._replace(summary=text)
    )


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


def longest_increasing(numbers: Sequence[int]) -> list[int]:
    """Return the positions of a longest increasing subsequence, ascending. O(n log n)."""
    tails: list[int] = []
    tail_positions: list[int] = []
    previous: list[int] = []
    for position, number in enumerate(numbers):
        place = bisect_left(tails, number)
        previous.append(tail_positions[place - 1] if place else -1)
        tails[place : place + 1] = [number]
        tail_positions[place : place + 1] = [position]
    positions: list[int] = []
    position = tail_positions[-1] if tail_positions else -1
    while position >= 0:
        positions.append(position)
        position = previous[position]
    return positions[::-1]


def moved(pairs: Sequence[tuple[int, int]]) -> set[tuple[int, int]]:
    """Return the fewest (before, after) pairs to relocate so that the rest keep their order."""
    by_after = sorted(pairs, key=itemgetter(1))
    steady = longest_increasing(list(map(itemgetter(0), by_after)))
    return set(by_after) - set(map(by_after.__getitem__, steady))


def matched(before: Sequence[Block], after: Sequence[Block]) -> list[Pair]:
    """Return (before, after) indexes of blocks that are the same one, in no order.

    First the equal ones, then those with the same text under another heading, then, under the
    same heading, the most similar ones and a short line for the short line in its place.
    """
    pairs: list[Pair] = []
    left, right = list(range(len(before))), list(range(len(after)))
    for key in (lambda block: block, lambda block: block.text):
        equal = _equal(before, after, left, right, key)
        pairs += equal
        left = sorted({*left} - {old for old, _ in equal})
        right = sorted({*right} - {new for _, new in equal})
    old, new = _by_heading(before, left), _by_heading(after, right)
    for heading, candidates in old.items():
        pairs += _similar(before, after, candidates, new.get(heading, []))
    return pairs


def _equal(
    before: Sequence[Block],
    after: Sequence[Block],
    left: Iterable[int],
    right: Iterable[int],
    key: Callable[[Block], Hashable],
) -> list[Pair]:
    """Return the pairs of equal blocks: of several the first goes with the first, and so on."""
    waiting: dict[Hashable, list[int]] = defaultdict(list)
    for index in right:
        waiting[key(after[index])].append(index)
    for indexes in waiting.values():
        indexes.reverse()
    return [
        (index, waiting[key(before[index])].pop()) for index in left if waiting[key(before[index])]
    ]


def _by_heading(blocks: Sequence[Block], indexes: list[int]) -> dict[tuple[str, ...], list[int]]:
    indexes_by_heading: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for index in indexes:
        indexes_by_heading[blocks[index].heading].append(index)
    return indexes_by_heading


def _similar(
    before: Sequence[Block], after: Sequence[Block], old: list[int], new: list[int]
) -> list[Pair]:
    if len(old) * len(new) > _MAX_PAIRS:
        candidates = list(zip(old, new, strict=False))
    else:
        candidates = [(one, other) for one in old for other in new]
    was = {index: _words(before[index]) for index in old}
    now = {index: _words(after[index]) for index in new}
    scored = sorted((-_overlap(was[one], now[other]), one, other) for one, other in candidates)
    pairs: list[Pair] = []
    for score, old_index, new_index in scored:
        if score <= -SIMILAR and old_index in was and new_index in now:
            pairs.append((old_index, new_index))
            del was[old_index], now[new_index]
    if len(was) == len(now) == 1:
        (old_index, old_words), (new_index, new_words) = was.popitem(), now.popitem()
        if max(len(old_words), len(new_words)) <= _SHORT_LINE:
            pairs.append((old_index, new_index))
    return pairs


def _words(block: Block) -> frozenset[str]:
    return frozenset(block.text[:_OPENING].casefold().split())


def _overlap(old_words: frozenset[str], new_words: frozenset[str]) -> float:
    """Return Dice's coefficient: shared words, counted in both, over all words."""
    total = len(old_words) + len(new_words)
    return 2 * len(old_words & new_words) / total if total else 1.0


def rolled_off(before: Sequence[SnapshotEntry], after: Sequence[SnapshotEntry]) -> set[int]:
    """Return the indexes of entries of ``before`` that only fell off the old end.

    An entry fell off when nothing that stayed is beyond it, or when it is older than
    everything that stayed. Where nothing stayed, it has to be older than everything that came. An
    emptied window has no old end: there, nothing fell off.
    """
    ids = {entry.id for entry in after}
    missing = [index for index, entry in enumerate(before) if entry.id not in ids]
    if not (after and missing):
        return set()
    stayed = [index for index, entry in enumerate(before) if entry.id in ids]
    if not stayed:
        oldest = _oldest(after)
        return {at for at in missing if oldest is None or (before[at].published_at or "") <= oldest}
    oldest = _oldest([before[index] for index in stayed])
    if _oldest_first(before):
        beyond = {index for index in missing if index < stayed[0]}
    else:
        beyond = {index for index in missing if index > stayed[-1]}
    return beyond | {at for at in missing if "" < (before[at].published_at or "") < (oldest or "")}


def rolled_off_blocks(
    before: Sequence[Block], after: Sequence[Block], pairs: Sequence[Pair], titles: frozenset[str]
) -> set[int]:
    """Return the indexes of blocks of ``before`` that fell off; ``pairs`` are those that stayed.

    Those are the last ones of a page that got new ones, unless their heading is still there: then
    somebody took them out from under it. ``titles`` are those of the entries that fell off; the
    blocks under them went with them.
    """
    stayed = {old for old, _ in pairs}
    grew = len(pairs) < len(after)
    headings = {block.heading for block in after} - {()}
    last = max(stayed, default=-1)
    return {
        index
        for index, block in enumerate(before)
        if index not in stayed
        and (
            not titles.isdisjoint(block.heading)
            or (grew and index > last and block.heading not in headings)
        )
    }


def _oldest(entries: Sequence[SnapshotEntry]) -> str | None:
    """Return the oldest date; RFC 3339 in UTC sorts as text."""
    return min((entry.published_at for entry in entries if entry.published_at), default=None)


def _oldest_first(entries: Sequence[SnapshotEntry]) -> bool:
    dates = [entry.published_at for entry in entries if entry.published_at]
    rising = sum(first < second for first, second in pairwise(dates))
    falling = sum(first > second for first, second in pairwise(dates))
    return rising > falling
