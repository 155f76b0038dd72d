"""What sources ask of the budget of requests, and how many people follow each."""

from datetime import timedelta

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from storage.models import ApiKey, FetchFacts, Selection


def demands_of_sources(session: Session) -> list[tuple[int, str, float, timedelta | None]]:
    """Return id, host, pull and floor of every source whose cadence was measured."""
    query = select(FetchFacts.source_id, FetchFacts.host, FetchFacts.pull, FetchFacts.floor).where(
        FetchFacts.pull.is_not(None)
    )
    return [(key, host, pull or 0.0, floor) for key, host, pull, floor in session.execute(query)]


def followers_of_sources(session: Session) -> dict[int, int]:
    """Return how many accounts selected each source for a key that is not revoked."""
    accounts = func.count(ApiKey.account_id.distinct())
    query = (
        select(Selection.source_id, accounts)
        .join(ApiKey, ApiKey.id == Selection.key_id)
        .where(ApiKey.revoked_at.is_(None))
        .group_by(Selection.source_id)
    )
    return dict(session.execute(query).all())
