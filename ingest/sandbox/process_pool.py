"""A pool of child processes that can be killed, for work that may take all time and memory.

Each child is a program of its own (``ingest.sandbox.child``). The thread that waits for a result
writes the request to its child and reads the result, so that nothing else has to run for it.
"""

import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from threading import BoundedSemaphore, Condition, Event, Lock
from typing import Final, TypeVar

from ingest.sandbox.wire import (
    LARGEST_REPLY_BYTES,
    LENGTH_BYTES,
    BrokenFrame,
    Failure,
    length_of,
    request_of,
    result_of,
)

ResultT = TypeVar("ResultT")

RECYCLE_AFTER: Final = 5_000
"""Requests after which a child is replaced, so that no leak of a parser adds up."""
ANOTHER_AFTER_SECONDS: Final = 2.0
"""Seconds that a request waits for a child that works before it starts another one."""
_PIECE_BYTES: Final = 1024 * 1024
_EXIT_SECONDS: Final = 5.0
"""Seconds in which a child that closed its output has exited."""


class ProcessDied(Exception):
    """A child died of its request, perhaps because that ``used_up_its_time``."""

    def __init__(self, exitcode: int) -> None:
        super().__init__(exitcode)
        self.used_up_its_time = exitcode == -signal.SIGPROF


class PoolStopped(Exception):
    """The pool was stopped, or no child became free: this says nothing about the request."""


def _write(pipe: int, frame: bytearray, until: float) -> None:
    rest = memoryview(frame)
    while rest:
        if not _states(pipe, select.POLLOUT, until - time.monotonic()):
            raise TimeoutError
        rest = rest[os.write(pipe, rest[:_PIECE_BYTES]) :]


def _read(pipe: int, length: int, until: float) -> bytes:
    received = bytearray()
    while len(received) < length:
        if not _states(pipe, select.POLLIN, until - time.monotonic()):
            raise TimeoutError
        piece = os.read(pipe, min(_PIECE_BYTES, length - len(received)))
        if not piece:
            raise EOFError
        received += piece
    return bytes(received)


def _states(pipe: int, event: int, seconds: float) -> list[tuple[int, int]]:
    poll = select.poll()
    poll.register(pipe, event)
    return poll.poll(max(0.0, seconds) * 1000)


