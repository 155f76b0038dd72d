"""A value that is costly to compute and may be a minute old."""

from collections.abc import Callable
from datetime import datetime, timedelta
from threading import Lock
from typing import Generic, TypeVar

LIFETIME = timedelta(seconds=60)
ValueT = TypeVar("ValueT")


class CachedValue(Generic[ValueT]):
    """Computes a value at most once in ``lifetime``, however many threads ask for it."""

    def __init__(self, make: Callable[[], ValueT], *, lifetime: timedelta = LIFETIME) -> None:
        self._make = make
        self._lifetime = lifetime
        self._lock = Lock()
        self._cached: tuple[datetime, ValueT] | None = None

    def get(self, *, now: datetime) -> ValueT:
        """Return the value. What its computation raises is raised, and nothing is cached."""
        with self._lock:
            if self._cached is None or abs(now - self._cached[0]) >= self._lifetime:
                self._cached = now, self._make()
            return self._cached[1]
