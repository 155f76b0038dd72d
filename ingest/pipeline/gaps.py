"""Gaps: whether entries may have been missed between two documents of a source. Pure.

A document shows a vendor's newest entries. As long as it still shows the newest stored entries, it
shows everything that came after them. When it does not, entries may have been published and removed
between two checks. A possible gap is recorded too, because an operator can examine it.

Two cases look the same. If a vendor keeps the newest stored entry below newer ones, the document is
the one that it would be if nothing had been published between them, so no gap is reported. An entry
that is pinned above newer ones is recognised. In a document of two entries, oldest first, a pinned
entry is reported as a gap that does not exist (docs/decisions/0069).
"""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import accumulate, pairwise


@dataclass(frozen=True, slots=True)
class ShownEntry:
    """An entry of a document, in the vendor's order. ``is_new``: it is not stored."""

    id: str
    published_at: datetime
    is_new: bool


def gap_between(
    earlier: Sequence[ShownEntry], document: Sequence[ShownEntry]
) -> tuple[ShownEntry, ShownEntry] | None:
    """Return the ends of the gap in which entries may have been missed, None if there is no gap.

    They are the stored entry before it and the new one after it.
    ``earlier`` are the newest stored entries, newest first, without those dated in the future if
    the document has others.
    """
    new = [entry for entry in document if entry.is_new]
    if not earlier or not new or joins(document, [entry.id for entry in earlier]):
        return None
    return earlier[0], min(new, key=lambda entry: entry.published_at)


def joins(document: Sequence[ShownEntry], earlier_ids: Sequence[str]) -> bool:
    """Return whether a document shows everything published after earlier entries.

    ``earlier_ids`` are their ids, newest first. The document has to show one of these entries and
    at least half of those newer than that one: a few may have been withdrawn, but an entry that
    remains while all newer ones are missing is pinned.
    """
    shown = {entry.id for entry in document}
    pinned = _pinned_ids(document)
    missing = 0
    for place, id_ in enumerate(earlier_ids):
        if id_ not in shown:
            missing += 1
        elif id_ not in pinned and 2 * missing <= place:
            return True
    return False


def closes_gap(
    document: Sequence[ShownEntry], *, before_id: str, earlier_ids: Sequence[str]
) -> bool:
    """Return whether a document shows everything between the ends of a gap."""
    if all(entry.id != before_id for entry in document):
        return False
    earlier = set(earlier_ids)
    compared = [
        ShownEntry(entry.id, entry.published_at, is_new=entry.id not in earlier)
        for entry in document
    ]
    return joins(compared, earlier_ids)


def _pinned_ids(document: Sequence[ShownEntry]) -> frozenset[str]:
    """Return the ids of stored entries above all newer ones: they are pinned and prove nothing."""
    dates = [entry.published_at for entry in document]
    falls = sum(later < earlier for earlier, later in pairwise(dates))
    rises = sum(later > earlier for earlier, later in pairwise(dates))
    is_oldest_first = rises > max(falls, 1)  # one rise may be a pinned entry
    ordered = document[::-1] if is_oldest_first else document
    new = sorted((entry.published_at, place) for place, entry in enumerate(ordered) if entry.is_new)
    times = [published_at for published_at, _ in new]
    tops = list(accumulate((place for _, place in reversed(new)), min))[::-1]  # of those from here
    pinned = set()
    for place, entry in enumerate(ordered):
        newer = bisect_right(times, entry.published_at)
        if not entry.is_new and newer < len(new) and place < tops[newer]:
            pinned.add(entry.id)
    return frozenset(pinned)
