"""What the status page says of the API: each server process stores once a minute what it answered.

Counts of the last minute are lost when a process ends; that it ran in that minute is stored.
"""

import threading
from collections.abc import Callable
from datetime import datetime
from typing import Final

import structlog
from sqlalchemy.exc import SQLAlchemyError

from storage.engine.database import Database
from storage.scheduling.api_days import add_minute

SERVER_ERROR: Final = 500
PATHS: Final = "/api/"
log = structlog.get_logger(__name__)


class ApiRecord:
    """Counts answers of the API, and those that failed by a fault of ours."""

    def __init__(self, db: Database, now: Callable[[], datetime]) -> None:
        self._db = db
        self._now = now
        self._lock = threading.Lock()
        self._requests = self._failures = 0

    def count(self, path: str, status: int | None) -> None:
        """Count a request; one whose client left before the answer counts as answered."""
        if path.startswith(PATHS):
            with self._lock:
                self._requests += 1
                self._failures += status is not None and status >= SERVER_ERROR

    def store(self) -> None:
        """Store that the process runs, and what it counted; that waits if the database does."""
        with self._lock:
            requests, failures = self._requests, self._failures
            self._requests = self._failures = 0
        try:
            with self._db.write() as session:
                add_minute(session, requests=requests, failures=failures, now=self._now())
        except SQLAlchemyError as error:
            log.warning("the record of the API was not stored", reason=str(error))
            with self._lock:
                self._requests += requests
                self._failures += failures

    def start(self, stop: threading.Event) -> None:
        """Store in each minute, a second after it began, in a thread of its own, until told."""
        threading.Thread(target=self._run, args=(stop,), name="api record", daemon=True).start()

    def _run(self, stop: threading.Event) -> None:
        self.store()
        while not stop.wait(61 - self._now().second):
            self.store()
