"""Child processes that parse, and die when they have to: pools of them for ``sandbox``.

The children are forked from a server process of their own, not from this one: they inherit
neither its threads nor its open files and database connections.
"""

import multiprocessing
import os
import resource
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from importlib.machinery import ModuleSpec
from multiprocessing.connection import Connection
from threading import Thread
from typing import Any, Final, TypeVar

from pebble import ProcessPool

ResultT = TypeVar("ResultT")
RECYCLE_AFTER: Final = 500
"""Documents after which a child is replaced, so that no leak of a parser adds up."""


class Children:
    """Children of one kind; they start when there is work. Not safe between threads."""

    def __init__(self, workers: int, *, memory_limit: int, niceness: int = 0) -> None:
        """Take ``workers`` children of ``memory_limit`` bytes of address space each.

        ``niceness`` is added to this process's own: 1 to 19 lets others go first.
        """
        self._workers, self._memory_limit, self._niceness = workers, memory_limit, niceness
        self._pool = self._new_pool()

    def _new_pool(self) -> Any:  # most of its methods are not annotated
        context = multiprocessing.get_context("forkserver")
        context.set_forkserver_preload(["ingest.adapters.registry", "ingest.sandbox"])
        _keep_main_module_out_of_children()
        children_end, self._our_end = context.Pipe(duplex=False)
        return ProcessPool(
            max_workers=self._workers,
            max_tasks=RECYCLE_AFTER,
            initializer=_prepare_child,
            initargs=(self._memory_limit, self._niceness, children_end),
            context=context,
        )

    def schedule(
        self, function: Callable[..., object], arguments: tuple[object, ...], *, seconds: float
    ) -> Any:
        """Return the future of a function that may run for so many seconds, once it has begun.

        A pool that an error inside has ended is replaced.
        """
        try:
            return self._pool.schedule(function, args=arguments, timeout=seconds)
        except RuntimeError:  # pebble's word for a pool that does not run
            self._pool.stop()
            self._our_end.close()
            self._pool = self._new_pool()
            return self._pool.schedule(function, args=arguments, timeout=seconds)

    def refuse(self) -> None:
        """Take no more work."""
        self._pool.close()

    def end(self) -> None:
        """End the children at once; whoever still waits for one waits for ever."""
        self._pool.stop()
        self._pool.join()
        self._our_end.close()


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


def _prepare_child(memory_limit: int, niceness: int, parent: Connection) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C is for the parent, which stops us
    resource.setrlimit(resource.RLIMIT_AS, (memory_limit, memory_limit))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    os.nice(niceness)
    Thread(target=_die_with, args=(parent,), daemon=True).start()


def _die_with(parent: Connection) -> None:
    """Wait for the end of the parent, which never says anything, and end this child.

    Otherwise nobody would end a child that is busy, or that waits for a lock which died with
    the parent.
    """
    with suppress(EOFError, OSError):
        parent.recv_bytes()
    os._exit(1)
