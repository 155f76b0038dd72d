"""The snapshot of all entries that /bulk serves, made once a day (docs/decisions/0041)."""

import fcntl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final

import structlog
from sqlalchemy.exc import DBAPIError

from storage.bulk.snapshot import Snapshot, load_snapshot
from storage.bulk.writer import Interrupted, write_snapshot
from storage.engine.database import Database

log = structlog.get_logger(__name__)

OLDEST: Final = timedelta(days=1)
SECONDS_BETWEEN_LOOKS: Final = 600.0
LOCK: Final = "lock"


def keep_snapshot(
    db: Database, stop: threading.Event, *, folder: Path, now: Callable[[], datetime]
) -> None:
    """Make a snapshot whenever the newest one is a day old, until ``stop`` is set."""
    while not stop.is_set():
        try:
            make_snapshot(db, folder, now=now(), stopped=stop.is_set)
        except Interrupted:
            return
        except (DBAPIError, OSError) as error:
            log.error("no snapshot was made for /bulk", reason=str(error).splitlines()[0])
        stop.wait(SECONDS_BETWEEN_LOOKS)


def make_snapshot(
    db: Database,
    folder: Path,
    *,
    now: datetime,
    stopped: Callable[[], bool] = lambda: False,
    anyway: bool = False,
) -> Snapshot | None:
    """Make a snapshot if it is time; return None where it is not, or another process makes it.

    ``anyway``: even if it is not time. Raises DBAPIError, OSError and Interrupted.
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    with _alone(folder) as alone:
        if not alone or not (anyway or is_due(load_snapshot(folder), now=now)):
            return None
        snapshot = write_snapshot(db, folder, now=now, stopped=stopped)
    log.info("wrote the file for /bulk", entries=snapshot.entries, bytes=snapshot.size)
    return snapshot


def is_due(newest: Snapshot | None, *, now: datetime) -> bool:
    """Return whether it is time for a snapshot; an empty one is tried again at once."""
    if newest is None or not newest.frames:
        return True
    return not timedelta(0) <= now - newest.made_at < OLDEST


@contextmanager
def _alone(folder: Path) -> Iterator[bool]:
    """Return whether no other process makes one; the others wait until the block ends."""
    with (folder / LOCK).open("wb") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
        else:
            yield True
