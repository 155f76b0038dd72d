"""The child process of a pool: calls one function after the other and sends back the results.

It runs as a program, ``python -P -m ingest.sandbox.child LIFE MEMORY_LIMIT NICENESS MODULE…``, so
it has neither the threads nor the open files and database connections of the process that started
it. Before it reads the first document it goes to jail. Requests come over its standard input and
results leave over its standard output, as ``ingest.sandbox.wire`` has it.
"""

import gc
import os
import resource
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from threading import Thread
from typing import IO, Final

from ingest.sandbox.jail import (
    LANDLOCK,
    SECCOMP,
    close_calls,
    close_files,
    limit_resources,
    missing_protections,
)
from ingest.sandbox.wire import (
    LARGEST_REQUEST_BYTES,
    LENGTH_BYTES,
    call_of,
    failure_of,
    length_of,
    reply_of,
)

_called: Final = set[Callable[..., object]]()


def main() -> None:
    """Serve requests until the standard input is closed."""
    life, memory_limit, niceness = map(int, sys.argv[1:4])
    resource.setrlimit(resource.RLIMIT_AS, (memory_limit, memory_limit))
    os.nice(niceness)
    gc.set_threshold(20_000, 20, 20)  # a document has thousands of objects and little garbage
    for module in sys.argv[4:]:
        import_module(module)
    limit_resources()
    nowhere = os.open(os.devnull, os.O_WRONLY)
    missing = missing_protections()  # asked before: the answer takes files
    if LANDLOCK not in missing:
        close_files()
    Thread(target=_exit_with_parent, args=(life,), daemon=True).start()
    if SECCOMP not in missing:
        close_calls()
    results = _results(nowhere)
    with suppress(EOFError, BrokenPipeError):
        while True:
            results.write(_reply(_read(sys.stdin.buffer)))
            results.flush()


def _results(nowhere: int) -> IO[bytes]:
    """Return a file for results; what a library prints from now on goes nowhere.

    Neither into the log of the service, where a document could write lines of its own.
    """
    results = os.fdopen(os.dup(1), "wb")
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    os.close(nowhere)
    return results


def _read(requests: IO[bytes]) -> bytes:
    head = requests.read(LENGTH_BYTES)
    if len(head) < LENGTH_BYTES:
        raise EOFError
    return requests.read(length_of(head, largest=LARGEST_REQUEST_BYTES))


def _reply(payload: bytes) -> bytes:
    """Call the function of a request.

    A child that has worked for the request's seconds of processor time dies of SIGPROF. The kernel
    counts and kills: no parser is too deep in C to notice, and a busy machine takes nothing from a
    document's time. The first call of a function has a second more, to make patterns and the like.
    """
    try:
        cpu_seconds, function, arguments = call_of(payload)
        signal.setitimer(signal.ITIMER_PROF, cpu_seconds + (function not in _called))
        _called.add(function)
        return reply_of(function(*arguments))
    except Exception as error:  # noqa: BLE001 - whatever it is, the caller is told
        return failure_of(error)
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
