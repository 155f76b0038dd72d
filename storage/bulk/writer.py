"""Write a snapshot, source by source, while entries are stored.

The number of the newest change is read first, and each source in a view of its own. So entries that
were stored during the writing may be in it: clients that continue from the number get them again,
and have what is stored in the end (docs/decisions/0041).
"""

from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import IO, Final

from sqlalchemy import bindparam, select
from sqlalchemy.orm import Session
from zstandard import ZstdCompressor

from storage.bulk.snapshot import Frame, Snapshot, save_snapshot, written_whole
from storage.engine.database import Database
from storage.engine.types import AnySelect
from storage.entries.changes import newest_change
from storage.models import Entry, Source

LEVEL: Final = 3
BATCH: Final = 500  # entries in memory at a time

_DOCUMENTS: AnySelect = (
    select(Entry.document)
    .where(Entry.source_id == bindparam("source_id"))
    .order_by(Entry.published_at, Entry.external_id)
    .execution_options(yield_per=BATCH)
)


class Interrupted(Exception):
    """The writing was stopped."""


def write_snapshot(
    db: Database, folder: Path, *, now: datetime, stopped: Callable[[], bool] = lambda: False
) -> Snapshot:
    """Write a snapshot of every source that has entries. Raises OSError and Interrupted."""
    with db.read() as session:
        number = newest_change(session)
        query = select(Source.id, Source.slug).where(~Source.on_demand).order_by(Source.slug)
        sources = session.execute(query).all()
    file = f"entries-{now:%Y%m%dT%H%M%S%f}.ndjson.zst"
    frames, start = [], 0
    with written_whole(folder / file) as target:
        for source_id, slug in sources:
            if stopped():
                raise Interrupted
            with db.read() as session:
                length, entries = _write_frame(session, source_id, target)
            if entries:
                frames.append(Frame(slug, start, length, entries))
                start += length
    snapshot = Snapshot(number, now, file, tuple(frames))
    save_snapshot(folder, snapshot)
    return snapshot


def _write_frame(session: Session, source_id: int, target: IO[bytes]) -> tuple[int, int]:
    """Write the entries of a source; return the bytes and the entries."""
    length = entries = 0
    compressor = ZstdCompressor(level=LEVEL).compressobj()
    rows = session.connection().execute(_DOCUMENTS, {"source_id": source_id}).scalars()
    for documents in rows.partitions():
        entries += len(documents)
        length += target.write(compressor.compress(b"\n".join([*documents, b""])))
    if entries:
        length += target.write(compressor.flush())
    return length, entries
