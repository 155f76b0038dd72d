"""Reading of strangers' files in a child process that can be killed (docs/decisions/0141)."""

import atexit
from collections.abc import Callable
from typing import Final

from ingest.sandbox.process_pool import PoolStopped, ProcessDied, ProcessPool
from ingest.sandbox.wire import BrokenFrame
from package_versions.component import FileParts, TooManyFiles, Unreadable
from package_versions.read import read_components

CPU_SECONDS: Final = 5.0
CLOCK_SECONDS: Final = 30.0
AT_ONCE: Final = 2
PATIENCE_SECONDS: Final = 30.0
"""Seconds that a request waits for the files of others to be read."""
NICENESS: Final = 5
"""The priority of the process that reads files: below that of requests."""
MEMORY_LIMIT_BYTES: Final = 1024 * 1024 * 1024


def component_reader(
    *, cpu_seconds: float = CPU_SECONDS, memory_limit: int = MEMORY_LIMIT_BYTES
) -> Callable[[bytes], FileParts]:
    """Return a reader of files, whose child processes are started when they are needed."""
    pool = ProcessPool(AT_ONCE, memory_limit=memory_limit, niceness=NICENESS, raises=(Unreadable,))
    atexit.register(pool.stop)
    damaged = "This file cannot be read: it is damaged or malicious."
    too_slow = f"Reading this file takes more than {cpu_seconds:g} s."

    def read(document: bytes) -> FileParts:
        """Return what a file names. Raises Unreadable with one clear line."""
        try:
            return pool.call(
                read_components,
                document,
                cpu_seconds=cpu_seconds,
                seconds=CLOCK_SECONDS,
                patience=PATIENCE_SECONDS,
            )
        except ProcessDied as death:
            raise Unreadable(too_slow if death.used_up_its_time else damaged) from None
        except BrokenFrame:
            raise Unreadable(damaged) from None
        except TimeoutError:
            raise Unreadable(too_slow) from None
        except MemoryError:
            raise Unreadable("Reading this file takes too much memory.") from None
        except PoolStopped:
            raise TooManyFiles("Too many files are being read; try again in a minute.") from None

    return read
