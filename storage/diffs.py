"""Snapshots of what sources published, and the changes between them (specification 4.4)."""

from dataclasses import dataclass

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from storage.models import Diff, Snapshot

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
