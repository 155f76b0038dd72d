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
        rows = session.execute(query.execution_options(yield_per=500))
        before, same = iter(known[1] if known else ()), dict[str, Any]()
        sources = [old if (old := next(before, None)) == row else _made(row, same) for row in rows]
        index = known[2] if known and known[1] == sources else SearchIndex(sources)
        known = _INDEXES[engine] = now, sources, index
    return known[2]


def _made(row: Sequence[Any], same: dict[str, Any]) -> IndexedSource:
    """Return a row as a source that has its vendor, tags and the like in common with others."""
    return IndexedSource(*row[:2], *(same.setdefault(repr(value), value) for value in row[2:]))


def forget_index() -> None:
    """Let the next search of this process read the catalog, because it is being changed."""
    _INDEXES.clear()
