"""Earlier revisions of entries and how long they are kept (docs/decisions/0236)."""

from collections.abc import Collection, Sequence
from datetime import datetime

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from storage.models import Entry, EntryRevision


def entries_with_old_revisions(
    session: Session, source_id: int, *, before: datetime, most: int
) -> Sequence[int]:
    """Return the keys of some entries of a source with a revision that was replaced before then."""
    of_entry = select(EntryRevision.entry_id).where(
        EntryRevision.entry_id == Entry.id, EntryRevision.replaced_at < before
    )
    query = select(Entry.id).where(Entry.source_id == source_id, of_entry.exists())
    return session.scalars(query.limit(most)).all()


def drop_revisions(session: Session, keys: Collection[int], *, before: datetime) -> int:
    """Delete the revisions of entries that were replaced before then; return how many.

    Their changes keep their numbers, and show the entry as it is now.
    """
    old = (EntryRevision.entry_id.in_(keys), EntryRevision.replaced_at < before)
    dropped = delete(EntryRevision).where(*old).returning(EntryRevision.revision)
    return len(session.scalars(dropped).all())
