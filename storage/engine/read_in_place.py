"""Reads so short that the event loop itself may make them (docs/decisions/0049).

On SQLite an indexed read of a few rows takes less time than the change to another thread. It waits
for nobody: readers of a file in WAL mode need no lock, and where one is needed all the same (the
file is being recovered or replaced) this connection gives up at once instead of waiting.
"""

from threading import Lock
from typing import Any, Final, NoReturn, cast

from sqlalchemy.engine import Connection
from sqlalchemy.orm import Session

from storage.engine.database import Database, ReadingOver, on_postgresql

CACHE_KIB: Final = 16_384  # the pages that everybody asks for; one such connection a process


class NotAtAGlance(Exception):
    """The question is not one for the event loop; ask it in a thread."""


class _PreparedOnly:
    """Stands for a session that answers prepared queries and nothing else."""

    def __init__(self, bind: Connection) -> None:
        self.bind = bind

    def get_bind(self) -> Connection:
        """Return what prepared queries ask for the dialect."""
        return self.bind

    def __getattr__(self, name: str) -> NoReturn:
        raise NotAtAGlance(name)


class Glance:
    """One connection of its own, opened when it is first needed; a block is a view of it."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._possible = not on_postgresql(db.engine)
        self._connection: Connection | None = None
        self._handle: Any = None
        self._reading: ReadingOver
        self._lock = Lock()

    def __enter__(self) -> None:
        """Let what is read in the block see one state, asked by prepared queries only.

        Raises NotAtAGlance where that is not possible now.
        """
        if not self._possible or not self._lock.acquire(blocking=False):
            raise NotAtAGlance
        try:
            if self._connection is None:
                self._open()
            self._handle.execute("BEGIN DEFERRED")
            self._reading.__enter__()
        except BaseException:
            self._lock.release()
            raise

    def __exit__(self, *error: object) -> None:
        """End the view."""
        try:
            self._reading.__exit__(*error)
            self._handle.rollback()
        finally:
            self._lock.release()

    def _open(self) -> None:
        connection = self._db.engine.connect()
        connection.detach()  # the pool's own are for threads
        self._handle = connection.connection.dbapi_connection
        for pragma in ("busy_timeout = 0", "query_only = ON", f"cache_size = -{CACHE_KIB}"):
            self._handle.execute(f"PRAGMA {pragma}")
        self._reading = self._db.reading_over(cast("Session", _PreparedOnly(connection)))
        self._connection = connection

    def close(self) -> None:
        """Close the connection."""
        with self._lock:
            if self._connection is not None:
                self._connection.close()
                self._connection = None
