"""The whole history of one source, narrowed by a filter and by words."""

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from sqlalchemy.orm import Session

from storage.engine.statements import is_sqlite
from storage.entries.entry_filter import EntryFilter
from storage.entries.entry_pages import LOOKED_AHEAD, FeedEntry
from storage.entries.entry_query import (
    EntryList,
    count_query,
    nearest,
    page_query,
    source_values,
)
from storage.entries.search.matching import Scope
from storage.entries.search.search import MOST_HITS, EntrySearch


@dataclass(frozen=True, slots=True)
class HistoryPage:
    """Entries of a source, newest first. ``total`` counts those meant; ``is_cut``: or more."""

    total: int
    entries: list[FeedEntry]
    is_cut: bool = False


def page_history(
    session: Session,
    source_id: int,
    filter_: EntryFilter,
    *,
    words: str | None,
    limit: int,
    offset: int,
    now: datetime,
) -> HistoryPage:
    """Return a page of all entries of a source that a filter lets through, undated ones too.

    ``words`` are looked for in the whole texts. Of the filter only what is about entries counts.
    """
    if filter_.is_contradictory:
        return HistoryPage(0, [])
    entries = EntryList(frozenset(), filter_.shape.of_entries, merged=1)
    values: dict[str, Any] = {**source_values((source_id,)), **filter_.values()}
    if words is not None:
        search = EntrySearch(replace(filter_, q=words), frozenset(), Scope.WHOLE, now, [source_id])
        most = min(offset + LOOKED_AHEAD, MOST_HITS)
        found = search.page(session, "feed", limit=limit, offset=offset, most=most)
        return HistoryPage(found.total, [FeedEntry(*row) for row in found.rows], found.is_cut)
    total = count_query(entries).value(session, values) or 0
    if offset >= total:
        return HistoryPage(total, [])
    place = nearest(limit=limit, offset=offset, total=total)
    query = page_query(entries, "feed", is_sqlite=is_sqlite(session), from_oldest=place.from_oldest)
    rows = query.rows(session, values | place.values())
    return HistoryPage(total, [FeedEntry(*row) for row in rows])
