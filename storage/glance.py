"""Reads so short that the event loop itself may make them (docs/decisions, ETags from states).

On SQLite an indexed read of a few rows takes less time than the change to another thread. It waits
for nobody: readers of a file in WAL mode need no lock, and where one is needed all the same (the
file is being recovered or replaced) this connection gives up at once instead of waiting.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock
from typing import Any, NoReturn, cast

from sqlalchemy.engine import Connection
from sqlalchemy.orm import Session

from storage.database import Database, on_postgresql


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
    """One connection of its own, for one view at a time; it is opened when it is first needed."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._connection: Connection | None = None
        self._lock = Lock()

    @contextmanager
    def view(self) -> Iterator[None]:
        """Let what is read inside see one state, asked by prepared queries only.

        Raises NotAtAGlance where that is not possible now.
        """
        if on_postgresql(self._db.engine) or not self._lock.acquire(blocking=False):
            raise NotAtAGlance
        try:
            connection = self._connection = self._connection or self._opened()
            handle: Any = connection.connection.dbapi_connection
            handle.execute("BEGIN DEFERRED")
            try:
                with self._db.reading_over(cast("Session", _PreparedOnly(connection))):
                    yield
            finally:
                handle.rollback()
        finally:
            self._lock.release()

    def _opened(self) -> Connection:
        connection = self._db.engine.connect()
        connection.detach()  # the pool's own are for threads
        handle: Any = connection.connection.dbapi_connection
        for pragma in ("busy_timeout = 0", "query_only = ON"):
            handle.execute(f"PRAGMA {pragma}")
        return connection

    def close(self) -> None:
        """Close the connection."""
        with self._lock:
            if self._connection is not None:
                self._connection.close()
                self._connection = None
