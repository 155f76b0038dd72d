"""Items of a feed that were seen before: they are neither read, nor compared, nor judged again.

When a document was read, what tells each of its items is remembered beside the state that it
showed. When the next one comes, the items whose bytes are the same, and which inherit the same,
are left out of the reading (``adapters.fast_feed``); here their places are taken by what is
stored of them. Whatever does not fit together has the whole document read.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from struct import Struct
from typing import Final

from ingest.adapters.fast_feed import FINGERPRINT_SIZE, KnownItems
from ingest.pipeline.entry_changes import EntryChanges, content_hash
from ingest.pipeline.parse import FEEDS, Document
from ingest.pipeline.snapshot_changes import snapshot_version
from ingest.pipeline.source_state import Job
from ingest.snapshots.encoding import StoredState, stored_state
from ingest.snapshots.snapshot import SeenEntry
from storage.engine.database import Database
from storage.entries.diffs import StoredSnapshot, last_snapshot
from storage.entries.entry_writes import StoredEntry, known_entries
from storage.scheduling.item_cache import StoredItems, seen_items

_HASH: Final = 16  # first characters of a content hash
# Of an item: fingerprint, content hash, whether the vendor gives the id.
_ITEM: Final = Struct(f"{FINGERPRINT_SIZE}s{_HASH}s?")


@dataclass(frozen=True, slots=True)
class Past:
    """The state that a source showed last, and the items it was read from, if they are known."""

    last: StoredSnapshot | None = None
    state: StoredState | None = None
    items: tuple[tuple[bytes, bytes, bool], ...] = ()
    basis: bytes = b""

    @property
    def known(self) -> KnownItems | None:
        """What the reader needs to pass over the items; None when there are none."""
        if not self.items:
            return None
        return KnownItems(b"".join(mark for mark, _, _ in self.items), self.basis)


def past_of(db: Database, job: Job) -> Past:
    """Read what a source showed last."""
    if job.facts.last_success_at is None and not job.entry_count:
        return Past()  # nothing of it was ever stored
    with db.read() as session:
        last = last_snapshot(session, job.source_id)
        is_feed = last is not None and job.adapter_type in FEEDS
        seen = seen_items(session, job.source_id) if is_feed else None
    if last is None or seen is None:
        return Past(last)
    is_last = (seen.body_hash, seen.snapshot_hash) == (job.facts.body_hash, last.content_hash)
    if not is_last or len(seen.items) != last.entry_count * _ITEM.size:
        return Past(last)
    state = stored_state(last.body)
    if state.snapshot.parser_version != snapshot_version(job.adapter_type):
        return Past(last)
    return Past(last, state, tuple(_ITEM.iter_unpack(seen.items)), seen.basis)


def completed(
    db: Database, job: Job, document: Document, past: Past, *, newest: Sequence[StoredEntry]
) -> Document | None:
    """Return a document with the items that were passed over, as they are stored.

    ``newest`` are stored entries that are known anyway. None when what is stored is not what it
    was.
    """
    if not document.has_passed_over or past.state is None:
        return document
    places = {at for at in document.order if at is not None}
    stored = _stored(db, job, {past.state.snapshot.entries[at].id for at in places}, newest)
    seen = {at: _seen(past, at, stored) for at in places}
    if None in seen.values():
        return None
    fresh = iter(zip(document.parsed.entries, document.marks, strict=True))
    both = [next(fresh) if at is None else (seen[at], past.items[at][0]) for at in document.order]
    entries = tuple(entry for entry, _ in both if entry is not None)
    parsed = replace(document.parsed, entries=entries)
    marks = tuple(mark for _, mark in both)
    return replace(document, parsed=parsed, marks=marks, order=(None,) * len(entries))


def _stored(
    db: Database, job: Job, ids: set[str], newest: Sequence[StoredEntry]
) -> dict[str, StoredEntry]:
    stored = {each.external_id: each for each in newest}
    missing = ids - stored.keys()
    if missing:
        with db.read() as session:
            found = known_entries(session, job.source_id, ids=missing, urls=())
        stored |= {each.external_id: each for each in found}
    return stored


def _seen(past: Past, at: int, stored: Mapping[str, StoredEntry]) -> SeenEntry | None:
    assert past.state is not None
    shown = past.state.snapshot.entries[at]
    _, said, has_vendor_id = past.items[at]
    entry = stored.get(shown.id)
    if entry is None or entry.content_hash[:_HASH].encode() != said:
        return None
    date = shown.published_at
    return SeenEntry(
        vendor_id=shown.id if has_vendor_id else None,
        title=entry.title,
        url=entry.url,
        published_at=None if date is None else datetime.fromisoformat(date),
        date_source="",
        summary=None,
        content_hash=entry.content_hash,
        shown=shown,
    )


def to_remember(
    document: Document,
    shown: EntryChanges,
    stored: Sequence[StoredEntry],
    *,
    snapshot_hash: str,
) -> StoredItems | None:
    """Return what to remember of a document's items; None when nothing tells them.

    ``shown`` is what the document means, ``stored`` what was stored of it before. An item is
    remembered only if it says what is stored now.
    """
    if document.basis is None:
        return None
    both = zip(document.parsed.entries, document.marks, strict=True)
    marks = {id(entry): mark for entry, mark in both}
    said = {each.external_id: each.content_hash for each in stored}
    said |= {each.text.external_id: each.content_hash for each in shown.new}
    said |= {each.stored.external_id: each.written.content_hash for each in shown.edited}
    records = []
    for each in shown.identified:
        entry, mark = each.entry, marks[id(each.entry)]
        is_reworded = each.id in shown.reworded
        hash_ = said.get(each.id, "") if is_reworded else content_hash(entry)
        is_stored = isinstance(entry, SeenEntry) or said.get(each.id) == hash_
        tells = is_stored and entry.vendor_id in (each.id, None)
        kept = mark if tells and mark is not None else bytes(FINGERPRINT_SIZE)
        records.append(_ITEM.pack(kept, hash_[:_HASH].encode(), entry.vendor_id is not None))
    return StoredItems(document.body_hash, snapshot_hash, document.basis, b"".join(records))
