"""How many entries the lists over all sources have, without counting all of them."""

from datetime import datetime
from typing import Any, Final

from sqlalchemy import BigInteger, bindparam, cast, func, literal_column, select
from sqlalchemy.orm import Session

from storage.engine.statements import PreparedQuery
from storage.engine.types import AnySelect
from storage.entries.entry_query import IMPORTANT, LISTED, NOT_AHEAD
from storage.models import CatalogTotals, Entry

PUBLIC: Final = frozenset({LISTED, NOT_AHEAD})
PUBLIC_IMPORTANT: Final = frozenset({LISTED, IMPORTANT, NOT_AHEAD})

NEWEST_FIRST: Final = (
    Entry.published_at.desc(),
    Entry.external_id.desc(),
    Entry.source_id.desc(),
)
_MORE_THAN_THERE_ARE: Final = 10**12


def listed_total(session: Session, chosen: frozenset[str], *, until: datetime) -> int:
    """Return how many entries are listed: what triggers have counted, less what is ahead.

    ``chosen``: LISTED, with IMPORTANT and NOT_AHEAD where they are meant. ``until``: what is later
    is ahead.
    """
    counted, ahead = _TOTALS[IMPORTANT in chosen]
    total: int = counted.value(session, {}) or 0
    return total - (ahead.value(session, {"until": until}) if NOT_AHEAD in chosen else 0)


def count_ahead(*conditions: Any) -> AnySelect:
    """Return the query that counts the entries ahead of the time ``until``.

    It is ordered and has a limit that is never reached: else SQLite, once it knows how large the
    sources are, searches each of the sources.
    """
    is_ahead = Entry.published_at > bindparam("until")
    ahead = select(Entry.id).where(is_ahead, *conditions).order_by(*NEWEST_FIRST)
    limited = ahead.limit(literal_column(str(_MORE_THAN_THERE_ARE))).subquery()
    return select(func.count()).select_from(limited)


def _sum(column: Any) -> PreparedQuery:
    return PreparedQuery(select(cast(func.sum(column), BigInteger)))


_TOTALS: Final = {  # by whether important ones are meant
    False: (
        _sum(CatalogTotals.entries - CatalogTotals.unlisted),
        PreparedQuery(count_ahead(Entry.listed)),
    ),
    True: (
        _sum(CatalogTotals.important - CatalogTotals.unlisted_important),
        PreparedQuery(count_ahead(Entry.listed, Entry.important)),
    ),
}
