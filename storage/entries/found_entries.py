"""Entries that a filter lets through, as pages show them, with how many there are."""

from datetime import datetime

from sqlalchemy.orm import Session

from openapi.vocabulary import SearchOrder
from storage.entries.entry_filter import EntryFilter
from storage.entries.entry_pages import FeedEntry
from storage.entries.filtered_list import PUBLIC, FilteredList


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

    Of a search the first ``MOST_HITS`` count.
    """
    found = FilteredList(PUBLIC, filter_, "feed", now, order)
    total, rows = found.page(session, limit=limit, offset=offset)
    return total, [FeedEntry(*row) for row in rows]
