"""Slots that are taken: a slot belongs to its source for a day (docs/decisions/0013).

Otherwise three slots would read the whole catalog, one source after the other.
"""

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Final

from sqlalchemy import select
from sqlalchemy.orm import Session

from storage.models import RateWindow
from storage.people.throttle import Limit, add_hits

A_DAY: Final = Limit(1, timedelta(days=1))


def held_slots(session: Session, account_id: int, *, now: datetime) -> dict[int, datetime]:
    """Return the sources selected within a day, and when the slot of each is free again."""
    prefix = _prefix(account_id)
    rows = session.execute(
        select(RateWindow.name, RateWindow.closes_at).where(
            RateWindow.name.startswith(prefix, autoescape=True), RateWindow.closes_at > now
        )
    )
    return {int(name.removeprefix(prefix)): closes_at for name, closes_at in rows}


def hold_slots(
    session: Session, account_id: int, source_ids: Iterable[int], *, now: datetime
) -> None:
    """Record that sources take slots; where one still holds its slot, its day goes on."""
    for source_id in sorted(source_ids):
        add_hits(session, f"{_prefix(account_id)}{source_id}", 1, A_DAY, now=now)


def _prefix(account_id: int) -> str:
    return f"slot/{account_id}/"
