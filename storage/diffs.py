"""Snapshots of what sources published, and the changes between them (specification 4.4)."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import delete, exists, func, select
from sqlalchemy.orm import Session

from storage.models import Diff, Snapshot, SnapshotBody
from storage.upsert import insert_into

NEWEST = 20


@dataclass(frozen=True, slots=True)
class DiffPage:
    """Stored JSON objects, newest first. ``total`` counts all diffs of the source."""

    total: int
    documents: list[bytes]


def newest_diffs(session: Session, source_id: int) -> DiffPage:
    """Return the newest 20 changes of a source."""
    of_source = Diff.source_id == source_id
    total = session.scalar(select(func.count()).select_from(Diff).where(of_source)) or 0
    query = select(Diff.document).where(of_source).order_by(Diff.id.desc()).limit(NEWEST)
    return DiffPage(total, list(session.scalars(query)))


def last_snapshot(session: Session, source_id: int) -> Snapshot | None:
    """Return the newest snapshot of a source, or None."""
    query = select(Snapshot).where(Snapshot.source_id == source_id)
    return session.scalar(query.order_by(Snapshot.id.desc()).limit(1))


def body_of(session: Session, snapshot: Snapshot) -> bytes:
    """Return the compressed state of a snapshot."""
    return session.get_one(SnapshotBody, snapshot.content_hash).body


def add_snapshot(
    session: Session,
    source_id: int,
    *,
    content_hash: str,
    body: bytes,
    parser_version: str,
    entry_count: int,
    now: datetime,
) -> Snapshot:
    """Add a snapshot; its body is stored only if no equal one is."""
    kept = insert_into(session, SnapshotBody).values(digest=content_hash, body=body)
    session.execute(kept.on_conflict_do_nothing())
    snapshot = Snapshot(
        source_id=source_id,
        fetched_at=now,
        content_hash=content_hash,
        parser_version=parser_version,
        entry_count=entry_count,
    )
    session.add(snapshot)
    session.flush()
    return snapshot


def add_diff(session: Session, before: Snapshot, after: Snapshot, *, document: bytes) -> None:
    """Add what changed between two snapshots of one source."""
    session.add(
        Diff(source_id=after.source_id, before_id=before.id, after_id=after.id, document=document)
    )
    session.flush()


def snapshot_times(session: Session, source_id: int) -> list[tuple[int, datetime]]:
    """Return the ids of a source's snapshots with their times, newest first."""
    query = select(Snapshot.id, Snapshot.fetched_at).where(Snapshot.source_id == source_id)
    return [(key, at) for key, at in session.execute(query.order_by(Snapshot.id.desc()))]


def drop_snapshots(session: Session, ids: Collection[int]) -> None:
    """Forget snapshots, the diffs that begin or end at them, and bodies that none needs."""
    dropped = Snapshot.id.in_(ids)
    digests = set(session.scalars(select(Snapshot.content_hash).where(dropped)))
    session.execute(delete(Snapshot).where(dropped))
    needed = exists().where(Snapshot.content_hash == SnapshotBody.digest)
    session.execute(
        delete(SnapshotBody).where(SnapshotBody.digest.in_(digests), ~needed),
        execution_options={"synchronize_session": False},
    )
