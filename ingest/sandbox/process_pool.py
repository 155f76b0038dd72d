"""Child processes that parse, and die when they have to: a few of one kind for ``sandbox``.

The children are forked from a server process of their own, not from this one: they inherit
neither its threads nor its open files and database connections. Each is asked over a pipe by the
thread that waits for its answer, so that nothing else has to run for it.
"""

import gc
import multiprocessing
import os
import pickle
import resource
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib.machinery import ModuleSpec
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from threading import Condition, Lock, Thread
from typing import Any, Final, TypeVar

ResultT = TypeVar("ResultT")
RECYCLE_AFTER: Final = 500
"""Documents after which a child is replaced, so that no leak of a parser adds up."""
PRELOADED: Final = ("ingest.sandbox.preload",)
SPARING: Final = 0.05
"""Seconds that are waited for a busy child, which most documents keep for less, before another
starts: that costs as much as reading ten."""
_YOUNG_OBJECTS: Final = 20_000  # between two looks for rubbish; a document has thousands
_SAFE_PATH: Final = "PYTHONSAFEPATH"
_BURIAL: Final = 5.0  # seconds in which a child that hung up is gone
_starting = Lock()  # multiprocessing's list of processes is no thing for two threads


class ChildDied(Exception):
    """A child died of its work. ``exitcode`` is its status, the signal's number if negative."""

    def __init__(self, exitcode: int | None) -> None:
        super().__init__(exitcode)
        self.exitcode = exitcode


class ChildrenStopped(Exception):
    """The children were stopped, or none is to be had: this says nothing about the work."""


@dataclass(slots=True, eq=False)
class _Child:
    """A child, our end of its pipe, and what it has done. It lives while ``life`` is open."""

    process: BaseProcess
    pipe: Connection
    life: Connection
    works: int = 0

    @property
    def is_gone(self) -> bool:
        """Whether an idle child hung up: it has nothing to say but its end."""
        return self.pipe.poll()

    def buried(self) -> int | None:
        """Wait for a child that hung up, kill it if it stays; return its status."""
        with _starting:
            self.process.join(_BURIAL)
            if self.process.exitcode is None:
                self.process.kill()
                self.process.join(_BURIAL)
        self.pipe.close()
        self.life.close()
        return self.process.exitcode


class Children:
    """Children of one kind. One starts when there is work and all others are busy for a while."""

    def __init__(self, workers: int, *, memory_limit: int, niceness: int = 0) -> None:
        """Take up to ``workers`` children of ``memory_limit`` bytes of address space each.

        ``niceness`` is added to this process's own: 1 to 19 lets others go first.
        """
        self._workers, self._memory_limit, self._niceness = workers, memory_limit, niceness
        self._changed = Condition()
        self._idle: list[_Child] = []
        self._busy: set[_Child | object] = set()
        self._stopped = False

    def ask(self, work: tuple[object, ...], *, seconds: float, patience: float) -> Any:
        """Return what a function says to its arguments, both in ``work``; raise what it raises.

        ``seconds`` are what it may take by the clock, ``patience`` how long to wait for a child.
        Raises ChildDied, TimeoutError and ChildrenStopped.
        """
        asked = pickle.dumps(work, pickle.HIGHEST_PROTOCOL)
        child = self._taken(patience)
        try:
            answer = self._answered(child, asked, seconds)
        except BaseException:
            self._given_back(child, ended=True)
            raise
        self._given_back(child, ended=child.works >= RECYCLE_AFTER)
        is_result, found = pickle.loads(answer)  # noqa: S301 - our own child wrote it
        if not is_result:
            raise found
        return found

    def _answered(self, child: _Child, asked: bytes, seconds: float) -> bytes:
        child.works += 1
        try:
            child.pipe.send_bytes(asked)
            if child.pipe.poll(seconds):
                return child.pipe.recv_bytes()
        except (EOFError, OSError):
            status = child.buried()
            if self._stopped:
                raise ChildrenStopped from None
            raise ChildDied(status) from None
        child.process.kill()
        child.buried()
        raise TimeoutError

    def _taken(self, patience: float) -> _Child:
        """Return an idle child, the one that worked last, or a new one."""
        place = object()
        with self._changed:
            while True:
                if not self._changed.wait_for(self._may_take, patience) or self._stopped:
                    raise ChildrenStopped
                if self._idle or not self._busy:
                    break
                spared = self._changed.wait_for(self._need_not_start, SPARING)
                if not spared and self._may_take():
                    break
            while self._idle:
                child = self._idle.pop()
                if not child.is_gone:
                    self._busy.add(child)
                    return child
                child.buried()
            self._busy.add(place)
        try:
            child = self._started()
        except BaseException:
            self._replace(place, None)
            raise
        self._replace(place, child)
        return child

    def _may_take(self) -> bool:
        """Whether a child is idle, or one may start: one at a time, the next may not be needed."""
        has_room = len(self._busy) < self._workers and not self._is_starting()
        return self._stopped or bool(self._idle) or has_room

    def _need_not_start(self) -> bool:
        return self._stopped or bool(self._idle) or self._is_starting()

    def _is_starting(self) -> bool:
        return any(not isinstance(each, _Child) for each in self._busy)

    def _replace(self, place: object, child: _Child | None) -> None:
        with self._changed:
            self._busy.discard(place)
            self._changed.notify_all()
            if child is not None and not self._stopped:
                self._busy.add(child)
                return
        if child is not None:  # stopped while it started
            child.process.kill()
            child.buried()
            raise ChildrenStopped

    def _given_back(self, child: _Child, *, ended: bool) -> None:
        with self._changed:
            self._busy.discard(child)
            keeps = not ended and not self._stopped
            if keeps:
                self._idle.append(child)
            self._changed.notify_all()
        if not keeps:
            _dismiss(child)

    def _started(self) -> _Child:
        context = multiprocessing.get_context("forkserver")
        with _starting:
            context.set_forkserver_preload(list(PRELOADED))
            _keep_main_module_out_of_children()
            _do_without_tracker()
            ours, theirs = context.Pipe()
            their_life, life = context.Pipe(duplex=False)
            process = context.Process(
                target=_serve,
                args=(theirs, their_life, self._memory_limit, self._niceness),
                daemon=True,
            )
            with _no_code_from_current_folder():
                process.start()
            theirs.close()
            their_life.close()
        return _Child(process, ours, life)

    def stop(self) -> None:
        """End the children at once; whoever waits for one gets ChildrenStopped."""
        with self._changed:
            self._stopped = True
            idle, self._idle = self._idle, []
            busy = [each for each in self._busy if isinstance(each, _Child)]
            self._changed.notify_all()
        for child in (*idle, *busy):
            child.process.kill()
        for child in idle:
            child.buried()
        with self._changed:  # who waited for a child that was busy buries it
            self._changed.wait_for(lambda: not self._busy, _BURIAL)


