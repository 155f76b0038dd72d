"""Classification of stored entries again, in the background, when the importance rules change."""

import threading

import structlog
from sqlalchemy.exc import DBAPIError

from changelog_reader.importance import IMPORTANCE_VERSION
from ingest.pipeline.public_entry import classify_entry
from ingest.workers.common import PAUSE_SECONDS, WITHOUT_DATABASE_SECONDS
from storage.engine.database import Database
from storage.entries.documents import documents_of, entry_object, entry_text, release_of
from storage.entries.reclassification import (
    OutdatedEntry,
    RejudgedEntry,
    outdated_entries,
    save_importance,
)
from storage.entries.search.index import words_of_documents

log = structlog.get_logger(__name__)

BATCH = 100


def reclassify(db: Database, stop: threading.Event) -> None:
    """Classify all entries of older rules again, until there are none or ``stop`` is set."""
    total = 0
    while not stop.is_set():
        try:
            count = reclassify_batch(db)
        except DBAPIError as error:
            log.error("entries wait for reclassification", reason=str(error.orig))
            stop.wait(WITHOUT_DATABASE_SECONDS)
            continue
        if not count:
            break
        total += count
        stop.wait(PAUSE_SECONDS)
    if total:
        log.info("reclassified", entries=total, importance_version=IMPORTANCE_VERSION)


def reclassify_batch(db: Database, *, most: int = BATCH, version: int = IMPORTANCE_VERSION) -> int:
    """Classify some entries of rules older than ``version`` again; return how many there were.

    No session is open meanwhile.
    """
    with db.read() as session:
        outdated = outdated_entries(session, version=version, most=most)
    entries = [_reclassified(entry) for entry in outdated]
    if entries:
        with db.write() as session:
            save_importance(session, entries, version=version)
    return len(outdated)


def _reclassified(entry: OutdatedEntry) -> RejudgedEntry:
    text = entry_text(entry.document)
    classified = classify_entry(text, source_name=entry.source_name)
    document, public = documents_of(entry_object(text), classified.public)
    return RejudgedEntry(
        entry.key,
        entry.content_hash,
        classified.importance,
        classified.deadlines,
        public,
        document,
        release_of(text),
        words_of_documents(document, public),
    )
