"""What tells the items of a source's last document when they come again."""

from dataclasses import dataclass
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


_GIVEN = ("body_hash", "snapshot_hash", "basis", "items")
_ITEMS = PreparedQuery(
    select(*(getattr(ItemCache, name) for name in _GIVEN)).where(
        ItemCache.source_id == bindparam("source_id")
    )
)


def _remember(dialect: str) -> Any:
    written = insert_for(dialect, ItemCache)
    new = {name: written.excluded[name] for name in _GIVEN}
    return written.on_conflict_do_update(index_elements=[ItemCache.source_id], set_=new)


_REMEMBER = PreparedWrite(_remember, ["source_id", *_GIVEN])


def load_items(session: Session, source_id: int) -> CachedItems | None:
    """Return what was remembered last of a source's items, or None."""
    found = _ITEMS.rows(session, {"source_id": source_id})
    return CachedItems(*found[0]) if found else None


def store_items(session: Session, source_id: int, seen: CachedItems) -> None:
    """Remember these items of a source in the place of others."""
    row = {
        "source_id": source_id,
        "body_hash": seen.body_hash,
        "snapshot_hash": seen.snapshot_hash,
        "basis": seen.basis,
        "items": seen.items,
    }
    _REMEMBER.run(session, [row])
