"""Sources whose last check failed, by reason, for the operator."""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from storage.models import FetchFacts, Source


@dataclass(frozen=True, slots=True)
class FailingSource:
    """A source whose last check failed. ``message`` may name its feed address."""

    slug: str
    failure: str | None
    message: str | None
    failures: int
    first_failed_at: datetime | None


_IS_FAILING = (FetchFacts.failures > 0, FetchFacts.last_failure.is_not(None))


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
