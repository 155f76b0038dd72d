"""What ingestion is doing and how far behind it is, as the database shows it."""

from dataclasses import dataclass
from datetime import datetime

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
    failing: int
    read_at: datetime | None
    entries: int
    open_gaps: int
    open_requests: int


def progress(session: Session, *, now: datetime) -> Progress:
    """Count what ingestion has done and what is left."""
    health = select(Source.health, func.count()).group_by(Source.health)
    counted: dict[Health, int] = dict(session.execute(health).all())
    due, due_since = session.execute(
        select(func.count(), func.min(FetchFacts.next_check_at)).where(is_due(now))
    ).one()
    held = FetchFacts.leased_until > now
    pending = SourceRequest.status.in_(
        (RequestStatus.PENDING, RequestStatus.CHECKING, RequestStatus.NEEDS_REVIEW)
    )
    return Progress(
        by_health={health_state: counted.get(health_state, 0) for health_state in Health},
        due=due,
        due_since=due_since,
        leased=_count(session, held),
        failing=_count(session, FetchFacts.failures > 0),
        read_at=session.scalar(select(func.max(FetchFacts.last_success_at))),
        entries=int(session.scalar(select(func.coalesce(func.sum(Source.entry_count), 0))) or 0),
        open_gaps=_count(session, Gap.closed_at.is_(None)),
        open_requests=_count(session, pending),
    )


def _count(session: Session, condition: ColumnElement[bool]) -> int:
    return session.scalar(select(func.count()).where(condition)) or 0
