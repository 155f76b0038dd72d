"""Checks that the database takes writes: at intervals, with a timeout."""

import threading
from concurrent.futures import Future
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Final

import structlog
from sqlalchemy import text
from sqlalchemy.exc import SQLAlchemyError

from storage.engine.database import Database, DatabaseUnavailable, explain_errors, prepare_file

log = structlog.get_logger(__name__)
EVERY: Final = timedelta(seconds=10)
PATIENCE_SECONDS: Final = 1.0
"""How long an answer is waited for; a write that waits for another one is no failure."""


def write_fault(database: Database) -> str | None:
    """Store a row as it is, and say what is wrong if that cannot be done."""
    try:
        if (url := database.engine.url).get_backend_name() == "sqlite":
            prepare_file(url.database, make=False)
        with explain_errors(database.engine), database.write() as session:
            session.execute(text("UPDATE alembic_version SET version_num = version_num"))
    except DatabaseUnavailable as error:
        return str(error)
    except SQLAlchemyError as error:  # such as no connection that is free
        return f"The database gives no connection: {error}"
    return None


class WriteProbe:
    """Tries a write at most every ten seconds, however many ask, in a thread of its own."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._lock = threading.Lock()
        self._newest: Future[str | None] | None = None
        self._begun: datetime | None = None

    def fault(self, *, now: datetime) -> str | None:
        """Return what was wrong at the newest try; None if nothing, or if it is still waiting."""
        with suppress(TimeoutError):
            return self._try(now).result(timeout=PATIENCE_SECONDS)
        return None

    def _try(self, now: datetime) -> Future[str | None]:
        with self._lock:
            newest, begun = self._newest, self._begun
            if newest is None or begun is None or (newest.done() and abs(now - begun) >= EVERY):
                newest = self._newest = Future()
                self._begun = now
                threading.Thread(target=self._run, args=(newest,), daemon=True).start()
            return newest

    def _run(self, result: Future[str | None]) -> None:
        result.set_result(fault := write_fault(self._database))
        if fault is not None:
            with suppress(OSError):  # the log may be on the same disk
                log.error("writes fail", fault=fault)
