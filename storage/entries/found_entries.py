"""Entries that a filter lets through, as pages show them, with how many there are."""

from datetime import datetime
from typing import Final

from sqlalchemy.orm import Session

from openapi.vocabulary import SearchOrder
from storage.entries.entry_filter import EntryFilter
from storage.entries.entry_pages import FeedEntry
from storage.entries.filtered_list import PUBLIC, FilteredList
from storage.entries.search.search import MOST_HITS

LOOKED_AHEAD: Final = 100
"""Entries from the beginning of a page on that a search counts."""


def find_feed_entries(
    session: Session,
    filter_: EntryFilter,
    *,
    limit: int,
    offset: int,
    now: datetime,
    order: SearchOrder = SearchOrder.DATE,
) -> tuple[int, list[FeedEntry]]:
    """Return how many listed entries a filter lets through, and a page of them.

    A search looks no farther than some pages on: what it does not count costs nothing.
    """
    most = min(offset + LOOKED_AHEAD, MOST_HITS)
    found = FilteredList(PUBLIC, filter_, "feed", now, order, most_hits=most)
    total, rows = found.page(session, limit=limit, offset=offset)
    return total, [FeedEntry(*row) for row in rows]
