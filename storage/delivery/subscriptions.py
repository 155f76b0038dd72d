"""The entries pushed to an account: its selection, narrowed by a saved filter.

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
from storage.models import Account, ApiKey, SavedFilter, Selection, Source
from storage.people.keys import live_condition
from storage.people.plans import PLANS

SourceIds: TypeAlias = AbstractSet[int] | None
"""Some sources; None stands for the whole catalog."""

NOTHING: SourceIds = frozenset()


def followed_sources(
    session: Session, account: Account, *, key_id: int | None, now: datetime
) -> SourceIds:
    """Return the sources of one live key of an account, or of all of them without ``key_id``.

    It is what the API would answer for: nothing for a key that has ended, and nothing while more
    sources are selected than the plan has slots. Where the plan has the whole catalog, a list
    narrows it, and no list is the whole of it.
    """
    by_key = _selected(session, account.id, now=now)
    if key_id is not None and key_id not in by_key:
        return NOTHING
    every: AbstractSet[int] = frozenset().union(*by_key.values())
    chosen = every if key_id is None else by_key[key_id]
    slots = PLANS[account.plan].slots
    if slots is None:
        return chosen or None
    return chosen if len(every) <= slots else NOTHING


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


def _selected(session: Session, account_id: int, *, now: datetime) -> dict[int, set[int]]:
    """Return the ids of the sources selected for each live key, by the key's id."""
    query = (
        select(ApiKey.id, Selection.source_id)
        .outerjoin(Selection, Selection.key_id == ApiKey.id)
        .where(ApiKey.account_id == account_id, live_condition(now))
    )
    by_key: dict[int, set[int]] = {}
    for key_id, source_id in session.execute(query):
        by_key.setdefault(key_id, set()).update([] if source_id is None else [source_id])
    return by_key
