"""Entries as their readers see them: a page of a stream, and what of it is unread."""

from dataclasses import replace
from datetime import datetime
from typing import Any, Final, NamedTuple

from sqlalchemy import BigInteger, bindparam, literal_column, select
from sqlalchemy.orm import Session

from storage.engine.statements import PreparedQuery, Values
from storage.engine.types import AnySelect
from storage.entries.clock_skew import FUTURE_TOLERANCE
from storage.entries.entry_filter import EntryFilter
from storage.entries.entry_query import PUBLIC, UNREAD
from storage.entries.filtered_list import FilteredList
from storage.entries.search.matching import Scope
from storage.entries.search.search import MOST_HITS, MOST_READ_FOR_PAGE, LookedBackTo
from storage.models import Entry

MOST_AHEAD: Final = 500


class OwnEntry(NamedTuple):
    """An entry of a stream: its PublicEntry, and its Importance or None."""

    id: int
    published_at: datetime
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
    unread: Values | None = None,
) -> OwnPage:
    """Return the newest entries of a filter for somebody who may read them whole.

    ``unread``: only what is unread, by the values of somebody's ReadState.
    """
    entries = _own(filter_, "own", unread, now)
    if filter_.q is None:
        return OwnPage([OwnEntry(*row) for row in entries.newest(session, most, offset)])
    counted = replace(entries, most_hits=min(most + offset, MOST_HITS))
    page = counted.page(session, limit=most, offset=offset)
    return OwnPage([OwnEntry(*row) for row in page.rows], page.looked_back_to)


def unread_entries(
    session: Session, filter_: EntryFilter, unread: Values, *, most: int, now: datetime
) -> list[tuple[int, datetime]]:
    """Return the newest unread entries of a filter: the key of each, and when it was published."""
    rows: list[Any] = _own(filter_, "keys", unread, now).newest(session, most)
    return rows


def entries_ahead(session: Session, after: int, *, now: datetime) -> list[tuple[int, datetime]]:
    """Return listed entries stored after a key, and dated too far ahead to be shown yet."""
    values = {"after": after, "until": now + FUTURE_TOLERANCE}
    rows: list[Any] = _AHEAD.rows(session, values)
    return rows


def _own(filter_: EntryFilter, columns: str, unread: Values | None, now: datetime) -> FilteredList:
    entries = FilteredList(
        PUBLIC, filter_, columns, now, scope=Scope.WHOLE, most_read=MOST_READ_FOR_PAGE
    )
    if unread is None:
        return entries
    oldest = max(filter_.since or unread["unread_after"], unread["unread_after"])
    recent = replace(filter_, since=oldest)  # bounds how far a search goes back
    return replace(entries, chosen=PUBLIC | {UNREAD}, filter=recent, more=unread)


_AHEAD_KEYS: AnySelect = select(Entry.id, Entry.published_at)
_AHEAD: Final = PreparedQuery(
    _AHEAD_KEYS.where(
        Entry.listed,
        Entry.published_at > bindparam("until"),
        Entry.id > bindparam("after", type_=BigInteger),
    )
    .order_by(Entry.published_at.desc())
    .limit(literal_column(str(MOST_AHEAD)))
)
