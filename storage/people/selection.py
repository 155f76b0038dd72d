"""Add sources to a key and remove them, counted exactly under concurrent changes.

``keys.select_sources`` takes a whole selection; a page changes one source at a time and
must not lose what another window did in between.
"""

from collections.abc import Collection
from datetime import datetime

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from storage.models import ApiKey, Selection
from storage.people.accounts import lock_account
from storage.people.keys import (
    select_sources,
)


def add_selections(
    session: Session, key: ApiKey, source_ids: Collection[int], *, now: datetime
) -> int:
    """Select more sources for a key, all or none; return how many of them are new to it.

    Raises TooManySelections when the account's plan has too few slots left.
    """
    lock_account(session, key.account_id)
    chosen = set(session.scalars(select(Selection.source_id).where(Selection.key_id == key.id)))
    more = set(source_ids) - chosen
    if more:
        select_sources(session, key, chosen | more, now=now)
    return len(more)


def drop_selection(session: Session, key: ApiKey, source_id: int) -> None:
    """Remove one source; allowed above the slots too, or nobody could get below them again."""
    lock_account(session, key.account_id)
    session.execute(
        delete(Selection).where(Selection.key_id == key.id, Selection.source_id == source_id)
    )
