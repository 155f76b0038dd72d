"""A page of a stream, for readers of whole entries."""

from datetime import datetime
from typing import NamedTuple

from sqlalchemy.orm import Session

from storage.entries.entry_filter import EntryFilter
from storage.entries.entry_pages import newest_rows
from storage.entries.entry_query import PUBLIC, EntryList
from storage.entries.search.matching import Scope


class OwnEntry(NamedTuple):
    """An entry of a stream: its PublicEntry, and its Importance or None."""

    id: int
    public: bytes
    importance: bytes | None
    source_name: str


def newest_own(
    session: Session,
    filter_: EntryFilter,
    *,
    most: int,
    now: datetime,
    offset: int = 0,
) -> list[OwnEntry]:
    """Return the newest entries of a filter for somebody who may read them whole."""
    entries = EntryList(now, PUBLIC, filter_, scope=Scope.WHOLE)
    rows = newest_rows(session, entries, "own", most=most, offset=offset)
    return [OwnEntry(*row) for row in rows]
