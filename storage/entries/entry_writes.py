"""Entries as ingestion reads and writes them (docs/decisions/0015)."""

import hashlib
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from operator import attrgetter
from typing import NamedTuple

from sqlalchemy import insert, select, update
from sqlalchemy.orm import Session

from storage.engine.statements import batches, rows_among
from storage.engine.types import AnySelect
from storage.entries.addresses import free_addresses
from storage.entries.deadline_history import DeadlineRecord
from storage.entries.deadlines import replace_deadlines
from storage.entries.documents import (
    EntryText,
    both_documents,
    entry_text,
    importance_columns,
    release_of,
    with_inherited,
)
from storage.entries.search.index import index_entries, words_of_documents
from storage.models import Entry, EntryRevision, Source

_BATCH = 512  # values of one list in a statement; SQLite takes 32,766 in all
NEWEST_TIMES = 1000  # more than enough to know a rhythm


class StoredEntry(NamedTuple):
    """A stored entry, as identity and edit detection need it."""

    key: int
    external_id: str
    url: str | None
    title: str
    published_at: datetime
    content_hash: str
    revision: int
    important: bool
    listed: bool = True


_ENTRIES: AnySelect = select(
    Entry.id, *(getattr(Entry, name) for name in StoredEntry._fields if name != "key")
)


@dataclass(frozen=True, slots=True)
class EntryRecord:
    """An entry as it is to be stored. ``importance`` is a JSON object, None when it has none.

    ``documents`` are those of ``text`` and ``words`` those of the documents in the index of
    searches, where they were made already, before the transaction. ``listed`` and
    ``announced`` are set when an entry is new; an edit that dates nothing leaves them as they are.
    """

    text: EntryText
    content_hash: str
    importance: bytes | None
    importance_version: int
    deadlines: Sequence[DeadlineRecord] = ()
    documents: tuple[bytes, bytes] | None = None
    words: Sequence[str] | None = None
    listed: bool = True
    announced: bool = True


@dataclass(frozen=True, slots=True)
class Edit:
    """A stored entry and its new content.

    ``dated``: the entry was undated history and gets the date of ``written``, which lists it.
    """

    stored: StoredEntry
    written: EntryRecord
    dated: bool = False


def known_entries(
    session: Session, source_id: int, *, ids: Collection[str], urls: Collection[str]
) -> list[StoredEntry]:
    """Return the source's entries that have one of these ids or one of these urls, newest first.

    They are sorted here: with ORDER BY, SQLite would read all entries of the source instead.
    """
    entries: dict[int, StoredEntry] = {}
    for batch in batches(sorted(ids), _BATCH):
        query = _ENTRIES.where(Entry.source_id == source_id, Entry.external_id.in_(batch))
        entries |= {row[0]: StoredEntry(*row) for row in session.execute(query)}
    for batch in batches(sorted(urls), _BATCH):
        same = (Entry.url_key.in_(list(map(url_key, batch))), Entry.url.in_(batch))
        query = _ENTRIES.where(Entry.source_id == source_id, *same)
        entries |= {row[0]: StoredEntry(*row) for row in session.execute(query)}
    return sorted(entries.values(), key=attrgetter("published_at", "external_id"), reverse=True)


def url_key(url: str) -> int:
    """Return a 64-bit index key of an address."""
    digest = hashlib.sha256(url.encode("utf-8", "surrogatepass")).digest()
    return int.from_bytes(digest[:8], "big", signed=True)


def newest_entries(session: Session, source_id: int, *, most: int) -> list[StoredEntry]:
    """Return a source's newest entries, newest first."""
    query = _ENTRIES.where(Entry.source_id == source_id).limit(most)
    rows = session.execute(query.order_by(Entry.published_at.desc(), Entry.external_id.desc()))
    return list(map(StoredEntry._make, rows))


def entry_texts(session: Session, keys: Collection[int]) -> dict[int, EntryText]:
    """Return the texts of these entries, by their keys."""
    rows = rows_among(session, select(Entry.id, Entry.document), Entry.id, keys)
    return {key: entry_text(document) for key, document in rows}


def publish_times(session: Session, source_id: int) -> list[datetime]:
    """Return when the source's newest listed entries were published, newest first."""
    query = select(Entry.published_at).where(Entry.source_id == source_id, Entry.listed)
    return [*session.scalars(query.order_by(Entry.published_at.desc()).limit(NEWEST_TIMES))]


