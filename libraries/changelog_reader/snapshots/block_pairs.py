"""Pairs of the blocks of two snapshots: blocks have no ids, so headings and wording decide."""

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence

from changelog_reader.adapters.base import Block

#: From here on two texts under one heading are taken for versions of one text (0 to 1).
SIMILAR = 0.3

# Lines of so few words that are left over alone under one heading are one line in other words:
# "Unreleased" becomes a date.
_SHORT_LINE = 12

# Comparing each with each is quadratic: beyond this many pairs under one heading, order decides.
_MAX_PAIRS = 256
# The opening tells versions of a text apart from other texts; the rest would only cost time.
_OPENING = 2_000

Pair = tuple[int, int]


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
        left, right = _without(left, right, equal)
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


def _without(left: list[int], right: list[int], pairs: list[Pair]) -> tuple[list[int], list[int]]:
    paired_left, paired_right = {old for old, _ in pairs}, {new for _, new in pairs}
    return [index for index in left if index not in paired_left], [
        index for index in right if index not in paired_right
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
