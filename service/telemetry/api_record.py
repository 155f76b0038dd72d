"""Each server process stores once a minute what the API answered, for the status page."""

import threading
import time
from collections.abc import Callable
from datetime import datetime

import structlog
from sqlalchemy.exc import SQLAlchemyError

from storage.engine.database import Database
from storage.scheduling.api_days import add_minute

log = structlog.get_logger(__name__)


class ApiRecord:
    """Counts answers of the API, and those that failed by a fault of ours."""

    def __init__(self, db: Database, now: Callable[[], datetime]) -> None:
        self._db, self._now, self._lock = db, now, threading.Lock()
        self._requests = self._failures = 0

    def count(self, path: str, status: int | None) -> None:
        """Count a request; one whose client left before the answer counts as answered."""
        if path.startswith("/api/"):
            self._add(1, status is not None and status >= 500)

    def _add(self, requests: int, failures: int) -> None:
        with self._lock:
            self._requests += requests
            self._failures += failures

    def store(self) -> None:
        """Store that the process runs, and what it counted; that waits if the database does."""
        requests, failures = self._requests, self._failures
        try:
            with self._db.write() as session:
                add_minute(session, requests=requests, failures=failures, now=self._now())
            self._add(-requests, -failures)
        except SQLAlchemyError as error:
            log.warning("the record of the API was not stored", reason=str(error))

    def run(self) -> None:
        """Store in each minute, a second after it began, for as long as this process lives."""
        while True:
            self.store()
            time.sleep(61 - self._now().second)
