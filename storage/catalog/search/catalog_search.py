"""The index of the catalog as it is stored, kept until the catalog says something else."""

import time
from collections.abc import Sequence
from typing import Any, Final
from weakref import WeakKeyDictionary

from sqlalchemy import Engine, select
from sqlalchemy.orm import Session

from storage.catalog.search.index import IndexedSource, SearchIndex
from storage.models import Source

COMPARED_EVERY_SECONDS: Final = 1.0
_INDEXES: Final = WeakKeyDictionary[Engine, tuple[float, Sequence[Any], SearchIndex]]()


def search_index(session: Session) -> SearchIndex:
    """Return the index of the catalog as it was at most a second ago."""
    engine, now = session.get_bind().engine, time.monotonic()
    known = _INDEXES.get(engine)
    if known is None or now - known[0] >= COMPARED_EVERY_SECONDS:
        columns = (getattr(Source, name) for name in IndexedSource._fields)
        query = select(*columns).where(~Source.on_demand).order_by(Source.id)
        sources = session.execute(query).all()
        is_same = known is not None and known[1] == sources
        index = known[2] if known and is_same else SearchIndex(map(IndexedSource._make, sources))
        known = _INDEXES[engine] = now, sources, index
    return known[2]


def forget_index() -> None:
    """Let the next search of this process read the catalog, because it is being changed."""
    _INDEXES.clear()
