"""Writers of one process take turns in the order in which they came, with a deadline.

SQLite lets writers that wait try again at random times: under a burst one may never get its turn.
"""

import threading
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy.exc import OperationalError

from storage.engine import sqlite


class WriteQueue:
    """A fair lock: whoever waits the longest gets it next."""

    def __init__(self, patience: float) -> None:
        self._patience = patience
        self._lock = threading.Lock()
        self._is_taken = False
        self._waiting: deque[threading.Event] = deque()

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Hold the lock while the block runs. Raises OperationalError, as a locked file does."""
        self._take()
        try:
            yield
        finally:
            self._hand_on()

    def _take(self) -> None:
        with self._lock:
            if not self._is_taken:
                self._is_taken = True
                return
            begins = threading.Event()
            self._waiting.append(begins)
        if begins.wait(self._patience):
            return
        with self._lock:
            if not begins.is_set():  # else it was handed on at the last moment
                self._waiting.remove(begins)
                raise OperationalError(None, None, sqlite.locked())

    def _hand_on(self) -> None:
        with self._lock:
            if self._waiting:
                self._waiting.popleft().set()
            else:
                self._is_taken = False
