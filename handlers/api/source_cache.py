"""Items of the catalog as they are written, kept for as long as they say the same.

An item is everybody's: what of it a key may see is decided before. It is written anew when its
source, the facts about it or its entries have moved, and when time alone changes its health.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

import orjson
from sqlalchemy.orm import Session

from handlers.api.render import as_sample, as_source
from handlers.health import HoldsUntil, Judge
from storage.catalog.catalog_items import ItemRow, ItemState, item_rows, states_of
from storage.catalog.sources import sample_ids
from storage.entries.states import Totals

States = Sequence[tuple[Any, ...]]  # see storage.catalog.catalog_items.StatePage
MOST_KEPT: Final = 20_000  # items, of about 1.5 KB
MOST_KEPT_PAGES: Final = 500


@dataclass(frozen=True, slots=True)
class WrittenItem:
    """An item in both forms, and when it was right: from ``written_at`` until ``until``, without.

    ``digest`` is that of the full form.
    """

    state: ItemState
    catalog_moves: int
    written_at: datetime
    until: datetime
    full: bytes
    sample: bytes
    digest: bytes


@dataclass(frozen=True, slots=True)
class WrittenPage:
    """Some items in their order, and from when until when, without, all of them are right.

    ``digest`` is that of the full forms, ``sample_digest`` that of the others.
    """

    states: States
    catalog_moves: int
    written_at: datetime
    until: datetime
    items: Sequence[WrittenItem]
    digest: bytes
    sample_digest: bytes


class Shelf:
    """The items of one application, and the pages that were made of them."""

    def __init__(self, judge: Judge, holds_until: HoldsUntil) -> None:
        self._judge = judge
        self._holds_until = holds_until
        self._items: dict[int, WrittenItem] = {}
        self._pages: dict[tuple[int, int, int], WrittenPage] = {}
        self._sample: tuple[int, int, tuple[int, ...]] | None = None

    def page(
        self, session: Session, states: States, *, catalog_moves: int, now: datetime
    ) -> WrittenPage:
        """Return the items of some states, in their order; those that are missing are written.

        A page that comes again is known by its states, without a look at each item.
        """
        place = (len(states), states[0][0], states[-1][0]) if states else (0, 0, 0)
        kept = self._pages.get(place)
        if kept is None or kept.states != states or not _is_right(kept, catalog_moves, now):
            kept = self._page_of(session, states, catalog_moves, now)
            if len(self._pages) >= MOST_KEPT_PAGES:
                self._pages = {}
            self._pages[place] = kept
        return kept

    def _page_of(
        self, session: Session, states: States, catalog_moves: int, now: datetime
    ) -> WrittenPage:
        items = self._items_of(session, states, catalog_moves, now)
        return WrittenPage(
            states=states,
            catalog_moves=catalog_moves,
            written_at=max([each.written_at for each in items], default=now),
            until=min([each.until for each in items], default=now),
            items=items,
            digest=hashlib.sha256(b"".join([each.digest for each in items])).digest(),
            sample_digest=hashlib.sha256(b"".join([each.sample for each in items])).digest(),
        )

    def _items_of(
        self, session: Session, states: States, catalog_moves: int, now: datetime
    ) -> list[WrittenItem]:
        found: dict[int, WrittenItem] = {}
        missing: dict[int, ItemState] = {}
        for state in map(ItemState._make, states):
            kept = self._items.get(state.id)
            if kept is not None and kept.state == state and _is_right(kept, catalog_moves, now):
                found[state.id] = kept
            else:
                missing[state.id] = state
        if missing:
            for row in item_rows(session, missing, now=now):
                found[row.id] = self._written(row, missing[row.id], catalog_moves, now)
            self._keep(found)
        return [found[state[0]] for state in states if state[0] in found]

    def sample(self, session: Session, totals: Totals, *, limit: int) -> States:
        """Return the states of the sample; it is chosen anew when what it is chosen by moves."""
        kept = self._sample
        if kept is None or kept[:2] != (totals.sample_moves, limit):
            kept = self._sample = (
                totals.sample_moves,
                limit,
                tuple(sample_ids(session, limit=limit)),
            )
        return states_of(session, kept[2])

    def _written(
        self, row: ItemRow, state: ItemState, catalog_moves: int, now: datetime
    ) -> WrittenItem:
        item = row.as_item()
        until = self._holds_until(item, now)
        if row.next_entry_at is not None:
            until = min(until, row.next_entry_at)
        full = orjson.dumps(as_source(item, judge=self._judge, now=now))
        sample = orjson.dumps(as_sample(item, judge=self._judge, now=now))
        digest = hashlib.sha256(full).digest()
        return WrittenItem(state, catalog_moves, now, until, full, sample, digest)

    def _keep(self, items: dict[int, WrittenItem]) -> None:
        if len(self._items) > MOST_KEPT:
            self._items = {}
        self._items.update(items)


def _is_right(kept: WrittenItem | WrittenPage, catalog_moves: int, now: datetime) -> bool:
    return kept.catalog_moves == catalog_moves and kept.written_at <= now < kept.until
