"""What a document changes about the gaps of a source: the one that opens, those that close."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from ingest.pipeline.gaps import Ends, Shown, gap_between, spans
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

    Entries of the future prove nothing where they stand above others, so they are left out; in a
    document that has no others they are all there is to go by.
    """
    has_past = any(each.published_at <= now for each in entries)
    newest = history.remembered(now=now, has_past=has_past)
    known = [Shown(each.external_id, each.published_at, False) for each in newest]
    by_title = {(each.title, each.published_at): each.external_id for each in newest}
    document = []
    for each in entries:
        same = by_title.get((each.entry.title, each.published_at)) if each.is_new else None
        document.append(Shown(same or each.id, each.published_at, each.is_new and same is None))
    ends = gap_between(known, document)
    closed = [
        gap.key for gap in history.gaps if spans(document, before_id=gap.before_id, known=gap.known)
    ]
    return GapChanges(
        opened=None if ends is None else _as_gap(ends, known),
        closed=closed,
        are_open=ends is not None or len(closed) < len(history.gaps),
    )


def _as_gap(ends: Ends, known: Sequence[Shown]) -> NewGap:
    return NewGap(
        after_id=ends.after.id,
        after_at=ends.after.published_at,
        before_id=ends.before.id,
        before_at=ends.before.published_at,
        known=[each.id for each in known],
    )
