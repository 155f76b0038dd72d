"""What hubs pushed and nobody has parsed yet."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from sqlalchemy import delete, func, or_, select, update
from sqlalchemy.orm import Session

from storage.models import FetchFacts, HubPush, HubSubscription
from storage.scheduling.due import LEASE

MOST_WAITING: Final = 4  # of one source
SPACING: Final = timedelta(minutes=1)
BURST: Final = timedelta(minutes=10)
"""A source takes ten pushes at once and sixty an hour."""
KEPT: Final = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Push:
    """A document that a hub pushed. ``topic``: the address that it is the document of."""

    id: int
    source_id: int
    topic: str
    content_type: str | None
    body: bytes


def add_push(
    session: Session,
    row: HubSubscription,
    body: bytes,
    content_type: str | None,
    *,
    now: datetime,
) -> timedelta | None:
    """Keep what a hub pushed; or return how long it has to wait, since it pushes too much."""
    accepts_at = max(row.accepts_at or now - BURST, now - BURST) + SPACING
    if accepts_at > now:
        return accepts_at - now
    waiting = select(func.count()).where(HubPush.source_id == row.source_id)
    if (session.scalar(waiting) or 0) >= MOST_WAITING:
        return SPACING
    row.accepts_at, row.pushed_at = accepts_at, now
    session.add(
        HubPush(
            source_id=row.source_id,
            received_at=now,
            content_type=None if content_type is None else content_type[:200],
            body=body,
        )
    )
    return None


def sources_with_pushes(session: Session, *, most: int) -> Sequence[int]:
    """Return the sources, by id, of the pushes that have waited the longest."""
    oldest = func.min(HubPush.id)
    query = select(HubPush.source_id).group_by(HubPush.source_id).order_by(oldest).limit(most)
    return session.scalars(query).all()


def oldest_push(session: Session, source_id: int) -> Push | None:
    """Return what is to be parsed first of a source."""
    query = (
        select(HubPush.id, HubPush.source_id, HubSubscription.topic)
        .add_columns(HubPush.content_type, HubPush.body)
        .join(HubSubscription, HubSubscription.source_id == HubPush.source_id)
        .where(HubPush.source_id == source_id)
        .order_by(HubPush.id)
        .limit(1)
    )
    row = session.execute(query).first()
    return None if row is None else Push(*row)


def lease_source(session: Session, source_id: int, *, now: datetime) -> bool:
    """Lease one source unless somebody checks it; no request is sent, so no pause matters."""
    free = or_(FetchFacts.leased_until.is_(None), FetchFacts.leased_until <= now)
    chosen = select(FetchFacts.source_id).where(FetchFacts.source_id == source_id, free)
    if session.scalar(chosen.with_for_update(skip_locked=True)) is None:
        return False
    lease = update(FetchFacts).where(FetchFacts.source_id == source_id)
    session.execute(lease.values(leased_until=now + LEASE))
    return True


def drop_push(session: Session, push_id: int) -> None:
    """Drop what was parsed, or what nobody can parse."""
    session.execute(delete(HubPush).where(HubPush.id == push_id))


def drop_stale(session: Session, *, now: datetime) -> None:
    """Drop what has waited for a day: the source was polled since."""
    session.execute(delete(HubPush).where(HubPush.received_at < now - KEPT))


def pause_pushes(session: Session, source_id: int, *, until: datetime) -> None:
    """Take no push of a source before a time: it wrote as much as others do until then."""
    session.execute(
        update(HubSubscription)
        .where(HubSubscription.source_id == source_id)
        .values(accepts_at=until)
    )
