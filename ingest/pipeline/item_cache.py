"""A cache of the items of a feed, so that unchanged ones are not parsed and compared again.

With the snapshot of a document, a fingerprint of each of its items is stored. When the next one
comes, the parser skips the items whose bytes and context are the same
(``ingest.adapters.fast_feed``), and the stored entries are put in their places.
If anything does not match, the whole document is parsed.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from struct import Struct
from typing import Final

from sqlalchemy.orm import Session

from ingest.adapters.fast_feed import FINGERPRINT_SIZE, KnownItems
from ingest.pipeline.content_match import content_hash
from ingest.pipeline.entry_changes import EntryChanges
from ingest.pipeline.identity import IdentifiedEntry
from ingest.pipeline.parse import FEEDS, SourceDocument
from ingest.pipeline.snapshot_changes import snapshot_version
from ingest.pipeline.source_state import LeasedSource
from ingest.snapshots.encoding import StoredState, stored_state
from ingest.snapshots.snapshot import SkippedEntry
from storage.engine.database import Database
from storage.entries.diffs import StoredSnapshot
from storage.entries.entry_writes import StoredEntry, known_entries
from storage.scheduling.item_cache import CachedItems, load_items

_HASH: Final = 16  # first characters of a content hash
# Of an item: fingerprint, content hash, whether the vendor gives the id.
_ITEM: Final = Struct(f"{FINGERPRINT_SIZE}s{_HASH}s?")


@dataclass(frozen=True, slots=True)
class ItemCache:
    """The state that a source showed last, and the items it was read from.

    An item is its fingerprint, the beginning of its content hash, and whether the vendor gives
    its id.
    """

    state: StoredState
    items: Sequence[tuple[bytes, bytes, bool]]
    basis: bytes

    @property
    def known_items(self) -> KnownItems:
        """What the parser needs to skip the items."""
        return KnownItems(b"".join(fingerprint for fingerprint, _, _ in self.items), self.basis)


def load_item_cache(
    session: Session, source: LeasedSource, last: StoredSnapshot | None
) -> ItemCache | None:
    """Return the items of the last document; None when they are not those of its snapshot."""
    if last is None or source.adapter_type not in FEEDS:
        return None
    cached = load_items(session, source.source_id)
    if cached is None or not cached.items:
        return None
    is_last = (cached.body_hash, cached.snapshot_hash) == (
        source.state.body_hash,
        last.content_hash,
    )
    if not is_last or len(cached.items) != last.entry_count * _ITEM.size:
        return None
    state = stored_state(last.body)
    if state.snapshot.parser_version != snapshot_version(source.adapter_type):
        return None
    return ItemCache(state, tuple(_ITEM.iter_unpack(cached.items)), cached.basis)


def restore_skipped(
    db: Database,
    source: LeasedSource,
    document: SourceDocument,
    cache: ItemCache,
    *,
    newest: Sequence[StoredEntry],
) -> SourceDocument | None:
    """Return a document with the stored entries in the places of the items that were skipped.

    ``newest`` are stored entries that are loaded anyway. None when the stored entries have
    changed.
    """
    if not document.has_skipped:
        return document
    places = {place for place in document.order if place is not None}
    ids = {cache.state.snapshot.entries[place].id for place in places}
    stored = _stored(db, source, ids, newest)
    restored = {place: _restored(cache, place, stored) for place in places}
    if None in restored.values():
        return None
    parsed = iter(zip(document.parsed.entries, document.fingerprints, strict=True))
    both = [
        next(parsed) if place is None else (restored[place], cache.items[place][0])
        for place in document.order
    ]
    entries = tuple(entry for entry, _ in both if entry is not None)
    return replace(
        document,
        parsed=replace(document.parsed, entries=entries),
        fingerprints=tuple(fingerprint for _, fingerprint in both),
        order=(None,) * len(entries),
    )


def _stored(
    db: Database, source: LeasedSource, ids: set[str], newest: Sequence[StoredEntry]
) -> dict[str, StoredEntry]:
    stored = {entry.external_id: entry for entry in newest}
    missing = ids - stored.keys()
    if missing:
        with db.read() as session:
            older = known_entries(session, source.source_id, ids=missing, urls=())
        stored |= {entry.external_id: entry for entry in older}
    return stored


def _restored(
    cache: ItemCache, place: int, stored: Mapping[str, StoredEntry]
) -> SkippedEntry | None:
    shown = cache.state.snapshot.entries[place]
    _, digest, has_vendor_id = cache.items[place]
    entry = stored.get(shown.id)
    if entry is None or entry.content_hash[:_HASH].encode() != digest:
        return None
    date = shown.published_at
    return SkippedEntry(
        vendor_id=shown.id if has_vendor_id else None,
        title=entry.title,
        url=entry.url,
        published_at=None if date is None else datetime.fromisoformat(date),
        date_source="",
        summary=None,
        content_hash=entry.content_hash,
        shown=shown,
    )


def items_to_store(
    document: SourceDocument,
    shown: Sequence[IdentifiedEntry],
    changes: EntryChanges,
    stored: Sequence[StoredEntry],
    *,
    snapshot_hash: str,
) -> CachedItems | None:
    """Return the items of a document for the next one; None when they have no fingerprints.

    ``shown`` are its entries, ``changes`` what is stored now, ``stored`` what was stored before.
    An item may be skipped only if it is what is stored now.
    """
    if document.basis is None:
        return None
    both = zip(document.parsed.entries, document.fingerprints, strict=True)
    fingerprints = {id(entry): fingerprint for entry, fingerprint in both}
    hashes = {entry.external_id: entry.content_hash for entry in stored}
    hashes |= {entry.text.external_id: entry.content_hash for entry in changes.new}
    hashes |= {edit.stored.external_id: edit.written.content_hash for edit in changes.edited}
    records = []
    for identified in shown:
        entry, fingerprint = identified.entry, fingerprints[id(identified.entry)]
        is_reworded = identified.id in changes.reworded
        digest = hashes.get(identified.id, "") if is_reworded else content_hash(entry)
        is_stored = isinstance(entry, SkippedEntry) or hashes.get(identified.id) == digest
        may_skip = is_stored and entry.vendor_id in (identified.id, None)
        stored_fingerprint = (
            fingerprint if may_skip and fingerprint is not None else bytes(FINGERPRINT_SIZE)
        )
        records.append(
            _ITEM.pack(stored_fingerprint, digest[:_HASH].encode(), entry.vendor_id is not None)
        )
    body_hash = document.response.body_hash
    return CachedItems(body_hash, snapshot_hash, document.basis, b"".join(records))
