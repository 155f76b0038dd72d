"""Gaps: whether entries may have been missed between two documents of a source. Pure.

A document shows a vendor's newest entries. As long as it still shows the newest ones that were
known, it shows everything that came after them. When it does not, entries may have come and gone
between two checks. What is only possible counts as a gap, because a gap that is shown can be
examined, and a silent one cannot.

Two cases cannot be told apart. A vendor that keeps the newest entry we know in its place
below newer ones shows what it would show if nothing had come between them: the documents are
equal, and so is the result, no gap. Above newer ones a kept entry gives itself away,
in a window of any length; in one of two entries, listed the oldest first, that is taken for a
gap where none is (docs/decisions/0037).
"""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import accumulate, pairwise
from typing import Final

REMEMBERED: Final = 100
"""The newest known entries that a document is held against."""


@dataclass(frozen=True, slots=True)
class Shown:
    """An entry of a document, in the vendor's order. ``is_new``: it was not known before."""

    id: str
    published_at: datetime
    is_new: bool


@dataclass(frozen=True, slots=True)
class Ends:
    """A gap lies after the entry ``after`` and before the new entry ``before``."""

    after: Shown
    before: Shown


def gap_between(known: Sequence[Shown], document: Sequence[Shown]) -> Ends | None:
    """Return where entries may have been missed, None if none can have been.

    ``known`` are the newest entries known before the document was read, newest first, without
    those dated in the future if the document has others.
    """
    new = [each for each in document if each.is_new]
    if not known or not new or joins(document, [each.id for each in known]):
        return None
    return Ends(after=known[0], before=min(new, key=lambda each: each.published_at))


def joins(document: Sequence[Shown], known: Sequence[str]) -> bool:
    """Tell whether a document shows all that came after entries known before, newest first.

    It does when it shows one of them and at least half of those that are newer than that one:
    a few may have been withdrawn, but an entry that stayed alone, while all that were newer
    went, is one that the vendor keeps in its place.
    """
    shown = {each.id for each in document}
    kept = _kept_on_top(document)
    gone = 0
    for place, id_ in enumerate(known):
        if id_ not in shown:
            gone += 1
        elif id_ not in kept and 2 * gone <= place:
            return True
    return False


def spans(document: Sequence[Shown], *, before_id: str, known: Sequence[str]) -> bool:
    """Tell whether a document shows everything between the ends of a gap."""
    earlier = set(known)
    again = [Shown(each.id, each.published_at, is_new=each.id not in earlier) for each in document]
    return any(each.id == before_id for each in document) and joins(again, known)


def _kept_on_top(document: Sequence[Shown]) -> frozenset[str]:
    """Return the known entries that stand above all newer ones: pinned, they prove nothing."""
    ordered = _newest_first(document)
    new = sorted((each.published_at, place) for place, each in enumerate(ordered) if each.is_new)
    times = [published_at for published_at, _ in new]
    tops = list(accumulate((place for _, place in reversed(new)), min))[::-1]  # of those from here
    kept = set()
    for place, each in enumerate(ordered):
        newer = bisect_right(times, each.published_at)
        if not each.is_new and newer < len(new) and place < tops[newer]:
            kept.add(each.id)
    return frozenset(kept)


def _newest_first(document: Sequence[Shown]) -> list[Shown]:
    """Return a document's entries from the top, also where the vendor begins with the oldest."""
    times = [each.published_at for each in document]
    falls = sum(later < earlier for earlier, later in pairwise(times))
    rises = sum(later > earlier for earlier, later in pairwise(times))
    is_oldest_first = rises > max(falls, 1)  # one rise may be an entry that is kept on top
    return list(document)[::-1] if is_oldest_first else list(document)
