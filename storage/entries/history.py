"""The whole history of one source, narrowed by a filter and by words."""

from dataclasses import dataclass, replace
from datetime import datetime

from sqlalchemy.orm import Session

from storage.entries.entry_filter import EntryFilter
from storage.entries.entry_pages import LOOKED_AHEAD, FeedEntry, page_rows
from storage.entries.entry_query import EntryList
from storage.entries.search.matching import Scope
from storage.entries.search.search import MOST_HITS


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
    filter_ = replace(filter_, q=words)
    entries = EntryList(now, filter=filter_, source_ids=[source_id], scope=Scope.WHOLE)
    most = min(offset + LOOKED_AHEAD, MOST_HITS)
    page = page_rows(session, entries, "feed", limit=limit, offset=offset, most=most)
    return HistoryPage(page.total, [FeedEntry(*row) for row in page.rows], page.is_cut)
