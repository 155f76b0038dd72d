"""One limit of time for all network operations of an exchange, however many there are."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final

import httpcore2

LONGEST_OPERATION: Final = 3600.0  # seconds of one operation without any other limit

_ends_at: ContextVar[float] = ContextVar("ends_at", default=float("inf"))


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """Let all network operations of this thread end after this many seconds altogether."""
    token = _ends_at.set(min(time.monotonic() + seconds, _ends_at.get()))
    try:
        yield
    finally:
        _ends_at.reset(token)


def seconds_left(timeout: float | None) -> float:
    """Return how long one operation may take. Raises httpcore2.TimeoutException after the end."""
    left = _ends_at.get() - time.monotonic()
    if left <= 0:
        raise httpcore2.TimeoutException("The exchange took too long.")
    return min(left, LONGEST_OPERATION if timeout is None else timeout)
