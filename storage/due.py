"""Which sources are due, and who has them: leases that a killed worker gives back by itself."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, and_, func, or_, select, update
from sqlalchemy.orm import Session

from storage.models import FetchFacts, Source

LEASE = timedelta(minutes=5)  # far longer than a fetch and a parse can take together


@dataclass(frozen=True, slots=True)
class Claim:
    """A source that is ours until the lease ends."""

    source_id: int
    slug: str
    host: str


@dataclass(frozen=True, slots=True)
class Wish:
    """A vendor's request to be left alone: asked at one address, until a time."""

    host: str
    url: str
    asked_at: datetime
    until: datetime


def is_due(now: datetime) -> ColumnElement[bool]:
    """Ask for sources whose next look has come."""
    return or_(FetchFacts.next_check_at.is_(None), FetchFacts.next_check_at <= now)


def not_attempted_since(start: datetime) -> ColumnElement[bool]:
    """Ask for sources that a sweep begun at ``start`` has still to look at."""
    return or_(FetchFacts.last_attempt_at.is_(None), FetchFacts.last_attempt_at < start)


def claim(
    session: Session,
    *conditions: ColumnElement[bool],
    now: datetime,
    most: int,
    per_host: int,
    avoid: Collection[str] = (),
) -> list[Claim]:
    """Lease some sources that fulfil the conditions, the longest due first, few of each host.

    Left out are sources that somebody has, that asked to be left alone (Retry-After), and those
    of hosts to ``avoid``.
    """
    free = and_(
        or_(FetchFacts.leased_until.is_(None), FetchFacts.leased_until <= now),
        or_(FetchFacts.retry_after_at.is_(None), FetchFacts.retry_after_at <= now),
    )
    oldest_first = (FetchFacts.next_check_at.asc().nulls_first(), FetchFacts.source_id)
    candidates = (
        select(
            FetchFacts.source_id,
            FetchFacts.next_check_at,
            func.row_number()
            .over(partition_by=FetchFacts.host, order_by=oldest_first)
            .label("place"),
        )
        .where(free, FetchFacts.host.not_in(avoid), *conditions)
        .subquery()
    )
    picked = (
        select(candidates.c.source_id)
        .where(candidates.c.place <= per_host)
        .order_by(candidates.c.next_check_at.asc().nulls_first(), candidates.c.source_id)
        .limit(most)
    )
    leased = session.scalars(
        update(FetchFacts)
        .where(FetchFacts.source_id.in_(session.scalars(picked).all()), free)
        .values(leased_until=now + LEASE)
        .returning(FetchFacts.source_id)
    ).all()
    return _as_claims(session, leased)


def _as_claims(session: Session, source_ids: Sequence[int]) -> list[Claim]:
    query = (
        select(FetchFacts.source_id, Source.slug, FetchFacts.host)
        .join(Source, Source.id == FetchFacts.source_id)
        .where(FetchFacts.source_id.in_(source_ids))
        .order_by(FetchFacts.source_id)
    )
    return [Claim(*row) for row in session.execute(query)]


def release(session: Session, source_ids: Collection[int]) -> None:
    """Give back sources that were claimed and not looked at."""
    session.execute(
        update(FetchFacts).where(FetchFacts.source_id.in_(source_ids)).values(leased_until=None)
    )


def wishes(session: Session, *, now: datetime) -> list[Wish]:
    """Return every Retry-After that still holds."""
    query = select(
        FetchFacts.host, FetchFacts.feed_url, FetchFacts.last_attempt_at, FetchFacts.retry_after_at
    ).where(FetchFacts.retry_after_at > now)
    return [
        Wish(host, url, asked_at, until)
        for host, url, asked_at, until in session.execute(query)
        if asked_at is not None and until is not None
    ]
