"""The comparison of two texts word by word."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from itertools import accumulate, pairwise
from typing import Literal, TypeAlias

from changelog_reader.snapshots.diff import longest_increasing

_CJK = "\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\uac00-\ud7af"
# Chinese, Japanese and Korean characters one by one, other words whole, spaces, single signs.
_TOKENS = re.compile(rf"[{_CJK}]|[^\W{_CJK}]+|\s+|[^\w\s]")
# SequenceMatcher is cubic at worst: it only sees regions of at most this many token pairs.
_SMALL = 48 * 48
_DEEPEST = 12  # regions within regions

Match = tuple[int, int, int]
"""Where equal runs start in the old and in the new, and how long they are."""
WordSpan: TypeAlias = tuple[Literal["equal", "delete", "insert"], str]
"""A run of words, and whether it is equal, deleted or inserted.

The runs without the inserts are the old text, those without the deletes the new one.
"""


def spans(before: str, after: str) -> tuple[WordSpan, ...]:
    """Return both texts as one row of word spans; the cost is close to linear in their length.

    Words that are once in both texts anchor the comparison; a large region without such a word
    counts as replaced. Equal runs shorter than the edits around them are part of the edit.
    """
    old, new = _TOKENS.findall(before), _TOKENS.findall(after)
    matches = _matches(old, new, (0, len(old), 0, len(new)), _DEEPEST)
    return tuple(_rendered(before, after, _readable(_in_characters(matches, old, new))))


def _matches(
    old: Sequence[str], new: Sequence[str], region: tuple[int, int, int, int], depth: int
) -> Iterator[Match]:
    """Yield equal runs of tokens in old[a:b] and new[c:d], ascending."""
    a, b, c, d = region
    head = _common(old[a:b], new[c:d])
    tail = _common(old[a + head : b][::-1], new[c + head : d][::-1])
    if head:
        yield a, c, head
    a, b, c, d = a + head, b - tail, c + head, d - tail
    if (b - a) * (d - c) <= _SMALL:
        small = SequenceMatcher(None, old[a:b], new[c:d], autojunk=False)
        yield from ((a + i, c + j, size) for i, j, size in small.get_matching_blocks() if size)
    elif depth and (anchors := _anchors(old, new, (a, b, c, d))):
        # Each anchor opens the region up to the next one.
        for (i, j), (k, m) in pairwise([(a, c), *anchors, (b, d)]):
            yield from _matches(old, new, (i, k, j, m), depth - 1)
    if tail:
        yield b, d, tail


def _common(old: Sequence[str], new: Sequence[str]) -> int:
    """Return how many tokens both start with."""
    for position, (left, right) in enumerate(zip(old, new, strict=False)):
        if left != right:
            return position
    return min(len(old), len(new))


def _anchors(
    old: Sequence[str], new: Sequence[str], region: tuple[int, int, int, int]
) -> list[tuple[int, int]]:
    """Return where words stand that occur once in either text, as many as keep their order."""
    a, b, c, d = region
    in_old, in_new = Counter(old[a:b]), Counter(new[c:d])
    places = {new[j]: j for j in range(c, d) if in_new[new[j]] == 1}
    pairs = [(i, places[old[i]]) for i in range(a, b) if in_old[old[i]] == 1 and old[i] in places]
    return [pairs[position] for position in longest_increasing([j for _, j in pairs])]


def _in_characters(matches: Iterable[Match], old: Sequence[str], new: Sequence[str]) -> list[Match]:
    """Return the runs in characters instead of tokens, adjoining ones joined."""
    old_offsets = list(accumulate(map(len, old), initial=0))
    new_offsets = list(accumulate(map(len, new), initial=0))
    runs: list[Match] = []
    for i, j, size in matches:
        start, begin, length = (
            old_offsets[i],
            new_offsets[j],
            old_offsets[i + size] - old_offsets[i],
        )
        if runs and runs[-1][0] + runs[-1][2] == start and runs[-1][1] + runs[-1][2] == begin:
            start, begin, length = runs[-1][0], runs[-1][1], runs[-1][2] + length
            runs.pop()
        runs.append((start, begin, length))
    return [*runs, (old_offsets[-1], new_offsets[-1], 0)]


def _readable(matches: list[Match]) -> list[Match]:
    """Return the runs without those no longer than the edits on both sides. The last one stays."""
    readable: list[Match] = []
    end = (0, 0)
    for (i, j, size), (following_i, following_j, _) in pairwise(matches):
        edit_before = max(i - end[0], j - end[1])
        edit_after = max(following_i - i - size, following_j - j - size)
        if size > min(edit_before, edit_after):
            readable.append((i, j, size))
            end = (i + size, j + size)
    return [*readable, matches[-1]]


def _rendered(before: str, after: str, matches: list[Match]) -> Iterator[WordSpan]:
    old = new = 0
    for i, j, size in matches:
        if old < i:
            yield "delete", before[old:i]
        if new < j:
            yield "insert", after[new:j]
        if size:
            yield "equal", before[i : i + size]
        old, new = i + size, j + size
