"""The gaps of a source that a document opens or closes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from ingest.pipeline.gaps import GapEnds, ShownEntry, closes_gap, gap_between
from ingest.pipeline.history import History
from ingest.pipeline.identity import IdentifiedEntry
from storage.scheduling.gaps import NewGap


@dataclass(frozen=True, slots=True)
class GapChanges:
    """What a document changes about gaps.

    ``opened`` is a new one, ``closed`` the keys of those that it closes. ``are_open``: entries may
    be missing between the document and what is stored. ``tries`` is how often those that stay
    open could not be backfilled by now.
    """

    opened: NewGap | None = None
    closed: Sequence[int] = ()
    are_open: bool = False
    tries: Mapping[int, int | None] = field(default_factory=dict)


def find_gaps(entries: Sequence[IdentifiedEntry], history: History, *, now: datetime) -> GapChanges:
    """Compare the entries of a document with the newest that are stored.

    Entries dated in the future are ignored, unless the document has no others.
    """
    has_past = any(entry.published_at <= now for entry in entries)
    newest = history.remembered(now=now, has_past=has_past)
    earlier = [ShownEntry(entry.external_id, entry.published_at, False) for entry in newest]
    by_title = {(entry.title, entry.published_at): entry.external_id for entry in newest}
    document = []
    for entry in entries:
        same = by_title.get((entry.entry.title, entry.published_at)) if entry.is_new else None
        document.append(
            ShownEntry(same or entry.id, entry.published_at, entry.is_new and same is None)
        )
    ends = gap_between(earlier, document)
    closed = [
        gap.key
        for gap in history.gaps
        if closes_gap(document, before_id=gap.before_id, earlier_ids=gap.known)
    ]
    return GapChanges(
        opened=None if ends is None else _as_gap(ends, earlier),
        closed=closed,
        are_open=ends is not None or len(closed) < len(history.gaps),
    )


def _as_gap(ends: GapEnds, earlier: Sequence[ShownEntry]) -> NewGap:
    return NewGap(
        after_id=ends.after.id,
        after_at=ends.after.published_at,
        before_id=ends.before.id,
        before_at=ends.before.published_at,
        known=[entry.id for entry in earlier],
    )
