"""The entries pushed to an account: those of the sources it follows, narrowed by a saved filter.

See docs/decisions/0040 and docs/decisions/0114.
"""

from collections.abc import Set as AbstractSet
from datetime import datetime
from typing import TypeAlias

from sqlalchemy import select
from sqlalchemy.orm import Session

from openapi.requests import InvalidRequest
from storage.engine.statements import rows_among
from storage.entries.entry_filter import EVERYTHING, EntryFilter, parse_filter
from storage.models import Account, ApiKey, Follow, SavedFilter, Selection, Source
from storage.people.keys import is_live
from storage.people.plans import PLANS

SourceIds: TypeAlias = AbstractSet[int] | None
"""Some sources; None stands for the whole catalog."""

NOTHING: SourceIds = frozenset()


def followed_sources(
    session: Session, account: Account, *, key_id: int | None, now: datetime
) -> SourceIds:
    """Return the sources that an account follows, or those of one of its keys.

    Nothing for a key that has ended, and while more sources are followed than the plan has slots.
    Where the plan has the whole catalog, that is what is followed until the first follow.
    """
    key = None if key_id is None else session.get(ApiKey, key_id)
    if key_id is not None and (key is None or not is_live(key, now=now)):
        return NOTHING
    follows = set(session.scalars(select(Follow.source_id).where(Follow.account_id == account.id)))
    slots = PLANS[account.plan].slots
    if slots is not None and len(follows) > slots:
        return NOTHING
    if key is None or not key.narrowed:
        return None if slots is None and not account.has_followed else follows
    own = set(session.scalars(select(Selection.source_id).where(Selection.key_id == key.id)))
    return own if slots is None else own & follows


def followed_slugs(session: Session, account_id: int, *, now: datetime) -> frozenset[str] | None:
    """Return the slugs of the sources that an account follows; None for the whole catalog."""
    account = session.get_one(Account, account_id)
    source_ids = followed_sources(session, account, key_id=None, now=now)
    if source_ids is None:
        return None
    rows = rows_among(session, select(Source.slug), Source.id, source_ids)
    return frozenset(slug for (slug,) in rows)


def pushed_filter(session: Session, filter_id: int | None) -> EntryFilter | None:
    """Return the saved filter with a key, EVERYTHING without a key.

    None for one that is gone or that this program cannot read: nothing is to be pushed then.
    """
    if filter_id is None:
        return EVERYTHING
    saved = session.get(SavedFilter, filter_id)
    try:
        return None if saved is None else parse_filter(saved.query)
    except InvalidRequest:
        return None
