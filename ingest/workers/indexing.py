"""Indexing of stored entries for searches, in the background, after an upgrade of the database."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import structlog
from sqlalchemy.exc import DBAPIError

from storage.engine.database import Database
from storage.entries.search.index import index_missing, missing_keys

log = structlog.get_logger(__name__)

BATCH = 200
WITHOUT_DATABASE_SECONDS = 10.0
PAUSE_SECONDS = 0.05  # about as long as a batch takes: half of the time is left to others
SECONDS_UNTIL_NEXT = 600.0  # a worker of before may have stored entries meanwhile


@contextmanager
def background_indexing(db: Database, stop: threading.Event) -> Iterator[None]:
    """Index stored entries in a thread of its own while the block runs."""
    thread = threading.Thread(target=index_stored, args=(db, stop), name="index")
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()


def index_stored(db: Database, stop: threading.Event) -> None:
    """Index entries that are not in the index as they are now, until ``stop`` is set.

    Every batch is a transaction of its own: it may be interrupted anywhere and goes on from
    there, and ingestion writes in between. A database that cannot be written is tried again.
    """
    total = 0
    while not stop.is_set():
        try:
            count = index_batch(db)
        except DBAPIError as error:
            log.error("entries wait to be indexed", reason=str(error.orig))
            stop.wait(WITHOUT_DATABASE_SECONDS)
            continue
        total += count
        if count == 0 and total:
            log.info("indexed for searches", entries=total)
            total = 0
        stop.wait(PAUSE_SECONDS if count else SECONDS_UNTIL_NEXT)


def index_batch(db: Database, *, most: int = BATCH) -> int:
    """Index some entries; return how many there were."""
    with db.read() as session:
        waiting = bool(missing_keys(session, most=1))
    if not waiting:
        return 0
    with db.write() as session:
        return index_missing(session, most=most)
