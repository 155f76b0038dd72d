"""What vendors changed in entries after they had published them."""

from datetime import datetime
from typing import NamedTuple

from sqlalchemy import select
from sqlalchemy.orm import Session

from storage.models import Entry, EntryRevision, Source


class EntryEdit(NamedTuple):
    """The last edit of an entry: its ChangelogEntry as it is and as it was before."""

    source: str
    source_name: str
    address: str
    document: bytes
    before: bytes
    edited_at: datetime


def newest_edits(session: Session, *, most: int, offset: int = 0) -> list[EntryEdit]:
    """Return the last edits of listed entries, the newest first."""
    query = (
        select(
            *(Source.slug, Source.name, Entry.address, Entry.document),
            *(EntryRevision.document, EntryRevision.replaced_at),
        )
        .join(Entry, Entry.id == EntryRevision.entry_id)
        .join(Source, Source.id == Entry.source_id)
        .where(Entry.listed, EntryRevision.revision + 1 == Entry.revision)
        .order_by(EntryRevision.replaced_at.desc(), EntryRevision.entry_id.desc())
        .with_hint(Entry, "NOT INDEXED", "sqlite")  # would look for edits of each entry
    )
    return [EntryEdit(*row) for row in session.execute(query.limit(most).offset(offset))]
