"""Lists of entries with a filter: read from indexes, or from a search where words narrow them."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from sqlalchemy.orm import Session

from openapi.vocabulary import SearchOrder
from storage.engine.statements import Row, is_sqlite
from storage.entries.clock_skew import FUTURE_TOLERANCE
from storage.entries.entry_filter import EntryFilter, MatchingSources, matching_sources
from storage.entries.entry_query import (
    AHEAD,
    IMPORTANT,
    LISTED,
    MOST_MERGED,
    NOT_AHEAD,
    PUBLIC_IMPORTANT,
    UNLISTED,
    EntryList,
    Place,
    count_query,
    nearest,
    page_query,
    rows_of_keys,
    source_values,
)
from storage.entries.list_totals import COUNTED, listed_total
from storage.entries.search.matching import Scope
from storage.entries.search.search import MOST_HITS, EntrySearch, RowPage


@dataclass(frozen=True, slots=True)
class FilteredList:
    """A list over all sources with a filter. ``columns`` are those of its rows.

    ``most_hits``: entries that a search looks for, and counts.
    """

    chosen: frozenset[str]
    filter: EntryFilter
    columns: str
    now: datetime
    order: SearchOrder = SearchOrder.DATE
    scope: Scope = Scope.PUBLIC
    most_hits: int = MOST_HITS

    def page(self, session: Session, *, limit: int, offset: int) -> RowPage:
        """Return a page, and how many entries there are."""
        sources = self._sources(session)
        if self.filter.is_contradictory or (sources is not None and not sources.ids):
            return RowPage(0, [])
        if self.filter.q is not None:
            search, most = self._search(sources), self.most_hits
            return search.page(session, self.columns, limit=limit, offset=offset, most=most)
        total = self._total(session, sources)
        if offset >= total:
            return RowPage(total, [])
        place = nearest(limit=limit, offset=offset, total=total)
        return RowPage(total, self._rows(session, sources, place))

    def newest(self, session: Session, most: int, offset: int = 0) -> list[Row]:
        """Return the newest rows."""
        sources = self._sources(session)
        if self.filter.is_contradictory or (sources is not None and not sources.ids):
            return []
        if self.filter.q is not None:
            counted = min(most + offset, MOST_HITS)
            keys = self._search(sources).hits(session, most=counted).keys
            return rows_of_keys(session, self.columns, keys[offset:])
        return self._rows(session, sources, Place(most, offset))

    def _search(self, sources: MatchingSources | None) -> EntrySearch:
        """Return the list as a search, by default in what everybody is served."""
        ids = None if sources is None else sources.ids
        return EntrySearch(self.filter, self.chosen, self.scope, self.now, ids, self.order)

    def _sources(self, session: Session) -> MatchingSources | None:
        """Return the sources that are meant; None for all."""
        narrows = self.filter.shape.narrows_sources
        return matching_sources(session, self.filter) if narrows else None

    def _entries(
        self, sources: MatchingSources | None, chosen: frozenset[str]
    ) -> tuple[EntryList, tuple[int, ...]]:
        """Return the list and the ids that it merges: a power of two, so that few queries do."""
        shape = self.filter.shape
        if sources is None or len(sources.ids) > MOST_MERGED:
            return EntryList(chosen, shape), ()
        size = min(MOST_MERGED, 1 << (len(sources.ids) - 1).bit_length())
        ids = sources.ids + (NO_SOURCE,) * (size - len(sources.ids))
        return EntryList(chosen, shape.of_entries, merged=size), ids

    def _rows(self, session: Session, sources: MatchingSources | None, place: Place) -> list[Row]:
        entries, ids = self._entries(sources, self.chosen)
        query = page_query(
            entries, self.columns, is_sqlite=is_sqlite(session), from_oldest=place.from_oldest
        )
        return query.rows(session, self._values(ids, limit=place.limit, offset=place.offset))

    def _values(self, ids: tuple[int, ...], *, limit: int, offset: int) -> dict[str, Any]:
        values = page_values(self.filter, ids, limit=limit, offset=offset)
        return values | {"until": self.now + FUTURE_TOLERANCE}

    def _total(self, session: Session, sources: MatchingSources | None) -> int:
        """Return how many entries there are.

        Stored counts say so where only sources are meant, small indexes where only prereleases and
        categories are.
        """
        shape = self.filter.shape
        if sources is None and shape.names <= COUNTED and self._is_public:
            until = self.now + FUTURE_TOLERANCE
            return listed_total(session, self.chosen, self.filter, until=until)
        if sources is None or shape.of_entries.names:
            entries, ids = self._entries(sources, self.chosen)
            return count_query(entries).value(session, self._values(ids, limit=0, offset=0)) or 0
        total = sources.important if IMPORTANT in self.chosen else sources.entries
        hidden = [{UNLISTED}, {LISTED, AHEAD}] if NOT_AHEAD in self.chosen else [{UNLISTED}]
        return total - sum(self._count(session, sources, names) for names in hidden)

    @property
    def _is_public(self) -> bool:
        return LISTED in self.chosen and self.chosen <= PUBLIC_IMPORTANT

    def _count(self, session: Session, sources: MatchingSources, chosen: set[str]) -> int:
        entries, ids = self._entries(sources, frozenset(chosen) | (self.chosen & {IMPORTANT}))
        return count_query(entries).value(session, self._values(ids, limit=0, offset=0)) or 0


NO_SOURCE: Final = 0
"""The id that no source has."""


def page_values(
    filter_: EntryFilter, ids: tuple[int, ...], *, limit: int, offset: int
) -> dict[str, Any]:
    """Return the values of a page of sources, by their ids, and of a filter."""
    page = {"most": limit + offset, "limit": limit, "offset": offset}
    return {**source_values(ids), **page, **filter_.values()}
