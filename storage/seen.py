"""What tells the items of a source's last document when they come again."""

from dataclasses import dataclass

from sqlalchemy import select
from sqlalchemy.orm import Session

from storage.models import SeenItems
from storage.upsert import insert_into


@dataclass(frozen=True, slots=True)
class StoredItems:
    """The items of a document and of the state that it showed; both are named by their hashes.

    ``items`` are read and written by ``ingest.seen``.
    """

    body_hash: str
    snapshot_hash: str
    basis: bytes
    items: bytes


def seen_items(session: Session, source_id: int) -> StoredItems | None:
    """Return what was remembered last of a source's items, or None."""
    query = select(
        SeenItems.body_hash, SeenItems.snapshot_hash, SeenItems.basis, SeenItems.items
    ).where(SeenItems.source_id == source_id)
    row = session.execute(query).one_or_none()
    return None if row is None else StoredItems(*row)


def remember_items(session: Session, source_id: int, seen: StoredItems) -> None:
    """Remember these items of a source in the place of others."""
    values = {
        "body_hash": seen.body_hash,
        "snapshot_hash": seen.snapshot_hash,
        "basis": seen.basis,
        "items": seen.items,
    }
    written = insert_into(session, SeenItems).values(source_id=source_id, **values)
    session.execute(
        written.on_conflict_do_update(index_elements=[SeenItems.source_id], set_=values)
    )
