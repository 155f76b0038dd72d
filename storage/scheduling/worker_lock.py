"""Which processes check sources on SQLite, so that nobody waits for the leases of a dead one.

Each holds a shared lock on a file beside the database, which the system takes from it when it ends,
however it ends. Whoever gets the whole lock is alone: what is leased, dead processes have leased.
On PostgreSQL the queue knows its workers.
"""

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import func, select, update

from storage.engine.database import Database
from storage.models import FetchFacts

SUFFIX = "-ingesting"


@contextmanager
def hold_worker_lock(database: Database) -> Iterator[int]:
    """Hold the mark of a process that checks sources; give the number of leases that it ended.

    They are those of processes that were killed, and are ended only where no other one is alive.
    """
    path = _path(database)
    if path is None:
        yield 0
        return
    with path.open("ab") as file:
        ended = _end_leases(database) if _is_alone(file.fileno()) else 0
        fcntl.flock(file, fcntl.LOCK_SH)
        yield ended


def _path(database: Database) -> Path | None:
    url = database.engine.url
    is_file = url.get_backend_name() == "sqlite" and url.database not in (None, "", ":memory:")
    return Path(f"{url.database}{SUFFIX}") if is_file else None


def _is_alone(file: int) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _end_leases(database: Database) -> int:
    """End all leases; return how many there were."""
    leased = FetchFacts.leased_until.is_not(None)
    with database.read() as session:
        leases = session.scalar(select(func.count()).select_from(FetchFacts).where(leased)) or 0
    if leases:
        with database.write() as session:
            session.execute(update(FetchFacts).where(leased).values(leased_until=None))
    return leases