def save_entries(
    session: Session,
    source_id: int,
    *,
    new: Sequence[EntryRecord],
    edited: Sequence[Edit],
    now: datetime,
    unindexed: dict[int, Sequence[str]] | None = None,
) -> None:
    """Store new entries and edits with the revisions they replace; update the counts.

    The database numbers each of them for followers (``changes``): new ones in the order in
    which the vendor published them, then edits. ``unindexed`` gets their words, by key, for one
    call of ``index_entries`` at the end of a transaction; without it they are indexed here.
    """
    rows, keys = _new_rows(session, source_id, new, now), dict[str, int]()
    if rows:
        added = insert(Entry).returning(Entry.external_id, Entry.id)
        keys = dict(session.connection().execute(added, rows).all())
    for edit in edited:
        _replace(session, edit, now)
    deadlines = {keys[entry.text.external_id]: entry.deadlines for entry in new if entry.deadlines}
    deadlines |= {edit.stored.key: edit.written.deadlines for edit in edited}
    if deadlines:
        replace_deadlines(session, deadlines, edited_at=now)
    important = sum(entry.importance is not None for entry in new) + sum(
        (edit.written.importance is not None) - edit.stored.important for edit in edited
    )
    if new or important:
        counted = {
            "entry_count": Source.entry_count + len(new),
            "important_count": Source.important_count + important,
        }
        session.execute(update(Source).where(Source.id == source_id).values(counted))
    words = {} if unindexed is None else unindexed
    words |= {keys[entry.text.external_id]: _words(entry) for entry in new}
    words |= {edit.stored.key: _words(edit.written) for edit in edited}
    if unindexed is None:
        index_entries(session, words)


def _new_rows(
    session: Session, source_id: int, new: Sequence[EntryRecord], now: datetime
) -> list[dict[str, object]]:
    published = sorted(new, key=attrgetter("text.published_at", "text.external_id"))
    dated = ((entry.text.published_at, entry.text.title) for entry in published)
    return [
        _columns(entry)
        | {
            "source_id": source_id,
            "external_id": entry.text.external_id,
            "published_at": entry.text.published_at,
            "revision": 1,
            "first_seen_at": now,
            "changed_at": now,
            "listed": entry.listed,
            "announced": entry.announced,
            "address": address,
        }
        for entry, address in zip(published, free_addresses(session, source_id, dated), strict=True)
    ]


def _words(written: EntryRecord) -> Sequence[str]:
    return written.words or words_of_documents(*written.documents or both_documents(written.text))


def _columns(written: EntryRecord) -> dict[str, object]:
    text = written.text
    document, public = written.documents or both_documents(text)
    return {
        "title": text.title,
        "url": text.url,
        "url_key": None if text.url is None else url_key(text.url),
        "content_hash": written.content_hash,
        **importance_columns(written.importance),
        "importance_version": written.importance_version,
        "document": document,
        "public_document": public,
        **release_of(text)._asdict(),
    }


def _replace(session: Session, edit: Edit, now: datetime) -> None:
    this = Entry.id == edit.stored.key
    before = session.scalars(select(Entry.document).where(this)).one()
    session.add(
        EntryRevision(
            entry_id=edit.stored.key,
            revision=edit.stored.revision,
            replaced_at=now,
            document=before,
        )
    )
    columns = _columns(edit.written)
    columns["revision"] = edit.stored.revision + 1
    if edit.dated:
        columns |= {"published_at": edit.written.text.published_at, "listed": True}
    session.execute(update(Entry).where(this).values(changed_at=now, **columns))


def retag_entries(session: Session, source_ids: Iterable[int]) -> None:
    """Rewrite stored entries with the vendor and tags that their sources have now.

    Headlines hold the source's name, so the entries are classified again in the background.
    """
    for source_id in source_ids:
        source = session.get_one(Source, source_id)
        query = select(Entry.id, Entry.document, Entry.public_document).where(
            Entry.source_id == source_id
        )
        for batch in batches(session.execute(query).all(), _BATCH):
            changes = [
                {
                    "id": key,
                    "document": with_inherited(document, source.vendor, source.tags),
                    "public_document": with_inherited(public, source.vendor, source.tags),
                    "importance_version": 0,
                }
                for key, document, public in batch
            ]
            session.execute(update(Entry), changes)
