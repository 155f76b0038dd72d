"""Rate limits of single operations, as rows that all processes count (docs/decisions/0199)."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import case, delete
from sqlalchemy.orm import Session

from storage.engine.statements import insert_into
from storage.models import RateWindow


@dataclass(frozen=True, slots=True)
class Limit:
    """At most ``hits`` within ``window`` from the first of them."""

    hits: int
    window: timedelta


@dataclass(frozen=True, slots=True)
class RateLimitState:
    """The state of one limit for a caller after a hit. ``resets_in`` is never negative."""

    limit: Limit
    remaining: int
    resets_in: timedelta
    admitted: bool


def hit(session: Session, name: str, limit: Limit, *, now: datetime) -> RateLimitState:
    """Count one hit under a name and say whether it is admitted.

    One statement, so that parallel callers are counted exactly. A refused hit counts too,
    but never extends the window.
    """
    hits, closes_at = add_hits(session, name, 1, limit, now=now)
    return RateLimitState(
        limit=limit,
        remaining=max(0, limit.hits - hits),
        resets_in=max(timedelta(0), closes_at - now),
        admitted=hits <= limit.hits,
    )


def add_hits(
    session: Session, name: str, hits: int, limit: Limit, *, now: datetime
) -> tuple[int, datetime]:
    """Count hits under a name; return the number in its window, and when the window ends."""
    opened = insert_into(session, RateWindow).values(
        name=name, hits=hits, closes_at=now + limit.window
    )
    over = RateWindow.closes_at <= now
    counted = opened.on_conflict_do_update(
        index_elements=[RateWindow.name],
        set_={
            "hits": case((over, hits), else_=RateWindow.hits + hits),
            "closes_at": case((over, opened.excluded.closes_at), else_=RateWindow.closes_at),
        },
    ).returning(RateWindow.hits, RateWindow.closes_at)
    total, closes_at = session.execute(counted).one()
    return total, closes_at


def hit_all(
    session: Session, name: str, limits: Sequence[Limit], *, now: datetime
) -> list[RateLimitState]:
    """Count one hit under several limits, shortest window first; stop at the first refusal.

    Windows that are over are deleted on the way, whoever they belong to.
    """
    drop_closed_windows(session, now=now)
    standings = []
    for limit in limits:
        standing = hit(session, f"{name}/{int(limit.window.total_seconds())}", limit, now=now)
        standings.append(standing)
        if not standing.admitted:
            break
    return standings


def drop_closed_windows(session: Session, *, now: datetime) -> None:
    """Delete windows that are over."""
    session.execute(delete(RateWindow).where(RateWindow.closes_at <= now))
