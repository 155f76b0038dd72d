"""Judges stored entries anew when the rules of importance have changed, in the background."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import structlog
from sqlalchemy.exc import DBAPIError

from ingest.importance import IMPORTANCE_VERSION
from ingest.pipeline.entry_changes import judged
from storage.engine.database import Database
from storage.entries.documents import entry_text
from storage.entries.reclassification import (
    OutdatedEntry,
    RejudgedEntry,
    outdated_entries,
    save_importance,
)

log = structlog.get_logger(__name__)

BATCH = 100
WITHOUT_DATABASE_SECONDS = 10.0
PAUSE_SECONDS = 0.05  # about as long as a batch takes: half of the time is left to others


@contextmanager
def reclassifying(db: Database, stop: threading.Event) -> Iterator[None]:
    """Judge stored entries anew in a thread of its own while the block runs."""
    thread = threading.Thread(target=reclassify, args=(db, stop), name="reclassify")
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()


def reclassify(db: Database, stop: threading.Event) -> None:
    """Judge all entries that older rules judged, until there are none or told to stop.

    Every batch is a transaction of its own: it may be interrupted anywhere and goes on from
    there, and ingestion writes in between. A database that cannot be written is tried again.
    """
    total, left = 0, True
    while left and not stop.is_set():
        try:
            count = reclassify_some(db)
        except DBAPIError as error:
            log.error("entries wait to be judged anew", reason=str(error.orig))  # noqa: TRY400 - the reason is enough
            stop.wait(WITHOUT_DATABASE_SECONDS)
            continue
        total, left = total + count, count > 0
        stop.wait(PAUSE_SECONDS)
    if total:
        log.info("reclassified", entries=total, importance_version=IMPORTANCE_VERSION)


def reclassify_some(db: Database, *, most: int = BATCH, version: int = IMPORTANCE_VERSION) -> int:
    """Judge some entries that rules older than ``version`` judged; return how many it were.

    No session is open while they are judged.
    """
    with db.read() as session:
        outdated = outdated_entries(session, version=version, most=most)
    rejudged = [_rejudged(each) for each in outdated]
    if rejudged:
        with db.write() as session:
            save_importance(session, rejudged, version=version)
    return len(outdated)


def _rejudged(entry: OutdatedEntry) -> RejudgedEntry:
    importance, deadlines = judged(entry_text(entry.document))
    return RejudgedEntry(entry.key, entry.content_hash, importance, deadlines)
