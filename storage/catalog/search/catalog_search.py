"""The index of the catalog as it is stored, kept until the catalog says something else."""

import time
from typing import Any, Final
from weakref import WeakKeyDictionary

from sqlalchemy import Engine, select
from sqlalchemy.orm import Session

from storage.catalog.search.index import IndexedSource, SearchIndex
from storage.engine.statements import PreparedQuery
from storage.models import Source

COMPARED_EVERY_SECONDS: Final = 1.0
_INDEXES: Final[WeakKeyDictionary[Engine, tuple[float, list[Any], SearchIndex]]] = (
    WeakKeyDictionary()
)
_SOURCES: Final = PreparedQuery(select(*(getattr(Source, name) for name in IndexedSource._fields)))


def search_index(session: Session) -> SearchIndex:
    """Return the index of the catalog as it was at most a second ago."""
    engine, now = session.get_bind().engine, time.monotonic()
    known = _INDEXES.get(engine)
    if known is None or now - known[0] >= COMPARED_EVERY_SECONDS:
        sources = _SOURCES.rows(session, {})
        is_same = known is not None and known[1] == sources
        index = known[2] if known and is_same else SearchIndex(map(IndexedSource._make, sources))
        known = _INDEXES[engine] = now, sources, index
    return known[2]


def forget_index() -> None:
    """Let the next search of this process read the catalog, because it is being changed."""
    _INDEXES.clear()
