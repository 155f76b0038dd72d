"""The stored data of a source that a new document is compared with."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from changelog_reader.adapters.base import KnownEntry
from changelog_reader.adapters.html_result import ANCHORS
from ingest.pipeline.entry_changes import as_known_entry
from ingest.pipeline.gaps import REMEMBERED
from ingest.pipeline.source_state import LeasedSource
from ingest.scheduling.rates import WINDOW
from storage.engine.database import Database
from storage.entries.diffs import StoredSnapshot, last_snapshot
from storage.entries.entry_writes import StoredEntry, newest_entries
from storage.scheduling.gaps import OpenGap, open_gaps

MOST_TRIES: Final = 24
"""How many checks try to close a gap by older pages that cannot be fetched."""


@dataclass(frozen=True, slots=True)
class History:
    """The stored data of a source.

    ``newest`` are its newest entries, newest first, those dated in the future too: at least twice
    as many as the last document had.
    """

    newest: Sequence[StoredEntry] = ()
    gaps: Sequence[OpenGap] = ()
    snapshot: StoredSnapshot | None = None

    @property
    def anchors(self) -> list[KnownEntry]:
        """The newest entries, which a page is compared with to notice a redesign."""
        return [as_known_entry(entry) for entry in self.newest[:ANCHORS]]

    def remembered(self, *, now: datetime, has_past: bool) -> Sequence[StoredEntry]:
        """Return the newest entries; those of the future only if the document has no others."""
        if not has_past:
            return self.newest[:REMEMBERED]
        past = [entry for entry in self.newest[: 2 * REMEMBERED] if entry.published_at <= now]
        return past[:REMEMBERED]


def load_history(db: Database, source: LeasedSource, *, now: datetime) -> History:
    """Load the stored data of a source."""
    if source.state.last_success_at is None and not source.entry_count:
        return History()  # nothing is stored yet
    with db.read() as session:
        snapshot = last_snapshot(session, source.source_id)
        shown = 0 if snapshot is None else snapshot.entry_count
        most = 2 * max(REMEMBERED, shown)
        newest = newest_entries(session, source.source_id, most=most) if source.entry_count else []
        gaps = open_gaps(session, source.source_id, since=now - WINDOW)
    return History(newest, gaps, snapshot)


def needs_whole_document(db: Database, source: LeasedSource, *, now: datetime) -> bool:
    """Tell whether a document is to be parsed even if it did not change.

    So it is when older pages that could not be fetched so far are to be requested again, or what is
    looked for of single entries.
    """
    if source.lookups.is_due(now):
        return True
    if not source.state.open_gap:
        return False
    with db.read() as session:
        gaps = open_gaps(session, source.source_id, since=now - WINDOW)
    return any(gap.tries is not None and gap.tries < MOST_TRIES for gap in gaps)
