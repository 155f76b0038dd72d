"""Which processes check sources on SQLite, so that nobody waits for the leases of a dead one.

Each holds a shared lock on a file beside the database, which the system takes from it when it ends,
however it ends. Whoever gets the whole lock is alone: what is leased, dead processes have leased.
On PostgreSQL the queue knows its workers.
"""

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from sqlalchemy import func, select, update

from storage.engine.database import Database
from storage.models import FetchFacts

SUFFIX = "-ingesting"


@contextmanager
def hold_worker_lock(database: Database) -> Iterator[int | None]:
    """Hold the mark of a process that checks sources; give the number of leases that it ended.

    They are those of processes that were killed; None are ended where another one is alive.
    """
    url = database.engine.url
    if url.get_backend_name() != "sqlite" or url.database in (None, "", ":memory:"):
        yield 0
        return
    with Path(f"{url.database}{SUFFIX}").open("ab") as file:
        ended = None
        with suppress(BlockingIOError):
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            leased = FetchFacts.leased_until.is_not(None)
            count = select(func.count()).select_from(FetchFacts).where(leased)
            with database.read() as session:
                ended = session.scalar(count) or 0
            if ended:
                with database.write() as session:
                    session.execute(update(FetchFacts).where(leased).values(leased_until=None))
        fcntl.flock(file, fcntl.LOCK_SH)
        yield ended
