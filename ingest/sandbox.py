"""Parsing in child processes that may be killed.

A page of a few kilobytes can keep a parser busy for minutes or make it eat all memory, and
no timeout inside the process can stop it. So adapters run in children with a deadline and a
limit of memory. The children are forked from a server process of their own, not from this
one: they inherit neither its threads nor its open files and database connections.
"""

import multiprocessing
import os
import resource
import signal
import sys
from collections.abc import Callable
from concurrent.futures import CancelledError
from contextlib import suppress
from datetime import timedelta
from functools import partial
from importlib.machinery import ModuleSpec
from multiprocessing.connection import Connection
from threading import Lock, Thread
from types import TracebackType
from typing import Any, Final, Self, TypeVar

from pebble import ProcessExpired, ProcessPool

from ingest.adapters.base import ParsedDocument, UnreadableDocument
from openapi.vocabulary import AdapterType

ResultT = TypeVar("ResultT")
DEADLINE: Final = timedelta(seconds=3)
MEMORY_LIMIT: Final = 1024 * 1024 * 1024
"""Bytes of address space of a child; a feed of 10 MiB needs about a quarter of it."""
PATIENCE: Final = timedelta(minutes=2)
"""How long to wait for a free child and its answer before the pool itself is at fault."""
RECYCLE_AFTER: Final = 500
"""Documents after which a child is replaced, so that no leak of a parser adds up."""


class ParserTimeout(UnreadableDocument):
    """The document kept its parser busy beyond the deadline."""


class ParserCrash(UnreadableDocument):
    """The parser died of the document, ran out of memory, or failed in a way of its own."""


class ParserStopped(RuntimeError):
    """The pool was closed while it was asked: this says nothing about the document."""


class ParserPool:
    """Children that parse, shared by the threads of a process. Close it, or use it in a with."""

    def __init__(
        self,
        *,
        workers: int = 2,
        deadline: timedelta = DEADLINE,
        memory_limit: int = MEMORY_LIMIT,
    ) -> None:
        """Take ``workers`` children of ``memory_limit`` bytes each; they start when needed."""
        self._deadline = deadline
        self._waited_for: set[Any] = set()  # futures of pebble, whose cancel is not annotated
        self._asking = Lock()
        self._closed = False
        self._workers, self._memory_limit = workers, memory_limit
        self._pool = self._new_pool()

    def _new_pool(self) -> Any:  # most of its methods are not annotated
        context = multiprocessing.get_context("forkserver")
        context.set_forkserver_preload(["ingest.adapters", "ingest.sandbox"])
        _keep_main_module_out_of_children()
        children_end, self._our_end = context.Pipe(duplex=False)
        return ProcessPool(
            max_workers=self._workers,
            max_tasks=RECYCLE_AFTER,
            initializer=_prepare_child,
            initargs=(self._memory_limit, children_end),
            context=context,
        )

    def parse(
        self,
        adapter_type: AdapterType,
        body: bytes,
        *,
        address: str,
        content_type: str | None,
    ) -> ParsedDocument:
        """Return what the document says; raises what ``run`` raises."""
        return self.run(read_document, adapter_type, body, address, content_type)

    def run(self, function: Callable[..., ResultT], *arguments: object) -> ResultT:
        """Return what a function says in a child; waits for a free one, then for the deadline.

        The function fails with UnreadableDocument only (see ``contained``). Raises that,
        ParserTimeout and ParserCrash when the document harms the parser, ParserStopped when
        the pool is closed meanwhile.
        """
        seconds = self._deadline.total_seconds()
        with self._asking:
            parsing = self._scheduled(function, arguments, seconds)
            self._waited_for.add(parsing)
        try:
            found: ResultT = parsing.result(timeout=PATIENCE.total_seconds())
        except TimeoutError:
            if not parsing.done():
                parsing.cancel()
                raise ParserStopped("The parsers do not answer.") from None
            raise ParserTimeout(f"Reading the document took more than {seconds:g} s.") from None
        except ProcessExpired:
            raise ParserCrash("The parser died while it read the document.") from None
        except CancelledError:
            raise ParserStopped("The parsers were closed.") from None
        finally:
            self._waited_for.discard(parsing)
        return found

    def _scheduled(
        self, function: Callable[..., object], arguments: tuple[object, ...], seconds: float
    ) -> Any:
        """Hand work to the pool, or to a new one if an error inside has ended it."""
        if self._closed:
            raise ParserStopped("The parsers are closed.")
        try:
            return self._pool.schedule(function, args=arguments, timeout=seconds)
        except RuntimeError:  # pebble's word for a pool that does not run
            self._pool.stop()
            self._pool = self._new_pool()
            return self._pool.schedule(function, args=arguments, timeout=seconds)

    def close(self) -> None:
        """Stop the children; whoever waits for a document gets ParserStopped."""
        with self._asking:
            self._closed = True
            self._pool.close()
        for parsing in tuple(self._waited_for):  # stopping the pool would leave them waiting
            parsing.cancel()
        self._pool.stop()
        self._pool.join()
        self._our_end.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()


def read_document(
    adapter_type: AdapterType, body: bytes, address: str, content_type: str | None
) -> ParsedDocument:
    """Parse in this process; what runs in the child. Every failure is an UnreadableDocument."""
    from ingest.adapters import ADAPTERS

    adapter = ADAPTERS[adapter_type]
    return contained(partial(adapter, body, address=address, content_type=content_type))


def contained(reading: Callable[[], ResultT]) -> ResultT:
    """Return what reading a document gives; every failure of it is an UnreadableDocument."""
    try:
        return reading()
    except UnreadableDocument:
        raise
    except MemoryError:
        raise ParserCrash("The document needs more memory than a parser may have.") from None
    except Exception as error:  # noqa: BLE001 - whatever a library raises, the caller gets one kind
        raise ParserCrash(f"The parser failed with {type(error).__name__}.") from None


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


def _prepare_child(memory_limit: int, parent: Connection) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C is for the parent, which stops us
    resource.setrlimit(resource.RLIMIT_AS, (memory_limit, memory_limit))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    Thread(target=_die_with, args=(parent,), daemon=True).start()


def _die_with(parent: Connection) -> None:
    """Wait for the end of the parent, which never says anything, and end this child.

    Otherwise nobody would end a child that is busy, or that waits for a lock which died with
    the parent.
    """
    with suppress(EOFError, OSError):
        parent.recv_bytes()
    os._exit(1)