class _Child:
    """A child process and our ends of its pipes. It lives while ``_life`` is open."""

    def __init__(self, *, memory_limit: int, niceness: int, modules: Sequence[str]) -> None:
        environment = {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}  # nothing of ours
        if "LD_LIBRARY_PATH" in os.environ:  # some builds of Python do not start without it
            environment["LD_LIBRARY_PATH"] = os.environ["LD_LIBRARY_PATH"]
        life, self._life = os.pipe()
        try:
            self.process = subprocess.Popen(
                [
                    *(sys.executable, "-P", "-m", "ingest.sandbox.child"),
                    *(str(life), str(memory_limit), str(niceness), *modules),
                ],
                bufsize=0,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                pass_fds=(life,),
                process_group=0,  # Ctrl+C is for this process, which stops the child
                env=environment,
            )
        except BaseException:
            os.close(self._life)
            raise
        finally:
            os.close(life)
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self._pipes = self.process.stdin, self.process.stdout
        for pipe in self._pipes:  # the child may neither read nor answer in time
            os.set_blocking(pipe.fileno(), False)
        self.served = 0

    def exchange(self, request: bytearray, *, seconds: float) -> bytes:
        """Return the reply to a request.

        Raises TimeoutError, ProcessDied, and BrokenFrame for a reply that is too long, or that more
        follows.
        """
        self.served += 1
        until = time.monotonic() + seconds
        requests, results = (pipe.fileno() for pipe in self._pipes)
        try:
            _write(requests, request, until)
            length = length_of(_read(results, LENGTH_BYTES, until), largest=LARGEST_REPLY_BYTES)
            payload = _read(results, length, until)
        except TimeoutError:
            raise
        except (EOFError, OSError):
            raise ProcessDied(self._exitcode()) from None
        if any(state & select.POLLIN for _, state in _states(results, select.POLLIN, 0)):
            raise BrokenFrame("more than one answer")
        return payload

    def _exitcode(self) -> int:
        try:
            return self.process.wait(_EXIT_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            return self.process.wait()

    def kill(self) -> None:
        """End the process at once."""
        self.process.kill()
        self.process.wait()

    def close(self) -> None:
        """End the process and close the pipes; nobody may be waiting for a reply."""
        self.kill()
        for pipe in self._pipes:
            with suppress(BrokenPipeError):
                pipe.close()
        os.close(self._life)


class ProcessPool:
    """Child processes of one kind.

    The first starts with the first request, another one when a request has waited for a while
    (docs/decisions/0021).
    """

    def __init__(
        self,
        workers: int,
        *,
        memory_limit: int,
        niceness: int = 0,
        raises: Sequence[type[Exception]] = (),
        modules: Sequence[str] = (),
    ) -> None:
        """Take up to ``workers`` children of ``memory_limit`` bytes of address space each.

        ``niceness`` is added to this process's own: 1 to 19 lets others go first. ``raises`` are
        the exceptions that its functions raise for their callers. ``modules`` are imported before
        a child goes to jail, which it has to be for those outside of Python and this program.
        """
        self._memory_limit, self._niceness = memory_limit, niceness
        self._raises = {kind.__name__: kind for kind in (*raises, MemoryError)}
        self._modules = tuple(modules)
        self._slots = BoundedSemaphore(workers)
        self._next, self._changed = Lock(), Condition()  # one waits for a child, others behind it
        self._working = 0  # requests that have a child or are starting one
        self._idle: list[_Child] = []
        self._busy: set[_Child] = set()
        self._stopped = Event()

    def call(
        self,
        function: Callable[..., ResultT],
        *arguments: object,
        cpu_seconds: float,
        seconds: float,
        patience: float,
    ) -> ResultT:
        """Return what a function returns in a child; raise what it raises.

        Its annotations say what passes. ``cpu_seconds`` is the processor time that it may take,
        ``seconds`` the time by the clock, ``patience`` how long to wait for a free child. Raises
        ProcessDied, TimeoutError, BrokenFrame and PoolStopped.
        """
        if not self._slots.acquire(timeout=patience):
            raise PoolStopped
        try:
            request = request_of(function, arguments, cpu_seconds=cpu_seconds)
            result = self._send(function, request, seconds=seconds)
        finally:
            self._slots.release()
        if not isinstance(result, Failure):
            return result
        nearest = next(filter(None, map(self._raises.get, result.kinds)), None)
        if nearest is None:
            raise BrokenFrame(f"{'.'.join(result.kinds[:1])}: {result.message}")
        raise nearest(result.message)

    def _send(
        self, function: Callable[..., ResultT], request: bytearray, *, seconds: float
    ) -> ResultT | Failure:
        """Return the reply of a child, which then waits for the next request or ends."""
        another_at = time.monotonic() + ANOTHER_AFTER_SECONDS
        with self._next, self._changed:
            self._changed.wait_for(
                lambda: self._idle or not self._working, timeout=another_at - time.monotonic()
            )
            self._working += 1
        child, is_usable = None, False
        try:
            child = self._take()
            result = result_of(function, child.exchange(request, seconds=seconds))
            is_usable = child.served < RECYCLE_AFTER
        except ProcessDied:
            if self._stopped.is_set():
                raise PoolStopped from None
            raise
        finally:
            with self._changed:
                self._working -= 1
                if child is not None:
                    self._busy.remove(child)
                    if is_usable and not self._stopped.is_set():
                        self._idle.append(child)
                        child = None
                self._changed.notify_all()
            if child is not None:
                child.close()
        return result

    def _take(self) -> _Child:
        """Return the idle child that worked last, or a new one."""
        while True:
            with self._changed:
                if self._stopped.is_set():
                    raise PoolStopped
                child = self._idle.pop() if self._idle else None
            if child is None:
                child = _Child(
                    memory_limit=self._memory_limit, niceness=self._niceness, modules=self._modules
                )
                break
            if child.process.poll() is None:
                break
            child.close()
        with self._changed:
            if not self._stopped.is_set():
                self._busy.add(child)
                return child
        child.close()
        raise PoolStopped

    def stop(self) -> None:
        """End the children at once; callers that wait for one get PoolStopped."""
        with self._changed:
            self._stopped.set()
            idle, self._idle = self._idle, []
            busy = list(self._busy)
        for child in idle:
            child.close()
        for child in busy:  # closed by the thread that waits for its reply
            child.kill()