def _dismiss(child: _Child) -> None:
    """Let a child go that has done its share, or is gone."""
    if not child.pipe.closed:
        child.process.kill()
        child.buried()


def within(seconds: float, function: Callable[..., ResultT], *arguments: object) -> ResultT:
    """Return what a function says; what runs in the child.

    A child that has worked for so many seconds of processor time dies of SIGPROF. The kernel
    counts and kills: no parser is too deep in C to notice, and a busy machine takes nothing
    from a document's time.
    """
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        return function(*arguments)
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def _keep_main_module_out_of_children() -> None:
    """Let children start without running the program's main module once more.

    multiprocessing does that so that they find what was defined there, which nothing here
    needs: for the command line it would mean loading the whole service into every child. A
    package's ``__main__`` it leaves alone, so the main module is given such a name.
    """
    main = sys.modules["__main__"]
    name = main.__spec__.name if main.__spec__ else ""
    if not name.endswith("__main__"):
        main.__spec__ = ModuleSpec("ingest.__main__", loader=None)


def _do_without_tracker() -> None:
    """Let multiprocessing start no tracker of its semaphores and shared memory.

    Nothing here has any, and the tracker is one more Python to start. multiprocessing takes it
    for running where it knows of a file to write to; so it is told in children, too.
    """
    from multiprocessing import resource_tracker  # only who starts children needs it

    tracker: Any = resource_tracker._resource_tracker
    if tracker._fd is None:
        tracker._fd = os.open(os.devnull, os.O_WRONLY)


@contextmanager
def _no_code_from_current_folder() -> Iterator[None]:
    """Start programs that look for modules where this one does.

    The server of children would look in the folder of the command first, and a folder called
    ``ingest`` there is anybody's.
    """
    before = os.environ.get(_SAFE_PATH)
    os.environ[_SAFE_PATH] = "1"
    try:
        yield
    finally:
        if before is None:
            del os.environ[_SAFE_PATH]
        else:
            os.environ[_SAFE_PATH] = before


def _serve(pipe: Connection, life: Connection, memory_limit: int, niceness: int) -> None:
    """Do what is asked for until nobody asks any more; what runs in the child."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C is for the parent, which stops us
    resource.setrlimit(resource.RLIMIT_AS, (memory_limit, memory_limit))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    os.nice(niceness)
    gc.enable()
    gc.set_threshold(_YOUNG_OBJECTS, 20, 20)
    Thread(target=_die_with, args=(life,), daemon=True).start()
    with suppress(EOFError, OSError):
        while True:
            pipe.send_bytes(_answer(pipe.recv_bytes()))


def _answer(asked: bytes) -> bytes:
    try:
        function, *arguments = pickle.loads(asked)  # noqa: S301 - our own parent wrote it
        found = (True, function(*arguments))
    except Exception as error:  # noqa: BLE001 - whatever it is, it is raised where it was asked
        found = (False, error)
    return pickle.dumps(found, pickle.HIGHEST_PROTOCOL)


def _die_with(life: Connection) -> None:
    """Wait for the end of the parent, which never says anything, and end this child.

    Otherwise nobody would end a child that is busy, or that waits for a lock which died with
    the parent.
    """
    with suppress(EOFError, OSError):
        life.recv_bytes()
    os._exit(1)
