"""Drop old snapshots, diffs and revisions, where the operator wants it (docs/decisions/0236)."""

import threading
from collections import Counter
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Final

import structlog
from sqlalchemy.exc import DBAPIError

from changelog_reader.snapshots.snapshot import prune
from ingest.workers.common import PAUSE_SECONDS, WITHOUT_DATABASE_SECONDS
from storage.catalog.sources import all_source_ids
from storage.engine.database import Database
from storage.entries.diffs import NEWEST, diff_times, drop_diffs, drop_snapshots, snapshot_times
from storage.entries.revisions import drop_revisions, entries_with_old_revisions
from storage.scheduling.due import lock_facts

log = structlog.get_logger(__name__)

AT_ONCE: Final = 200
SECONDS_BETWEEN_RUNS: Final = 86_400.0


def keep_history(
    db: Database, stop: threading.Event, *, kept_for: timedelta, now: Callable[[], datetime]
) -> None:
    """Drop what is older than ``kept_for``, now and once a day, until ``stop`` is set."""
    while not stop.is_set():
        try:
            dropped = drop_old_history(db, stop, kept_for=kept_for, now=now())
        except DBAPIError as error:
            log.error("old history waits to be dropped", reason=str(error.orig))
            stop.wait(WITHOUT_DATABASE_SECONDS)
            continue
        if dropped:
            log.info("dropped old history", **dropped)
        stop.wait(SECONDS_BETWEEN_RUNS)


def drop_old_history(
    db: Database, stop: threading.Event, *, kept_for: timedelta, now: datetime
) -> Counter[str]:
    """Drop what is older of every source, in small transactions; return how much of what.

    Raises DBAPIError.
    """
    dropped: Counter[str] = Counter()
    with db.read() as session:
        source_ids = all_source_ids(session)
    for source_id in source_ids:
        while not stop.is_set():
            some = _drop_some(db, source_id, kept_for=kept_for, now=now)
            if not some:
                break
            dropped += some
            stop.wait(PAUSE_SECONDS)
    return dropped


def _drop_some(db: Database, source_id: int, *, kept_for: timedelta, now: datetime) -> Counter[str]:
    """Drop a bounded part of what is old of a source; a check of it waits meanwhile.

    Its newest diffs stay however old, as /diffs serves them, and the snapshot that the next one
    starts from.
    """
    before = now - kept_for
    with db.read() as session:
        states, changes = snapshot_times(session, source_id), diff_times(session, source_id)
        edited = entries_with_old_revisions(session, source_id, before=before, most=AT_ONCE)
    snapshots = prune(states, now=now, newest=1, kept_for=kept_for)[:AT_ONCE]
    diffs = prune(changes, now=now, newest=NEWEST, kept_for=kept_for)[:AT_ONCE]
    if not (snapshots or diffs or edited):
        return Counter()
    with db.write() as session:
        lock_facts(session, [source_id])
        drop_snapshots(session, snapshots)
        drop_diffs(session, diffs)
        revisions = drop_revisions(session, edited, before=before)
    return +Counter(snapshots=len(snapshots), diffs=len(diffs), revisions=revisions)
