"""How many entries the lists over all sources have, without counting all of them."""

from datetime import datetime
from functools import lru_cache
from typing import Any, Final

from sqlalchemy import BigInteger, bindparam, cast, func, literal_column, select
from sqlalchemy.orm import Session

from storage.engine.statements import PreparedQuery
from storage.engine.types import AnySelect
from storage.entries.entry_filter import EVERYTHING, EntryFilter, FilterShape
from storage.entries.entry_query import (
    IMPORTANT,
    NEWEST_FIRST,
    NOT_AHEAD,
    EntryList,
    count_query,
)
from storage.models import Entry, Source

COUNTED: Final = frozenset({"prerelease", "no_prerelease", "categories"})
"""Conditions of a filter by which small indexes count."""

_NO_PRERELEASES: Final = EntryFilter(prerelease=False)
_MORE_THAN_THERE_ARE: Final = 10**12


def listed_total(
    session: Session,
    chosen: frozenset[str],
    filter_: EntryFilter = EVERYTHING,
    *,
    until: datetime,
) -> int:
    """Return how many entries are listed: by the counts of sources or a small index.

    ``chosen``: LISTED, with IMPORTANT and NOT_AHEAD where they are meant. ``filter_`` has
    conditions of COUNTED alone. ``until``: what is later is ahead.
    """
    if filter_ == _NO_PRERELEASES:  # prereleases are fewer
        left_out = listed_total(session, chosen, EntryFilter(prerelease=True), until=until)
        return listed_total(session, chosen, until=until) - left_out
    values = filter_.values() | {"until": until}
    if filter_ == EVERYTHING:
        stored, unlisted, ahead = _TOTALS[IMPORTANT in chosen]
        total: int = (stored.value(session, {}) or 0) - unlisted.value(session, {})
    else:
        counted, ahead = _narrowed(chosen - {NOT_AHEAD}, filter_.shape)
        total = counted.value(session, values) or 0
    return total - (ahead.value(session, values) if NOT_AHEAD in chosen else 0)


@lru_cache(maxsize=64)
def _narrowed(chosen: frozenset[str], shape: FilterShape) -> tuple[PreparedQuery, PreparedQuery]:
    entries = EntryList(chosen, shape)
    return count_query(entries), PreparedQuery(count_ahead(*entries.conditions()))


def count_ahead(*conditions: Any) -> AnySelect:
    """Return the query that counts the entries ahead of the time ``until``.

    It is ordered and has a limit that is never reached: else SQLite, once it knows how large the
    sources are, searches each of the sources.
    """
    is_ahead = Entry.published_at > bindparam("until")
    ahead = select(Entry.id).where(is_ahead, *conditions).order_by(*NEWEST_FIRST)
    limited = ahead.limit(literal_column(str(_MORE_THAN_THERE_ARE))).subquery()
    return select(func.count()).select_from(limited)


def _totals(stored: Any, *conditions: Any) -> tuple[PreparedQuery, PreparedQuery, PreparedQuery]:
    """Return the queries of the entries of all sources, of those not listed and those ahead."""
    unlisted = select(func.count()).select_from(Entry).where(~Entry.listed, *conditions)
    return (
        PreparedQuery(select(cast(func.sum(stored), BigInteger))),
        PreparedQuery(unlisted),
        PreparedQuery(count_ahead(Entry.listed, *conditions)),
    )


_TOTALS: Final = {  # by whether important ones are meant
    False: _totals(Source.entry_count),
    True: _totals(Source.important_count, Entry.important),
}
