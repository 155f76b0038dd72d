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
from storage.entries.entry_query import UNREAD
from storage.entries.filtered_list import PUBLIC, FilteredList
from storage.entries.search.matching import Scope
from storage.models import Entry

MOST_AHEAD: Final = 500


class OwnEntry(NamedTuple):
    """An entry of a stream: its PublicEntry, and its Importance or None."""

    id: int
    published_at: datetime
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
    unread: Values | None = None,
) -> list[OwnEntry]:
    """Return the newest entries of a filter for somebody who may read them whole.

    ``unread``: only what is unread, by the values of somebody's ReadState.
    """
    entries = _own(filter_, "own", unread, now)
    return [OwnEntry(*row) for row in entries.newest(session, most, offset)]


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
    if unread is None:
        return FilteredList(PUBLIC, filter_, columns, now, scope=Scope.WHOLE)
    oldest = max(filter_.since or unread["unread_after"], unread["unread_after"])
    recent = replace(filter_, since=oldest)  # bounds how far a search goes back
    return FilteredList(PUBLIC | {UNREAD}, recent, columns, now, scope=Scope.WHOLE, more=unread)


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
