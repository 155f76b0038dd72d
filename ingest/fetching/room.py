"""Room for large documents: two threads hold one at a time (docs/decisions/0021).

What a document may weigh is bounded, and many threads fetch; so bombs are bounded together.
"""

import ctypes
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

LARGE: Final = 512 * 1024
"""Bytes from which on a document needs room."""
PLACES: Final = 2
WAKES_EACH: Final = 0.5
_M_MMAP_THRESHOLD: Final = -3  # malloc.h
_MAPPED: Final = 128 * 1024


def give_memory_back() -> None:
    """Let glibc give blocks of 128 KiB and more back to the system as soon as they are free.

    By itself it raises that limit to the largest block that was ever freed (mallopt(3)), and what
    was large stays in the heaps of as many threads as have fetched. Another libc is left alone.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(_M_MMAP_THRESHOLD, _MAPPED)


class NoRoom(Exception):
    """Others hold large documents: fetch this one when they are done."""


class Room:
    """The places of large documents, shared by the threads that check sources."""

    def __init__(self, places: int = PLACES) -> None:
        self._free = threading.BoundedSemaphore(places)
        self._own = threading.local()

    @contextmanager
    def bounded(self) -> Iterator[None]:
        """Let this thread hold one large document at a time, until the end of the block."""
        self._own.is_bounded, self._own.has_place = True, False
        try:
            yield
        finally:
            if self._own.has_place:
                self._free.release()
            self._own.is_bounded = self._own.has_place = False

    def take(self) -> None:
        """Take a place for a document that turns out to be large. Raises NoRoom."""
        if getattr(self._own, "is_bounded", False) and not self._own.has_place:
            if not self._free.acquire(blocking=False):
                raise NoRoom
            self._own.has_place = True

    def wait(self, closed: threading.Event) -> None:
        """Wait for a place, holding nothing meanwhile; return without one when ``closed``."""
        while not closed.is_set() and not self._own.has_place:
            self._own.has_place = self._free.acquire(timeout=WAKES_EACH)
