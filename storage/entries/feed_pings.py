"""Which of our own feeds have changed since their hub was told."""

from collections.abc import Sequence
from typing import Any, cast

from sqlalchemy import CursorResult, select, update
from sqlalchemy.orm import Session

from storage.entries.changes import newest_change
from storage.models import FeedPing, Source

ONLY = 1  # row


def is_ping_due(session: Session) -> bool:
    """Tell whether something has changed since the hub was told."""
    return newest_change(session) != session.scalar(select(FeedPing.number))


def take_changed(session: Session, *, most: int) -> Sequence[str]:
    """Return some sources, by slug, that changed since the hub was told, which is now.

    No other process returns them. The first time there is nothing to tell.
    """
    newest, notified = newest_change(session), session.scalar(select(FeedPing.number))
    if notified is None:
        session.add(FeedPing(id=ONLY, number=newest))
        return ()
    changed = update(FeedPing).where(FeedPing.number == notified).values(number=newest)
    if newest == notified or not cast("CursorResult[Any]", session.execute(changed)).rowcount:
        return ()
    slugs = select(Source.slug).where(Source.newest_change > notified)
    return session.scalars(slugs.order_by(Source.newest_change.desc()).limit(most)).all()
