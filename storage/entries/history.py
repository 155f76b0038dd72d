"""The whole history of one source, narrowed by a filter and by words."""

from dataclasses import dataclass
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
    rows_of_keys,
    source_values,
)
from storage.entries.search.matching import Scope
from storage.entries.search.query import parse_query
from storage.entries.search.search import (
    MOST_HITS,
    MOST_READ_FOR_PAGE,
    EntrySearch,
    LookedBackTo,
    find_entries,
)


@dataclass(frozen=True, slots=True)
class HistoryPage:
    """Entries of a source, newest first. ``total`` counts all that are meant.

    ``looked_back_to``: how far phrases were looked for, as in Hits.
    """

    total: int
    entries: list[FeedEntry]
    looked_back_to: LookedBackTo | None = None


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
        return _found(session, source_id, words, filter_, limit=limit, offset=offset, now=now)
    total = count_query(entries).value(session, values) or 0
    if offset >= total:
        return HistoryPage(total, [])
    place = nearest(limit=limit, offset=offset, total=total)
    query = page_query(entries, "feed", is_sqlite=is_sqlite(session), from_oldest=place.from_oldest)
    rows = query.rows(session, values | place.values())
    return HistoryPage(total, [FeedEntry(*row) for row in rows])


def _found(
    session: Session,
    source_id: int,
    words: str,
    filter_: EntryFilter,
    *,
    limit: int,
    offset: int,
    now: datetime,
) -> HistoryPage:
    search = EntrySearch(
        parse_query(words),
        Scope.WHOLE,
        groups=[[f"s{source_id}"]],
        entries=EntryList(frozenset(), filter_.shape.of_entries),
        values=filter_.values(),
        since=filter_.since,
        until=filter_.until,
        most_read=MOST_READ_FOR_PAGE,
    )
    hits = find_entries(session, search, now=now, most=min(offset + LOOKED_AHEAD, MOST_HITS))
    rows = rows_of_keys(session, "feed", hits.keys[offset : offset + limit])
    return HistoryPage(len(hits.keys), [FeedEntry(*row) for row in rows], hits.looked_back_to)
