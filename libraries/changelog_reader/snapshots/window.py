"""The vendor's window: whether an entry fell off its end or was taken away.

A vendor shows only its newest entries. One that leaves at the old end says nothing; one that
leaves from the middle or the top was withdrawn (docs/decisions/0011).
"""

from collections.abc import Sequence
from itertools import pairwise

from changelog_reader.adapters.base import Block
from changelog_reader.snapshots.block_pairs import Pair
from changelog_reader.snapshots.snapshot import SnapshotEntry


def rolled_off(before: Sequence[SnapshotEntry], after: Sequence[SnapshotEntry]) -> set[int]:
    """Return the indexes of entries of ``before`` that only fell off the old end.

    An entry fell off when nothing that stayed stands beyond it, or when it is older than
    everything that stayed. Where nothing stayed, it has to be older than everything that came. An
    emptied window has no old end: there, nothing fell off.
    """
    if not after:
        return set()
    ids = {entry.id for entry in after}
    missing = [index for index, entry in enumerate(before) if entry.id not in ids]
    stayed = [index for index, entry in enumerate(before) if entry.id in ids]
    if not stayed:
        oldest_new = _oldest(after)
        return {index for index in missing if not _is_newer(before[index], oldest_new)}
    oldest = _oldest([before[index] for index in stayed])
    if _oldest_first(before):
        beyond = {index for index in missing if index < stayed[0]}
    else:
        beyond = {index for index in missing if index > stayed[-1]}
    return beyond | {index for index in missing if _is_older(before[index], oldest)}


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


def _is_older(entry: SnapshotEntry, date: str | None) -> bool:
    return entry.published_at is not None and date is not None and entry.published_at < date


def _is_newer(entry: SnapshotEntry, date: str | None) -> bool:
    return entry.published_at is not None and date is not None and entry.published_at > date


def _oldest_first(entries: Sequence[SnapshotEntry]) -> bool:
    dates = [entry.published_at for entry in entries if entry.published_at]
    rising = sum(first < second for first, second in pairwise(dates))
    falling = sum(first > second for first, second in pairwise(dates))
    return rising > falling
