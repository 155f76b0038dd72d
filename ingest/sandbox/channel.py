"""Frames to and from a child over its pipes, within a time: a child may neither read nor answer."""

import os
import select
import time
from typing import Final

from ingest.sandbox.wire import LARGEST_REPLY, LENGTH, BrokenFrame, length_of

_PIECE: Final = 1024 * 1024


class Channel:
    """Our ends of a child's two pipes."""

    def __init__(self, requests: int, results: int) -> None:
        self._requests, self._results = requests, results
        os.set_blocking(requests, False)
        os.set_blocking(results, False)

    def exchange(self, request: bytearray, *, seconds: float) -> bytes:
        """Send a frame and return the payload of the one that answers.

        Raises TimeoutError, EOFError or OSError when the child has ended, and BrokenFrame for an
        answer that is too long, or that more follows.
        """
        until = time.monotonic() + seconds
        self._write(request, until)
        head = self._read(LENGTH, until)
        payload = self._read(length_of(head, largest=LARGEST_REPLY), until)
        if self._has_more():
            raise BrokenFrame("more than one answer")
        return payload

    def _write(self, frame: bytearray, until: float) -> None:
        rest = memoryview(frame)
        while rest:
            _wait(self._requests, select.POLLOUT, until)
            rest = rest[os.write(self._requests, rest[:_PIECE]) :]

    def _read(self, length: int, until: float) -> bytes:
        received = bytearray()
        while len(received) < length:
            _wait(self._results, select.POLLIN, until)
            piece = os.read(self._results, min(_PIECE, length - len(received)))
            if not piece:
                raise EOFError
            received += piece
        return bytes(received)

    def _has_more(self) -> bool:
        return any(state & select.POLLIN for _, state in _states(self._results, select.POLLIN, 0))


def _wait(pipe: int, event: int, until: float) -> None:
    if not _states(pipe, event, max(0.0, until - time.monotonic())):
        raise TimeoutError


def _states(pipe: int, event: int, seconds: float) -> list[tuple[int, int]]:
    poll = select.poll()
    poll.register(pipe, event)
    return poll.poll(seconds * 1000)
