"""The index of the catalog as it is stored, kept until the catalog says something else."""

from typing import Final
from weakref import WeakKeyDictionary

from sqlalchemy import Engine, select
from sqlalchemy.orm import Session

from storage.catalog.search.index import IndexedSource, SearchIndex
from storage.engine.statements import PreparedQuery
from storage.entries.states import catalog_totals
from storage.models import Source

_INDEXES: Final[WeakKeyDictionary[Engine, tuple[int, SearchIndex]]] = WeakKeyDictionary()
_SOURCES: Final = PreparedQuery(select(*(getattr(Source, name) for name in IndexedSource._fields)))


def search_index(session: Session) -> SearchIndex:
    """Return the index of the catalog; it is made anew when the catalog's version changes."""
    version = catalog_totals(session).catalog_version
    engine = session.get_bind().engine
    known = _INDEXES.get(engine)
    if known is None or known[0] != version:
        sources = map(IndexedSource._make, _SOURCES.rows(session, {}))
        known = version, SearchIndex(sources)
        _INDEXES[engine] = known
    return known[1]
