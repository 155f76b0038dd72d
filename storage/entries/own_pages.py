"""A page of a stream, for readers of whole entries."""

from dataclasses import replace
from datetime import datetime
from typing import NamedTuple

from sqlalchemy.orm import Session

from storage.entries.entry_filter import EntryFilter
from storage.entries.entry_query import PUBLIC
from storage.entries.filtered_list import FilteredList
from storage.entries.search.matching import Scope
from storage.entries.search.search import MOST_HITS, MOST_READ_FOR_PAGE, LookedBackTo


class OwnEntry(NamedTuple):
    """An entry of a stream: its PublicEntry, and its Importance or None."""

    id: int
    public: bytes
    importance: bytes | None
    source_name: str


class OwnPage(NamedTuple):
    """A page of a stream. ``looked_back_to``: how far phrases were looked for, as in Hits."""

    entries: list[OwnEntry]
    looked_back_to: LookedBackTo | None = None


def newest_own(
    session: Session,
    filter_: EntryFilter,
    *,
    most: int,
    now: datetime,
    offset: int = 0,
) -> OwnPage:
    """Return the newest entries of a filter for somebody who may read them whole."""
    entries = FilteredList(
        PUBLIC, filter_, "own", now, scope=Scope.WHOLE, most_read=MOST_READ_FOR_PAGE
    )
    if filter_.q is None:
        return OwnPage([OwnEntry(*row) for row in entries.newest(session, most, offset)])
    counted = replace(entries, most_hits=min(most + offset, MOST_HITS))
    page = counted.page(session, limit=most, offset=offset)
    return OwnPage([OwnEntry(*row) for row in page.rows], page.looked_back_to)
