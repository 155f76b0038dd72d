"""Entries classified by older rules of importance, and their new classification."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import exists, select, update
from sqlalchemy.orm import Session

from storage.entries.deadline_history import DeadlineRecord
from storage.entries.deadlines import replace_deadlines
from storage.entries.documents import EntryRelease, importance_columns
from storage.entries.search.index import index_entries
from storage.models import Entry, EntryDeadline, Source


@dataclass(frozen=True, slots=True)
class OutdatedEntry:
    """A stored entry that older rules classified. ``document`` is its ChangelogEntry."""

    key: int
    content_hash: str
    document: bytes
    source_name: str


@dataclass(frozen=True, slots=True)
class RejudgedEntry:
    """The classification of an entry that had this content, by newer rules.

    ``document`` is its ChangelogEntry with the fields that it has today, ``words`` are those of
    both documents in the index of searches.
    """

    key: int
    content_hash: str
    importance: bytes | None
    deadlines: Sequence[DeadlineRecord]
    public_document: bytes
    document: bytes
    release: EntryRelease
    words: Sequence[str]


def outdated_entries(session: Session, *, version: int, most: int) -> list[OutdatedEntry]:
    """Return some entries that rules older than ``version`` classified."""
    query = (
        select(Entry.id, Entry.content_hash, Entry.document, Source.name)
        .join(Source, Source.id == Entry.source_id)
        .where(Entry.importance_version < version)
        .order_by(Entry.importance_version)  # the index; any order will do
        .limit(most)
    )
    return [OutdatedEntry(*row) for row in session.execute(query)]


def save_importance(session: Session, rejudged: Sequence[RejudgedEntry], *, version: int) -> None:
    """Store the classification by the rules of ``version``; update the counts of the sources.

    An entry that was edited or classified since it was read stays as it is.
    """
    stored = _stored(session, [entry.key for entry in rejudged], version=version)
    current = [
        entry
        for entry in rejudged
        if entry.key in stored and stored[entry.key].content_hash == entry.content_hash
    ]
    if not current:
        return
    session.execute(update(Entry), [_columns(entry, version) for entry in current])
    replace_deadlines(session, {entry.key: entry.deadlines for entry in current})
    reads_otherwise = [entry for entry in current if _reads_otherwise(entry, stored)]
    index_entries(session, {entry.key: entry.words for entry in reads_otherwise})
    _count_important(session, current, stored)


def _stored(session: Session, keys: Sequence[int], *, version: int) -> dict[int, Any]:
    """Return the entries that older rules classified, by their keys, locked until the commit."""
    query = (
        select(
            Entry.id,
            Entry.source_id,
            Entry.content_hash,
            Entry.important,
            Entry.public_document,
            exists().where(EntryDeadline.entry_id == Entry.id).label("has_deadline"),
        )
        .where(Entry.id.in_(keys), Entry.importance_version < version)
        .order_by(Entry.id)
        .with_for_update()
    )
    return {row.id: row for row in session.execute(query)}


def _columns(entry: RejudgedEntry, version: int) -> dict[str, object]:
    return {
        "id": entry.key,
        **importance_columns(entry.importance),
        "importance_version": version,
        "document": entry.document,
        "public_document": entry.public_document,
        **entry.release._asdict(),
    }


def _count_important(
    session: Session, current: Sequence[RejudgedEntry], stored: Mapping[int, Any]
) -> None:
    """Update how many important entries each source has."""
    shifts: Counter[int] = Counter()
    for entry in current:
        was = stored[entry.key]
        shifts[was.source_id] += (entry.importance is not None) - was.important
    for source_id, shift in sorted(shifts.items()):
        if shift:
            session.execute(
                update(Source)
                .where(Source.id == source_id)
                .values(important_count=Source.important_count + shift)
            )


def _reads_otherwise(entry: RejudgedEntry, stored: Mapping[int, Any]) -> bool:
    """Return whether searches have to find an entry otherwise than before."""
    was = stored[entry.key]
    marks = entry.importance is not None, bool(entry.deadlines)
    same = marks == (was.important, was.has_deadline)
    return not same or bool(entry.public_document != was.public_document)
