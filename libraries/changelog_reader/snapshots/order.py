"""The order of items: the fewest moves, and anchors for the comparison of texts."""

from bisect import bisect_left
from collections.abc import Sequence


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
    by_after = sorted(pairs, key=lambda pair: pair[1])
    steady = longest_increasing([before for before, _ in by_after])
    return set(by_after) - {by_after[position] for position in steady}
