"""The published state of a source, and what changed since the last one.

``compared`` decides and takes its time: a page of megabytes is compared in half a second. So it
runs before the write transaction opens; ``store`` only writes what it found.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

import orjson
import structlog
from sqlalchemy.orm import Session

from ingest.adapters import PARSER_VERSION
from ingest.adapters.base import ParsedDocument, ParsedEntry
from ingest.snapshots.encoding import StoredState, canonical, digest_of, stored_state
from ingest.snapshots.pieces import compressed
from ingest.snapshots.retention import prune
from ingest.snapshots.snapshot import Snapshot, snapshot_of, versioned
from openapi.vocabulary import AdapterType, Json
from storage.entries.diffs import (
    StoredSnapshot,
    WrittenSnapshot,
    add_diff,
    add_snapshot,
    diff_times,
    drop_diffs,
    drop_snapshots,
    last_snapshot_key,
    snapshot_times,
)
from storage.entries.documents import timestamp

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Comparison:
    """A published state that is another than the last one.

    ``changes`` is the JSON object of what changed since ``last``; None when there is nothing to
    tell: the first state of a source, or the first one that a new parser read.
    """

    last: StoredSnapshot | None
    written: WrittenSnapshot
    changes: bytes | None


def compared(
    adapter_type: AdapterType,
    document: ParsedDocument,
    identified: Iterable[tuple[str, ParsedEntry]],
    last: StoredSnapshot | None,
    *,
    before: StoredState | None = None,
) -> Comparison | None:
    """Return what is to be stored, or None when the source publishes what it did last time.

    ``before`` is the state in ``last``, where somebody has read it already. A document that shows
    nothing at all is no published state.
    """
    parser = _parser_version(adapter_type)
    state = snapshot_of(identified, parser_version=parser, blocks=document.blocks)
    if not (state.entries or state.blocks):
        return None
    pieces = canonical(state, before)
    digest = digest_of(pieces)
    if last is not None and last.content_hash == digest:
        return None
    if last is not None and before is None:
        before = stored_state(last.body)
    body = compressed(pieces, {} if before is None else before.pieces)
    written = WrittenSnapshot(digest, body, state.parser_version, len(state.entries))
    if last is None or before is None:
        return Comparison(None, written, None)
    return Comparison(last, written, _changes(last, before.snapshot, state))


def snapshot_version(adapter_type: AdapterType) -> str:
    """Return what tells the snapshots of this program from those that it cannot compare with."""
    return versioned(_parser_version(adapter_type))


def _parser_version(adapter_type: AdapterType) -> str:
    return f"{adapter_type}-{PARSER_VERSION}"


def _changes(last: StoredSnapshot, before: Snapshot, state: Snapshot) -> bytes | None:
    from ingest.snapshots.diff import diff  # their patterns are compiled once there is a change
    from ingest.snapshots.wire import as_wire

    found = diff(before, state)
    if found is None:
        return None
    written = as_wire(found)
    changes = written["changes"]
    assert isinstance(changes, list)
    from openapi.components import component_violations  # loads the contract, once there is news

    broken = [each for change in changes for each in component_violations("Change", change)]
    if broken:
        log.error(
            "diff left out, it breaks the contract",
            last_snapshot=last.key,
            violations=[f"{each.where}: {each.sentence}" for each in broken],
        )
        return None
    return orjson.dumps(written)


def store(
    session: Session, source_id: int, comparison: Comparison | None, *, now: datetime
) -> None:
    """Store a new state and its changes, and forget what retention lets go.

    Nothing is stored when another look came first, for the changes do not start from its state.
    """
    if comparison is None:
        return
    last, written = comparison.last, comparison.written
    if last_snapshot_key(session, source_id) != (None if last is None else last.key):
        return
    key = add_snapshot(session, source_id, written, now=now)
    if last is None:
        return  # the first state of a source: there is nothing to forget
    if comparison.changes is not None:
        heads: dict[str, Json] = {
            "id": f"diff_{last.key}_{key}",
            "before": _head(last.key, last.fetched_at, last.content_hash, last.entry_count),
            "after": _head(key, now, written.content_hash, written.entry_count),
        }
        document = orjson.dumps(heads)[:-1] + b"," + comparison.changes[1:]
        add_diff(session, source_id, document=document, now=now)
    drop_snapshots(session, prune(snapshot_times(session, source_id), now=now))
    drop_diffs(session, prune(diff_times(session, source_id), now=now))


def _head(key: int, fetched_at: datetime, digest: str, entry_count: int) -> dict[str, Json]:
    """Return what /diffs says about a snapshot."""
    return {
        "snapshotId": f"snapshot_{key}",
        "fetchedAt": timestamp(fetched_at.replace(microsecond=0)),
        "contentHash": digest,
        "entryCount": entry_count,
    }
