"""Pages of what a search finds, within a list of entries and its filter (docs/decisions/0111)."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, NamedTuple

from sqlalchemy.orm import Session

from openapi.vocabulary import SearchOrder
from storage.engine.statements import Row
from storage.entries.clock_skew import FUTURE_TOLERANCE
from storage.entries.entry_filter import EntryFilter, matching_sources
from storage.entries.entry_query import (
    IMPORTANT,
    LISTED,
    MOST_MERGED,
    EntryList,
    rows_of_keys,
)
from storage.entries.search import index
from storage.entries.search.matching import Scope
from storage.entries.search.query import parse_query
from storage.entries.search.search import (
    MOST_HITS,
    MOST_READ,
    EntrySearch,
    Hits,
    LookedBackTo,
    find_entries,
)

MOST_DEADLINES: Final = 20_000  # as many as are shown in all


class RowPage(NamedTuple):
    """Rows of a list, and how many it has in all; ``looked_back_to`` as in Hits."""

    total: int
    rows: list[Row]
    looked_back_to: LookedBackTo | None = None


@dataclass(frozen=True, slots=True)
class SearchedList:
    """A list of entries that the ``q`` of its filter narrows.

    ``chosen`` as in EntryList; ``columns`` are those of its rows. ``source_ids``: the sources of
    its entries, where they are known; None for those that the filter means, or all. ``words`` of
    the index are what all of its entries have besides. A page counts the first ``most``
    only, and looks through ``most_read`` entries for phrases.
    """

    filter: EntryFilter
    chosen: frozenset[str]
    columns: str
    scope: Scope
    now: datetime
    source_ids: Sequence[int] | None = None
    order: SearchOrder = SearchOrder.DATE
    words: Sequence[str] = ()
    most: int = MOST_HITS
    most_read: int = MOST_READ

    def page(self, session: Session, *, limit: int, offset: int) -> RowPage:
        """Return a page, and how many entries are found."""
        hits = self._hits(session, self.most)
        rows = rows_of_keys(session, self.columns, hits.keys[offset : offset + limit])
        return RowPage(len(hits.keys), rows, hits.looked_back_to)

    def first(self, session: Session, most: int, offset: int = 0) -> list[Row]:
        """Return the first rows; no more than these are looked for."""
        keys = self.keys(session, most=min(most + offset, MOST_HITS))
        return rows_of_keys(session, self.columns, keys[offset:])

    def keys(self, session: Session, *, most: int = MOST_HITS) -> list[int]:
        """Return the keys of the first entries that are found."""
        return self._hits(session, most).keys

    def _hits(self, session: Session, most: int) -> Hits:
        nowhere = self.source_ids is not None and not self.source_ids
        if self.filter.is_contradictory or nowhere:
            return Hits([])
        return find_entries(session, self._search(), now=self.now, most=most)

    def _search(self) -> EntrySearch:
        shape = self.filter.shape
        groups = [[word] for word in self.words]
        if self.source_ids is not None and len(self.source_ids) <= MOST_MERGED:
            groups.append([index.source_word(source_id) for source_id in self.source_ids])
            shape = shape.of_entries
        if self.filter.categories or IMPORTANT in self.chosen:
            groups.append([index.IMPORTANT])
        return EntrySearch(
            parse_query(self.filter.q or ""),
            self.scope,
            groups=groups,
            entries=EntryList(self.chosen, shape),
            values=self.filter.values() | {"until": self.now + FUTURE_TOLERANCE},
            order=self.order,
            since=self.filter.since,
            until=self.filter.until,
            most_read=self.most_read,
        )


def search_entries(
    session: Session,
    source_ids: Collection[int],
    filter_: EntryFilter,
    *,
    limit: int,
    offset: int,
    now: datetime,
    order: SearchOrder = SearchOrder.DATE,
) -> tuple[int, list[bytes]]:
    """Return how many entries of some sources are found, and the documents of a page of them.

    For callers who may read them: they are found by their whole text.
    """
    ids = set(source_ids)
    if filter_.shape.narrows_sources:
        ids.intersection_update(matching_sources(session, filter_).ids)
    searched = SearchedList(
        filter_, frozenset(), "document", Scope.WHOLE, now, sorted(ids), order=order
    )
    page = searched.page(session, limit=limit, offset=offset)
    return page.total, [document for (document,) in page.rows]


def search_deadlines(session: Session, filter_: EntryFilter, *, now: datetime) -> list[int]:
    """Return the keys of the entries with deadlines that are found."""
    chosen, words = frozenset({LISTED}), (index.DEADLINE,)
    searched = SearchedList(
        filter_, chosen, "public", Scope.PUBLIC, now, words=words, most_read=MOST_DEADLINES
    )
    return searched.keys(session, most=MOST_DEADLINES)
