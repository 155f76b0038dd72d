"""Limits on requests: the demand of sources on the budget, and the quota of GitHub's API.

See docs/decisions/0019.
"""

from datetime import datetime, timedelta
from typing import Final

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from storage.engine.upsert import insert_into
from storage.models import ApiKey, FetchFacts, RateWindow, Selection

GITHUB: Final = "quota/github"
LONGEST: Final = timedelta(days=1)
"""A quota lasts an hour; what is further ahead was written by a clock that was put back since."""


def close_quota(session: Session, name: str, *, until: datetime, now: datetime) -> None:
    """Let no process call an API until its quota is filled again, a day at most."""
    values = {"hits": 0, "closes_at": min(until, now + LONGEST)}
    opened = insert_into(session, RateWindow).values(name=name, **values)
    session.execute(opened.on_conflict_do_update(index_elements=["name"], set_=values))


def is_quota_open(session: Session, name: str, *, now: datetime) -> bool:
    """Tell whether an API may be called, as far as processes have said."""
    until = session.scalar(select(RateWindow.closes_at).where(RateWindow.name == name))
    return until is None or not now < until <= now + LONGEST


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
