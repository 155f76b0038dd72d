"""The JSON of the catalog's items, cached until it changes.

An item is the same for every caller who may see it. It is written again when its source, the facts
about fetching it or its entries have changed, and when its health changes as time passes.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Final

import orjson
from sqlalchemy.orm import Session

from handlers.api.render import as_sample, as_source
from handlers.context import Context
from handlers.health import Judge, ValidUntil
from storage.catalog.catalog_items import CatalogItem, ItemState, items_of, states_of
from storage.catalog.packages import purls_of
from storage.catalog.sources import sample_ids
from storage.engine.database import Database
from storage.entries.states import Totals

LARGEST: Final = 20_000  # items, of about 1.5 KB
APPLICATIONS: Final = 4  # in one process; a server has one


@dataclass(frozen=True, slots=True)
class WrittenItem:
    """An item in both forms, which are valid from ``since`` until before ``until``."""

    state: ItemState
    catalog_version: int
    since: datetime
    until: datetime
    full: bytes
    full_digest: bytes
    sample: bytes


class SourceCache:
    """The cache of one application."""

    def __init__(self, judge: Judge, holds_until: ValidUntil) -> None:
        self._judge = judge
        self._holds_until = holds_until
        self._items: dict[int, WrittenItem] = {}
        self._sample: tuple[int, int, list[int]] | None = None

    def items(
        self,
        session: Session,
        states: Sequence[ItemState],
        *,
        catalog_version: int,
        now: datetime,
    ) -> list[WrittenItem]:
        """Return the items of some states, in their order; write those that are not cached."""
        written: dict[int, WrittenItem] = {}
        missing: dict[int, ItemState] = {}
        for state in states:
            item = self._items.get(state.id)
            if item is None or not _is_valid(item, state, catalog_version, now):
                missing[state.id] = state
            else:
                written[state.id] = item
        purls = purls_of(session, missing)
        for row in items_of(session, missing, now=now):
            of_row = purls.get(row.id, ())
            written[row.id] = self._written(row, of_row, missing[row.id], catalog_version, now)
        if missing:
            self._keep(written)
        return [written[state.id] for state in states]

    def sample(self, session: Session, totals: Totals, *, limit: int) -> list[ItemState]:
        """Return the states of the sample, which is chosen again when its version changes."""
        chosen = self._sample
        if chosen is None or chosen[:2] != (totals.sample_version, limit):
            chosen = totals.sample_version, limit, sample_ids(session, limit=limit)
            self._sample = chosen
        return states_of(session, chosen[2])

    def _written(
        self,
        row: CatalogItem,
        purls: Sequence[str],
        state: ItemState,
        catalog_version: int,
        now: datetime,
    ) -> WrittenItem:
        until = self._holds_until(row, now)
        if row.next_entry_at is not None:
            until = min(until, row.next_entry_at)
        full = orjson.dumps(as_source(row, purls, judge=self._judge, now=now))
        sample = orjson.dumps(as_sample(row, judge=self._judge, now=now))
        digest = hashlib.sha256(full).digest()
        return WrittenItem(state, catalog_version, now, until, full, digest, sample)

    def _keep(self, items: dict[int, WrittenItem]) -> None:
        if len(self._items) > LARGEST:
            self._items = {}
        self._items.update(items)


def source_cache(services: Context) -> SourceCache:
    """Return the cache of an application, whose judge decides what its items say."""
    return _cache_of(services.db, services.judge, services.holds_until)


@lru_cache(maxsize=APPLICATIONS)
def _cache_of(_db: Database, judge: Judge, holds_until: ValidUntil) -> SourceCache:
    return SourceCache(judge, holds_until)


def digest_of(items: Sequence[WrittenItem]) -> str:
    """Return a digest of the full forms of some items, in their order."""
    return hashlib.sha256(b"".join([item.full_digest for item in items])).hexdigest()


def _is_valid(item: WrittenItem, state: ItemState, catalog_version: int, now: datetime) -> bool:
    return (
        item.state == state
        and item.catalog_version == catalog_version
        and item.since <= now < item.until
    )
