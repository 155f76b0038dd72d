"""A value that is dear to compute and may be a minute old."""

from collections.abc import Callable
from datetime import datetime, timedelta
from threading import Lock
from typing import Generic, TypeVar

KEEP = timedelta(seconds=60)
ValueT = TypeVar("ValueT")


class Kept(Generic[ValueT]):
    """Computes a value at most once in ``lifetime``, however many threads ask for it."""

    def __init__(self, make: Callable[[], ValueT], *, lifetime: timedelta = KEEP) -> None:
        self._make = make
        self._lifetime = lifetime
        self._lock = Lock()
        self._kept: tuple[datetime, ValueT] | None = None

    def get(self, *, now: datetime) -> ValueT:
        """Return the value. What its computation raises is raised, and nothing is kept."""
        with self._lock:
            if self._kept is None or abs(now - self._kept[0]) >= self._lifetime:
                self._kept = now, self._make()
            return self._kept[1]
