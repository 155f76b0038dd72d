"""Entries that older rules of importance judged, and what the newer ones say of them."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import select, update
from sqlalchemy.orm import Session

from storage.entries.deadlines import DeadlineRecord, replace_deadlines
from storage.models import Entry, Source


@dataclass(frozen=True, slots=True)
class OutdatedEntry:
    """A stored entry that older rules judged. ``document`` is its ChangelogEntry."""

    key: int
    content_hash: str
    document: bytes


@dataclass(frozen=True, slots=True)
class RejudgedEntry:
    """What newer rules say of an entry that had this content."""

    key: int
    content_hash: str
    importance: bytes | None
    deadlines: Sequence[DeadlineRecord]


def outdated_entries(session: Session, *, version: int, most: int) -> list[OutdatedEntry]:
    """Return some entries that rules older than ``version`` judged."""
    query = (
        select(Entry.id, Entry.content_hash, Entry.document)
        .where(Entry.importance_version < version)
        .order_by(Entry.importance_version)  # the index; any order will do
        .limit(most)
    )
    return [OutdatedEntry(*row) for row in session.execute(query)]


def save_importance(session: Session, rejudged: Sequence[RejudgedEntry], *, version: int) -> None:
    """Store what the rules of ``version`` say, and keep the counts of the sources.

    An entry that was edited or judged since it was read keeps what it has.
    """
    query = (
        select(Entry.id, Entry.source_id, Entry.content_hash, Entry.important)
        .where(Entry.id.in_([each.key for each in rejudged]), Entry.importance_version < version)
        .order_by(Entry.id)
        .with_for_update()
    )
    stored = {row.id: row for row in session.execute(query)}
    current = [
        each
        for each in rejudged
        if each.key in stored and stored[each.key].content_hash == each.content_hash
    ]
    if not current:
        return
    changes = [
        {
            "id": each.key,
            "important": each.importance is not None,
            "importance": each.importance,
            "importance_version": version,
        }
        for each in current
    ]
    session.execute(update(Entry), changes)
    replace_deadlines(session, {each.key: each.deadlines for each in current})
    shifts: Counter[int] = Counter()
    for each in current:
        was = stored[each.key]
        shifts[was.source_id] += (each.importance is not None) - was.important
    for source_id, shift in sorted(shifts.items()):
        if shift:
            session.execute(
                update(Source)
                .where(Source.id == source_id)
                .values(important_count=Source.important_count + shift)
            )
