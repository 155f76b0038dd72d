"""The line in the log that says that the database fails."""

import time

import structlog

log = structlog.get_logger(__name__)

INTERVAL = 1.0  # seconds


class OutageLog:
    """Logs at most one line a second, however many requests notice the same."""

    def __init__(self, event: str) -> None:
        self._event = event
        self._next = float("-inf")

    def note(self, error: Exception) -> None:
        """Log the first line of an error, unless a line was logged just now."""
        now = time.monotonic()
        if now >= self._next:
            self._next = now + INTERVAL
            log.error(self._event, reason=str(error).partition("\n")[0])
