"""Rate limits of single operations, as rows that all processes count (docs/decisions/0199)."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from sqlalchemy import bindparam, text
from sqlalchemy.orm import Session

from storage.models import RateWindow

_NOW, _CLOSES_AT = (
    bindparam(name, type_=RateWindow.closes_at.type) for name in ("now", "closes_at")
)
_DROP: Final = text("DELETE FROM rate_windows WHERE closes_at <= :now").bindparams(_NOW)
_COUNT: Final = (  # written out: SQLAlchemy takes 2 ms to put it together, for each request
    text("""
    INSERT INTO rate_windows AS was (name, hits, closes_at) VALUES (:name, :hits, :closes_at)
    ON CONFLICT (name) DO UPDATE SET
        hits = excluded.hits + CASE WHEN was.closes_at > :now THEN was.hits ELSE 0 END,
        closes_at = CASE WHEN was.closes_at > :now THEN was.closes_at ELSE excluded.closes_at END
    RETURNING hits, closes_at""")
    .bindparams(_NOW, _CLOSES_AT)
    .columns(RateWindow.hits, RateWindow.closes_at)
)


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
    values = {"name": name, "hits": hits, "closes_at": now + limit.window, "now": now}
    total, closes_at = session.execute(_COUNT, values).one()
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
    session.execute(_DROP, {"now": now})
