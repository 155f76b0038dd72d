"""Pages of entries for callers (specification 4.2, 4.5, 4.6), narrowed by a filter."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import chain, starmap
from typing import Final, NamedTuple

from sqlalchemy.orm import Session

from storage.engine.statements import Row
from storage.entries.addresses import entry_path
from storage.entries.documents import DocumentPage, with_importance
from storage.entries.entry_filter import EVERYTHING, EntryFilter, meant_sources
from storage.entries.entry_query import (
    ANNOUNCED,
    IMPORTANT,
    PUBLIC,
    PUBLIC_IMPORTANT,
    EntryList,
    Place,
    rows_of_keys,
)
from storage.entries.search.matching import Scope
from storage.entries.search.search import MOST_HITS, find_entries

LOOKED_AHEAD: Final = 100
"""Entries from the beginning of a page on that a search counts."""


class RowPage(NamedTuple):
    """Rows of a list, and how many it has in all; ``is_cut``: a search may find more."""

    total: int
    rows: list[Row]
    is_cut: bool = False


def page_rows(
    session: Session,
    entries: EntryList,
    columns: str,
    *,
    limit: int,
    offset: int,
    most: int = MOST_HITS,
) -> RowPage:
    """Return a page of a list. A search counts the first ``most`` entries that it finds."""
    if entries.filter.q is not None:
        keys, is_all = find_entries(session, entries, most=most)
        rows = rows_of_keys(session, columns, keys[offset : offset + limit])
        return RowPage(len(keys), rows, not is_all)
    ids = meant_sources(session, entries.filter, entries.source_ids)
    if ids == [] or entries.filter.is_contradictory:
        return RowPage(0, [])
    total = entries.count(session, ids)
    if offset >= total:
        return RowPage(total, [])
    size = min(limit, total - offset)
    behind = total - offset - size
    if offset <= behind:  # else it is nearer to the end, and skipping takes time
        return RowPage(total, entries.rows(session, columns, ids, Place(size, offset)))
    oldest = entries.rows(session, columns, ids, Place(size, behind, descending=False))
    return RowPage(total, oldest[::-1])


def newest_rows(
    session: Session, entries: EntryList, columns: str, *, most: int, offset: int = 0
) -> list[Row]:
    """Return the newest rows of a list, without counting all of them."""
    if entries.filter.q is not None:
        keys, _ = find_entries(session, entries, most=min(most + offset, MOST_HITS))
        return rows_of_keys(session, columns, keys[offset:])
    ids = meant_sources(session, entries.filter, entries.source_ids)
    if ids == [] or entries.filter.is_contradictory:
        return []
    return entries.rows(session, columns, ids, Place(most, offset))


def page_documents(
    session: Session, entries: EntryList, *, limit: int, offset: int
) -> DocumentPage:
    """Return a page of the JSON objects of a list: ChangelogEntry where whole texts are searched.

    Else they are those that everybody may read; of important entries each has the reason.
    """
    if entries.scope is Scope.WHOLE:
        columns = "document"
    else:
        columns = "important" if IMPORTANT in entries.chosen else "public"
    page = page_rows(session, entries, columns, limit=limit, offset=offset)
    if columns == "important":
        return DocumentPage(page.total, list(starmap(with_importance, page.rows)))
    return DocumentPage(page.total, list(chain.from_iterable(page.rows)))


@dataclass(frozen=True, slots=True)
class FeedEntry:
    """An entry as RSS, Atom and JSON feeds show it.

    ``key`` is its database key, ``public`` its PublicEntry, ``importance`` its Importance or None,
    ``changelog_url`` the page of its source, which is where it leads when it has no address of its
    own. ``path`` is its page here, ``whole`` its ChangelogEntry, for those who may read it.
    """

    key: int
    public: bytes
    importance: bytes | None
    published_at: datetime
    changed_at: datetime
    first_seen_at: datetime
    revision: int
    source_name: str
    changelog_url: str
    source: str
    address: str
    whole: bytes | None = None

    @property
    def path(self) -> str:
        """Return the path of its page."""
        return entry_path(self.source, self.address)


def feed_entries(session: Session, keys: Sequence[int]) -> list[FeedEntry]:
    """Return entries by their keys, in their order."""
    rows = {row[0]: FeedEntry(*row) for row in rows_of_keys(session, "feed", keys)}
    return [rows[key] for key in keys if key in rows]


def newest_feed_entries(
    session: Session,
    filter_: EntryFilter = EVERYTHING,
    *,
    most: int,
    now: datetime,
    only_important: bool,
    source_id: int | None = None,
) -> list[FeedEntry]:
    """Return the newest listed entries that are not ahead of now, of all sources or of one."""
    chosen = PUBLIC_IMPORTANT if only_important else PUBLIC
    entries = EntryList(now, chosen, filter_, None if source_id is None else [source_id])
    return [FeedEntry(*row) for row in newest_rows(session, entries, "feed", most=most)]


def list_entries(
    session: Session, entries: EntryList, *, limit: int, offset: int
) -> tuple[list[FeedEntry], RowPage | None]:
    """Return a page of a list, and what a search counted.

    A search looks no farther than some pages on: what is not counted costs nothing.
    """
    if entries.filter.q is None:
        newest = newest_rows(session, entries, "feed", most=limit, offset=offset)
        return [FeedEntry(*row) for row in newest], None
    most = min(offset + LOOKED_AHEAD, MOST_HITS)
    page = page_rows(session, entries, "feed", limit=limit, offset=offset, most=most)
    return [FeedEntry(*row) for row in page.rows], page


def newest_announced(
    session: Session, filter_: EntryFilter, *, most: int, now: datetime
) -> list[FeedEntry]:
    """Return the newest announced entries of a filter, for accounts that may read them whole.

    They are found by their whole text.
    """
    announced = EntryList(now, PUBLIC | {ANNOUNCED}, filter_, scope=Scope.WHOLE)
    return [FeedEntry(*row) for row in newest_rows(session, announced, "whole", most=most)]
