"""What ingestion is doing and how far behind it is, as the database shows it."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, func, select
from sqlalchemy.orm import Session

from openapi.vocabulary import Health, RequestStatus
from storage.models import FetchFacts, Gap, Source, SourceRequest
from storage.scheduling.due import is_due


@dataclass(frozen=True, slots=True)
class Progress:
    """Ingestion in figures.

    ``due`` sources wait for a check, the longest of them since ``due_since``; ``leased`` ones
    are held by a worker. ``read_at`` is the last success of any source.
    """

    by_health: dict[Health, int]
    due: int
    due_since: datetime | None
    leased: int
    attempted_last_hour: int
    failing: int
    read_at: datetime | None
    entries: int
    open_gaps: int
    open_requests: int


@dataclass(frozen=True, slots=True)
class CheckInProgress:
    """A source that a worker is checking, until its lease ends."""

    slug: str
    leased_until: datetime


@dataclass(frozen=True, slots=True)
class LastCheck:
    """The last check of a source. ``failure`` is None where it succeeded."""

    slug: str
    at: datetime
    failure: str | None
    next_check_at: datetime | None


def progress(session: Session, *, now: datetime) -> Progress:
    """Count what ingestion has done and what is left."""
    health = select(Source.health, func.count()).group_by(Source.health)
    counted: dict[Health, int] = dict(session.execute(health).all())
    due, due_since = session.execute(
        select(func.count(), func.min(FetchFacts.next_check_at)).where(is_due(now))
    ).one()
    held = FetchFacts.leased_until > now
    recent = FetchFacts.last_attempt_at > now - timedelta(hours=1)
    pending = SourceRequest.status.in_(
        (RequestStatus.PENDING, RequestStatus.CHECKING, RequestStatus.NEEDS_REVIEW)
    )
    return Progress(
        by_health={health_state: counted.get(health_state, 0) for health_state in Health},
        due=due,
        due_since=due_since,
        leased=_count(session, held),
        attempted_last_hour=_count(session, recent),
        failing=_count(session, FetchFacts.failures > 0),
        read_at=session.scalar(select(func.max(FetchFacts.last_success_at))),
        entries=int(session.scalar(select(func.coalesce(func.sum(Source.entry_count), 0))) or 0),
        open_gaps=_count(session, Gap.closed_at.is_(None)),
        open_requests=_count(session, pending),
    )


def checks_in_progress(session: Session, *, now: datetime, most: int) -> list[CheckInProgress]:
    """Return the sources that are leased now, those whose lease ends first before others."""
    query = (
        select(Source.slug, FetchFacts.leased_until)
        .join(Source, Source.id == FetchFacts.source_id)
        .where(FetchFacts.leased_until > now)
        .order_by(FetchFacts.leased_until, Source.slug)
        .limit(most)
    )
    rows = session.execute(query).all()
    return [CheckInProgress(slug, until) for slug, until in rows if until is not None]


def last_checks(session: Session, *, most: int) -> list[LastCheck]:
    """Return the sources that were checked last, the latest first."""
    query = (
        select(
            Source.slug,
            FetchFacts.last_attempt_at,
            FetchFacts.last_failure,
            FetchFacts.next_check_at,
        )
        .join(Source, Source.id == FetchFacts.source_id)
        .where(FetchFacts.last_attempt_at.is_not(None))
        .order_by(FetchFacts.last_attempt_at.desc(), Source.slug)
        .limit(most)
    )
    rows = session.execute(query).all()
    return [
        LastCheck(slug, at, failure, next_check_at)
        for slug, at, failure, next_check_at in rows
        if at is not None
    ]


def _count(session: Session, condition: ColumnElement[bool]) -> int:
    return session.scalar(select(func.count()).where(condition)) or 0
