"""The last step of a look: keep the published state, and what changed since the last one."""

from collections.abc import Iterable
from datetime import datetime

import orjson
from sqlalchemy.orm import Session

from ingest.adapters import PARSER_VERSION
from ingest.adapters.base import ParsedDocument, ParsedEntry
from ingest.bookkeeping import Job
from ingest.snapshots.diff import diff
from ingest.snapshots.encoding import content_hash, decode, encode
from ingest.snapshots.retention import prune
from ingest.snapshots.snapshot import snapshot_of
from ingest.snapshots.wire import as_wire
from openapi.vocabulary import Json
from storage.diffs import (
    add_diff,
    add_snapshot,
    body_of,
    drop_snapshots,
    last_snapshot,
    snapshot_times,
)
from storage.documents import timestamp
from storage.models import Snapshot


def compare(
    session: Session,
    job: Job,
    document: ParsedDocument,
    identified: Iterable[tuple[str, ParsedEntry]],
    *,
    now: datetime,
) -> None:
    """Store a snapshot if the published state is another than last time, and the diff."""
    state = snapshot_of(identified, parser_version=str(PARSER_VERSION), blocks=document.blocks)
    digest = content_hash(state)
    last = last_snapshot(session, job.source_id)
    if last is not None and last.content_hash == digest:
        return
    snapshot = add_snapshot(
        session,
        job.source_id,
        content_hash=digest,
        body=encode(state),
        parser_version=state.parser_version,
        entry_count=len(state.entries),
        now=now,
    )
    if last is None:
        return
    changes = diff(decode(body_of(session, last)), state)
    if changes is not None:
        written: dict[str, Json] = {
            "id": f"diff_{last.id}_{snapshot.id}",
            "before": head_of(last),
            "after": head_of(snapshot),
            **as_wire(changes),
        }
        add_diff(session, last, snapshot, document=orjson.dumps(written))
    taken = [(str(key), at) for key, at in snapshot_times(session, job.source_id)]
    drop_snapshots(session, [int(key) for key in prune(taken, now=now)])


def head_of(snapshot: Snapshot) -> dict[str, Json]:
    """Return what /diffs says about a snapshot."""
    return {
        "snapshotId": f"snapshot_{snapshot.id}",
        "fetchedAt": timestamp(snapshot.fetched_at.replace(microsecond=0)),
        "contentHash": snapshot.content_hash,
        "entryCount": snapshot.entry_count,
    }
