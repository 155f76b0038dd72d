"""Progress of ingestion: current work, delay, failures, and the health of the last days."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from sqlalchemy import ColumnElement, func, select
from sqlalchemy.orm import Session

from openapi.vocabulary import Health, RequestStatus
from storage.models import FetchFacts, Gap, Source, SourceRequest
from storage.scheduling.due import is_due
from storage.scheduling.health_days import last_days

_IS_FAILING = (FetchFacts.failures > 0, FetchFacts.last_failure.is_not(None))
_RECORD: Final = select(
    FetchFacts.health_days, FetchFacts.health_days_until, FetchFacts.next_check_at
)


@dataclass(frozen=True, slots=True)
class Progress:
    """Ingestion in figures.

    ``due`` sources wait for a check, the longest of them since ``due_since``. ``read_at`` is the
    last success of any source.
    """

    by_health: dict[Health, int]
    due: int
    due_since: datetime | None
    failing: int
    read_at: datetime | None
    entries: int
    open_gaps: int
    open_requests: int


def progress(session: Session, *, now: datetime) -> Progress:
    """Count finished and remaining checks."""
    health = select(Source.health, func.count()).where(~Source.on_demand).group_by(Source.health)
    counted: dict[Health, int] = dict(session.execute(health).all())
    due, due_since = session.execute(
        select(func.count(), func.min(FetchFacts.next_check_at)).where(is_due(now))
    ).one()
    pending = SourceRequest.status.in_(
        (RequestStatus.PENDING, RequestStatus.CHECKING, RequestStatus.NEEDS_REVIEW)
    )
    return Progress(
        by_health={health_state: counted.get(health_state, 0) for health_state in Health},
        due=due,
        due_since=due_since,
        failing=_count(session, FetchFacts.failures > 0),
        read_at=session.scalar(select(func.max(FetchFacts.last_success_at))),
        entries=int(session.scalar(select(func.coalesce(func.sum(Source.entry_count), 0))) or 0),
        open_gaps=_count(session, Gap.closed_at.is_(None)),
        open_requests=_count(session, pending),
    )


def _count(session: Session, condition: ColumnElement[bool]) -> int:
    return session.scalar(select(func.count()).where(condition)) or 0


@dataclass(frozen=True, slots=True)
class FailingSource:
    """A source whose last check failed. ``message`` may name its feed address."""

    slug: str
    failure: str | None
    message: str | None
    failures: int
    first_failed_at: datetime | None


def failures_by_reason(session: Session) -> list[tuple[str, int]]:
    """Return how many sources fail for each reason, the most frequent first."""
    count = func.count()
    query = select(FetchFacts.last_failure, count).where(*_IS_FAILING)
    query = query.group_by(FetchFacts.last_failure).order_by(count.desc(), FetchFacts.last_failure)
    return [(reason, number) for reason, number in session.execute(query) if reason is not None]


def failing_sources(session: Session) -> list[FailingSource]:
    """Return the sources whose last check failed, those that fail the longest first."""
    query = select(
        Source.slug,
        FetchFacts.last_failure,
        FetchFacts.last_message,
        FetchFacts.failures,
        FetchFacts.first_failed_at,
    ).join(FetchFacts, FetchFacts.source_id == Source.id)
    query = query.where(*_IS_FAILING).order_by(FetchFacts.first_failed_at, Source.slug)
    return [FailingSource(*row) for row in session.execute(query)]


def health_of_days(session: Session, source_id: int, *, now: datetime) -> str:
    """Return the letters of the last 90 days of a source, today last."""
    row = session.execute(_RECORD.where(FetchFacts.source_id == source_id)).one_or_none()
    return last_days("", None, now=now) if row is None else last_days(*row, now=now)


def health_of_all_days(session: Session, *, now: datetime) -> list[str]:
    """Return the letters of the last 90 days of each source that was ever checked."""
    query = _RECORD.where(FetchFacts.health_days_until.is_not(None))
    return [last_days(*row, now=now) for row in session.execute(query)]
