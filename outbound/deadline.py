"""One time limit for all network operations of a request together."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final

import httpcore2

LONGEST_OPERATION_SECONDS: Final = 3600.0  # where no other limit is set

_ends_at: ContextVar[float] = ContextVar("ends_at", default=float("inf"))


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """Limit the time of all network operations of this thread inside the block together."""
    token = _ends_at.set(min(time.monotonic() + seconds, _ends_at.get()))
    try:
        yield
    finally:
        _ends_at.reset(token)


def seconds_left(timeout: float | None) -> float:
    """Return the timeout of one operation. Raises httpcore2.TimeoutException after the limit."""
    remaining = _ends_at.get() - time.monotonic()
    if remaining <= 0:
        raise httpcore2.TimeoutException("The exchange took too long.")
    return min(remaining, LONGEST_OPERATION_SECONDS if timeout is None else timeout)
