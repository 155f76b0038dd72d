"""The published state of a source, and what changed since the last one.

Comparing may take half a second for a page of megabytes, so ``decide_snapshot`` runs before the
write transaction is opened, and ``store_snapshot`` only writes.
"""

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from itertools import chain

import orjson
import structlog
from sqlalchemy.orm import Session

from changelog_reader.adapters import PARSER_VERSION
from changelog_reader.adapters.base import ParsedDocument, ParsedEntry
from changelog_reader.snapshots.diff import diff
from changelog_reader.snapshots.normalise import MAX_TEXT_BYTES
from changelog_reader.snapshots.snapshot import (
    Snapshot,
    SnapshotEntry,
    decode,
    encode,
    prune,
    snapshot_of,
)
from changelog_reader.snapshots.wire import UNKNOWN, ServedTexts, as_wire
from ingest.pipeline.document import Document
from ingest.pipeline.entries import EntryChanges
from openapi.validation import component_violations
from openapi.vocabulary import AdapterType, Json
from storage.entries.diffs import (
    SnapshotRecord,
    StoredSnapshot,
    add_diff,
    add_snapshot,
    diff_times,
    drop_diffs,
    drop_snapshots,
    snapshot_times,
)
from storage.entries.documents import EntryText, timestamp
from storage.entries.entry_writes import entry_texts, known_entries

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class SnapshotChange:
    """A published state that is another than the last one.

    ``changes`` is the JSON object of what changed since ``last``; None when there is nothing to
    tell: the first state of a source, or the first one that a new parser version read.
    """

    last: StoredSnapshot | None
    written: SnapshotRecord
    changes: bytes | None


def decide_snapshot(document: Document, entries: EntryChanges) -> SnapshotChange | None:
    """Return the new state of a source after a check that changes ``entries``; None: as it was."""

    def served(ids: Collection[str]) -> ServedTexts:
        """Return what is served of entries before and after, so that diffs say the same."""
        with document.ingestion.db.read() as session:
            stored = known_entries(session, document.source.source_id, ids=ids, urls=())
            texts = entry_texts(session, [entry.key for entry in stored])
        before = {text.external_id: _fields(text) for text in texts.values()}
        after = {record.text.external_id: _fields(record.text) for record in entries.records}
        return before, before | after

    return compare_snapshots(
        document.source.adapter_type,
        document.parsed,
        [(entry.id, entry.entry) for entry in document.shown],
        document.history.snapshot,
        served=served,
    )


def _fields(text: EntryText) -> dict[str, Json]:
    """Return the texts of an entry; a diff of one that is very long has its normalised text."""
    fields: dict[str, Json] = {"title": text.title, "url": text.url}
    is_long = len(text.summary or "") > MAX_TEXT_BYTES
    return fields if is_long else {**fields, "summary": text.summary}


def compare_snapshots(
    adapter_type: AdapterType,
    document: ParsedDocument,
    identified: Iterable[tuple[str, ParsedEntry]],
    last: StoredSnapshot | None,
    *,
    served: Callable[[Collection[str]], ServedTexts] = lambda _: UNKNOWN,
) -> SnapshotChange | None:
    """Return the new state of a source, or None when it publishes what it did last time.

    ``served`` returns what is served of entries with these ids. A document that shows nothing at
    all is no published state.
    """
    parser = f"{adapter_type}-{PARSER_VERSION}"
    snapshot = snapshot_of(identified, parser_version=parser, blocks=document.blocks)
    if not (snapshot.entries or snapshot.blocks):
        return None
    digest, body = encode(snapshot)
    if last is not None and last.content_hash == digest:
        return None
    written = SnapshotRecord(digest, body, snapshot.parser_version, len(snapshot.entries))
    if last is None:
        return SnapshotChange(None, written, None)
    return SnapshotChange(last, written, _changes(last, decode(last.body), snapshot, served))


def _changes(
    last: StoredSnapshot,
    before: Snapshot,
    after: Snapshot,
    served: Callable[[Collection[str]], ServedTexts],
) -> bytes | None:
    difference = diff(before, after)
    if difference is None:
        return None
    ids = {
        change.placed.item.id
        for change in difference.changes
        if isinstance(change.placed.item, SnapshotEntry)
    }
    document = as_wire(difference, served(ids) if ids else UNKNOWN)
    changes = document["changes"]
    assert isinstance(changes, list)
    violations = list(chain.from_iterable(map(partial(component_violations, "Change"), changes)))
    if violations:
        log.error(
            "diff left out because it violates the contract",
            last_snapshot=last.key,
            violations=list(map(str, violations)),
        )
        return None
    return orjson.dumps(document)


def store_snapshot(
    session: Session, source_id: int, change: SnapshotChange | None, *, now: datetime
) -> None:
    """Store a new state and its changes, and drop what retention allows to drop."""
    if change is None:
        return
    last, written = change.last, change.written
    key = add_snapshot(session, source_id, written, now=now)
    if last is None:
        return  # the first state of a source: there is nothing to drop
    if change.changes is not None:
        heads: dict[str, Json] = {
            "id": f"diff_{last.key}_{key}",
            "before": _head(last.key, last.fetched_at, last.content_hash, last.entry_count),
            "after": _head(key, now, written.content_hash, written.entry_count),
        }
        document = orjson.dumps(heads)[:-1] + b"," + change.changes[1:]
        add_diff(session, source_id, document=document, now=now)
    drop_snapshots(session, prune(snapshot_times(session, source_id), now=now))
    drop_diffs(session, prune(diff_times(session, source_id), now=now))


def _head(key: int, fetched_at: datetime, digest: str, entry_count: int) -> dict[str, Json]:
    """Return the description of a snapshot in /diffs."""
    return {
        "snapshotId": f"snapshot_{key}",
        "fetchedAt": timestamp(fetched_at.replace(microsecond=0)),
        "contentHash": digest,
        "entryCount": entry_count,
    }
