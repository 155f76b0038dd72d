"""Retention: which snapshots and diffs of a source may be dropped."""

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import TypeVar

#: How many snapshots of a source are kept at least.
KEPT_SNAPSHOTS = 200

#: How long every snapshot is kept at least.
KEPT_FOR = timedelta(days=90)


KeyT = TypeVar("KeyT", int, str)


def prune(
    fetch_times: Iterable[tuple[KeyT, datetime]],
    *,
    now: datetime,
    newest: int = KEPT_SNAPSHOTS,
    kept_for: timedelta = KEPT_FOR,
) -> list[KeyT]:
    """Return the ids of a source's snapshots to drop, oldest first: neither recent nor newest.

    ``fetch_times`` are the ids with the times they were fetched, in any order. Of the two rules
    the one that keeps more wins (docs/decisions/0011). The newest snapshot is never dropped: the
    next diff starts from it. A source's diffs are kept by the same rule.
    """
    newest_first = sorted(
        fetch_times, key=lambda snapshot: (snapshot[1], snapshot[0]), reverse=True
    )
    dropped = [id_ for id_, at in newest_first[newest:] if at < now - kept_for]
    return dropped[::-1]
