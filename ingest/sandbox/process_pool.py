"""A pool of child processes that can be killed, for work that may take all time and memory.

Each child is a program of its own (``ingest.sandbox.child``). The thread that waits for a result
writes the request to its child and reads the result, so that nothing else has to run for it.
"""

import os
import pickle
import select
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from threading import BoundedSemaphore, Condition, Event
from typing import Any, Final

from ingest.sandbox.child import Reply, Request

RECYCLE_AFTER: Final = 500
"""Requests after which a child is replaced, so that no leak of a parser adds up."""
ANOTHER_AFTER: Final = 1.0
"""Seconds that a request waits for a child that works before it starts another one."""
_EXIT_WITHIN: Final = 5.0
"""Seconds in which a child that closed its output has exited."""


class ProcessDied(Exception):
    """A child died of its request. ``exitcode`` is negative for the number of a signal."""

    def __init__(self, exitcode: int) -> None:
        super().__init__(exitcode)
        self.exitcode = exitcode


class PoolStopped(Exception):
    """The pool was stopped, or no child became free: this says nothing about the request."""


def _environment() -> dict[str, str]:
    """Return a child's environment: the settings, which hold secrets, are left out."""
    settings = {name for name in os.environ if name.startswith("CHANGEWIRE_")}
    variables = {name: text for name, text in os.environ.items() if name not in settings}
    return {**variables, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}


class _Child:
    """A child process and our ends of its pipes. It lives while ``_life`` is open."""

    def __init__(self, *, memory_limit: int, niceness: int) -> None:
        life, self._life = os.pipe()
        try:
            self._process = subprocess.Popen(
                [
                    *(sys.executable, "-P", "-m", "ingest.sandbox.child"),
                    *(str(life), str(memory_limit), str(niceness)),
                ],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                pass_fds=(life,),
                process_group=0,  # Ctrl+C is for this process, which stops the child
                env=_environment(),
            )
        except BaseException:
            os.close(self._life)
            raise
        finally:
            os.close(life)
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._requests, self._results = self._process.stdin, self._process.stdout
        self._readable = select.poll()
        self._readable.register(self._results, select.POLLIN)
        self.served = 0

    @property
    def has_exited(self) -> bool:
        """Whether the process has ended."""
        return self._process.poll() is not None

    def send(self, request: bytes, *, seconds: float) -> Reply:
        """Return the reply to a request. Raises TimeoutError and ProcessDied."""
        self.served += 1
        try:
            self._requests.write(request)
            self._requests.flush()
            is_answered = self._readable.poll(seconds * 1000)
            if is_answered:
                reply: Reply = pickle.load(self._results)  # noqa: S301 - written by our own child
                return reply
        except (EOFError, OSError, pickle.UnpicklingError):
            raise ProcessDied(self._exitcode()) from None
        raise TimeoutError

    def _exitcode(self) -> int:
        try:
            return self._process.wait(_EXIT_WITHIN)
        except subprocess.TimeoutExpired:
            self._process.kill()
            return self._process.wait()

    def kill(self) -> None:
        """End the process at once."""
        self._process.kill()
        self._process.wait()

    def close(self) -> None:
        """End the process and close the pipes; nobody may be waiting for a reply."""
        self.kill()
        for pipe in (self._requests, self._results):
            with suppress(BrokenPipeError):
                pipe.close()
        os.close(self._life)


class ProcessPool:
    """Child processes of one kind.

    The first starts with the first request, another one when a request has waited for a while
    (docs/decisions/0148).
    """

    def __init__(self, workers: int, *, memory_limit: int, niceness: int = 0) -> None:
        """Take up to ``workers`` children of ``memory_limit`` bytes of address space each.

        ``niceness`` is added to this process's own: 1 to 19 lets others go first.
        """
        self._memory_limit, self._niceness = memory_limit, niceness
        self._slots = BoundedSemaphore(workers)
        self._changed = Condition()
        self._working = 0  # requests that have a child or are starting one
        self._idle: list[_Child] = []
        self._busy: set[_Child] = set()
        self._stopped = Event()

    def call(
        self,
        function: Callable[..., Any],
        *arguments: object,
        cpu_seconds: float,
        seconds: float,
        patience: float,
    ) -> Any:
        """Return what a function returns in a child; raise what it raises.

        ``cpu_seconds`` is the processor time that it may take, ``seconds`` the time by the clock,
        ``patience`` how long to wait for a free child. Raises ProcessDied, TimeoutError and
        PoolStopped.
        """
        request: Request = (cpu_seconds, function, arguments)
        pickled = pickle.dumps(request, pickle.HIGHEST_PROTOCOL)
        if not self._slots.acquire(timeout=patience):
            raise PoolStopped
        try:
            returned, value = self._send(pickled, seconds=seconds)
        finally:
            self._slots.release()
        if not returned:
            raise value
        return value

    def _send(self, request: bytes, *, seconds: float) -> Reply:
        with self._changed:
            self._changed.wait_for(lambda: self._idle or not self._working, timeout=ANOTHER_AFTER)
            self._working += 1
        try:
            return self._sent(self._take(), request, seconds=seconds)
        finally:
            with self._changed:
                self._working -= 1
                self._changed.notify_all()

    def _sent(self, child: _Child, request: bytes, *, seconds: float) -> Reply:
        is_usable = False
        try:
            reply = child.send(request, seconds=seconds)
            is_usable = child.served < RECYCLE_AFTER
        except ProcessDied:
            if self._stopped.is_set():
                raise PoolStopped from None
            raise
        finally:
            self._give_back(child, is_usable=is_usable)
        return reply

    def _take(self) -> _Child:
        """Return the idle child that worked last, or a new one."""
        child = self._pop_idle()
        while child is not None and child.has_exited:
            child.close()
            child = self._pop_idle()
        if child is None:
            child = _Child(memory_limit=self._memory_limit, niceness=self._niceness)
        with self._changed:
            if not self._stopped.is_set():
                self._busy.add(child)
                return child
        child.close()
        raise PoolStopped

    def _pop_idle(self) -> _Child | None:
        with self._changed:
            if self._stopped.is_set():
                raise PoolStopped
            return self._idle.pop() if self._idle else None

    def _give_back(self, child: _Child, *, is_usable: bool) -> None:
        with self._changed:
            self._busy.discard(child)
            is_kept = is_usable and not self._stopped.is_set()
            if is_kept:
                self._idle.append(child)
        if not is_kept:
            child.close()

    def stop(self) -> None:
        """End the children at once; whoever waits for one gets PoolStopped."""
        with self._changed:
            self._stopped.set()
            idle, self._idle = self._idle, []
            busy = list(self._busy)
        for child in idle:
            child.close()
        for child in busy:  # closed by the thread that waits for its reply
            child.kill()
