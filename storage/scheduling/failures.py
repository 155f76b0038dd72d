"""Sources whose last check failed, by reason, for the operator."""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import func, select, update
from sqlalchemy.orm import Session

from storage.models import FetchFacts, Source


@dataclass(frozen=True, slots=True)
class FailingSource:
    """A source whose last check failed. ``message`` may name its feed address."""

    slug: str
    name: str
    failure: str | None
    message: str | None
    failures: int
    first_failed_at: datetime | None
    last_success_at: datetime | None
    next_check_at: datetime | None


_IS_FAILING = (FetchFacts.failures > 0, FetchFacts.last_failure.is_not(None))


def failures_by_reason(session: Session) -> list[tuple[str, int]]:
    """Return how many sources fail for each reason, the most frequent first."""
    count = func.count()
    query = select(FetchFacts.last_failure, count).where(*_IS_FAILING)
    query = query.group_by(FetchFacts.last_failure).order_by(count.desc(), FetchFacts.last_failure)
    return [(reason, number) for reason, number in session.execute(query) if reason is not None]


def failing_sources(
    session: Session, reason: str | None, *, limit: int, offset: int
) -> list[FailingSource]:
    """Return sources that fail for a reason, or for any, those that fail the longest first."""
    query = select(
        Source.slug,
        Source.name,
        FetchFacts.last_failure,
        FetchFacts.last_message,
        FetchFacts.failures,
        FetchFacts.first_failed_at,
        FetchFacts.last_success_at,
        FetchFacts.next_check_at,
    ).join(FetchFacts, FetchFacts.source_id == Source.id)
    query = query.where(*_IS_FAILING)
    if reason is not None:
        query = query.where(FetchFacts.last_failure == reason)
    oldest = query.order_by(FetchFacts.first_failed_at, Source.slug).limit(limit).offset(offset)
    return [FailingSource(*row) for row in session.execute(oldest)]


def check_soon(session: Session, source_id: int, *, now: datetime) -> datetime | None:
    """Make a source due at once; or return until when its vendor asked to be left alone."""
    facts = session.get_one(FetchFacts, source_id)
    if facts.retry_after_at is not None and facts.retry_after_at > now:
        return facts.retry_after_at
    session.execute(
        update(FetchFacts).where(FetchFacts.source_id == source_id).values(next_check_at=now)
    )
    return None
