"""The quota of GitHub's API: until when no process calls it once it is used up.

See docs/decisions/0019.
"""

from datetime import datetime, timedelta
from typing import Final

from sqlalchemy import select
from sqlalchemy.orm import Session

from storage.engine.upsert import insert_into
from storage.models import RateWindow

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
