"""Indexing of stored entries for searches, in the background, after an upgrade of the database."""

import threading

import structlog

from ingest.workers.background import in_batches
from storage.engine.database import Database
from storage.entries.search.index import index_missing, missing_keys

log = structlog.get_logger(__name__)

BATCH = 200
SECONDS_UNTIL_NEXT = 600.0  # a worker of before may have stored entries meanwhile


def index_stored(db: Database, stop: threading.Event) -> None:
    """Index entries that are not in the index as they are now, until ``stop`` is set."""
    total = 0
    for count in in_batches(index_batch, db, stop, waiting="entries wait to be indexed"):
        total += count
        if count == 0:
            if total:
                log.info("indexed for searches", entries=total)
            total = 0
            stop.wait(SECONDS_UNTIL_NEXT)


def index_batch(db: Database, *, most: int = BATCH) -> int:
    """Index some entries; return how many there were."""
    with db.read() as session:
        waiting = bool(missing_keys(session, most=1))
    if not waiting:
        return 0
    with db.write() as session:
        return index_missing(session, most=most)
