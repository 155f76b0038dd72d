"""The items of each source's last document, by which unchanged items are recognised."""

from dataclasses import asdict, dataclass, fields
from typing import Any

from sqlalchemy import bindparam, select
from sqlalchemy.orm import Session

from storage.engine.statements import PreparedQuery, PreparedWrite
from storage.engine.upsert import insert_for
from storage.models import ItemCache


@dataclass(frozen=True, slots=True)
class CachedItems:
    """The items of a document and of the state that it showed; both are named by their hashes.

    ``items`` are read and written by ``ingest.pipeline.item_cache``.
    """

    body_hash: str
    snapshot_hash: str
    basis: bytes
    items: bytes


_FIELDS = [field.name for field in fields(CachedItems)]
_ITEMS = PreparedQuery(
    select(*(getattr(ItemCache, name) for name in _FIELDS)).where(
        ItemCache.source_id == bindparam("source_id")
    )
)


def _upsert(dialect: str) -> Any:
    insert = insert_for(dialect, ItemCache)
    new_values = {name: insert.excluded[name] for name in _FIELDS}
    return insert.on_conflict_do_update(index_elements=[ItemCache.source_id], set_=new_values)


_STORE = PreparedWrite(_upsert, ["source_id", *_FIELDS])


def load_items(session: Session, source_id: int) -> CachedItems | None:
    """Return the cached items of a source, or None."""
    rows = _ITEMS.rows(session, {"source_id": source_id})
    return CachedItems(*rows[0]) if rows else None


def store_items(session: Session, source_id: int, cached: CachedItems) -> None:
    """Cache these items of a source in place of its earlier ones."""
    _STORE.run(session, [{"source_id": source_id, **asdict(cached)}])
