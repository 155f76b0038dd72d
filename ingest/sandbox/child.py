"""The child process of a pool: calls one function after the other and sends back the results.

It runs as a program, ``python -P -m ingest.sandbox.child LIFE MEMORY_LIMIT NICENESS``, so it has
neither the threads nor the open files and database connections of the process that started it.
Requests come over its standard input and results leave over its standard output, both pickled.
"""

import gc
import os
import pickle
import resource
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from threading import Thread
from typing import IO, Any, TypeAlias

Request: TypeAlias = tuple[float, Callable[..., Any], tuple[object, ...]]
"""Seconds of processor time, the function to call, and its arguments."""
Reply: TypeAlias = tuple[bool, Any]
"""Whether the function returned, and what it returned or raised."""


def main() -> None:
    """Serve requests until the standard input is closed."""
    life, memory_limit, niceness = map(int, sys.argv[1:])
    resource.setrlimit(resource.RLIMIT_AS, (memory_limit, memory_limit))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    os.nice(niceness)
    gc.set_threshold(20_000, 20, 20)  # a document has thousands of objects and little garbage
    Thread(target=_exit_with_parent, args=(life,), daemon=True).start()
    with suppress(EOFError, BrokenPipeError):
        _serve(sys.stdin.buffer, _results())


def _results() -> IO[bytes]:
    """Return a file for results; what a library prints goes to the standard error from now on."""
    results = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    return results


def _serve(requests: IO[bytes], results: IO[bytes]) -> None:
    while True:
        reply = _reply(requests)
        pickle.dump(reply, results, pickle.HIGHEST_PROTOCOL)
        results.flush()


def _reply(requests: IO[bytes]) -> Reply:
    """Call the function of the next request.

    A child that has worked for the request's seconds of processor time dies of SIGPROF. The kernel
    counts and kills: no parser is too deep in C to notice, and a busy machine takes nothing from a
    document's time.
    """
    request: Request = pickle.load(requests)  # noqa: S301 - written by our own parent
    cpu_seconds, function, arguments = request
    signal.setitimer(signal.ITIMER_PROF, cpu_seconds)
    try:
        return True, function(*arguments)
    except Exception as error:  # noqa: BLE001 - whatever it is, the caller raises it
        return False, error
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def _exit_with_parent(life: int) -> None:
    """Wait for the end of the parent, which never writes to this pipe, and exit.

    Otherwise nobody would end a child that is busy when its parent is killed.
    """
    os.read(life, 1)
    os._exit(1)


if __name__ == "__main__":
    main()
