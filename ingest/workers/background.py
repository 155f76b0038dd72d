"""Work over all stored entries in the background, while a worker does its own."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

WITHOUT_DATABASE_SECONDS = 10.0
PAUSE_SECONDS = 0.05  # about as long as a batch takes: half of the time is left to others


@contextmanager
def in_background(stop: threading.Event, **work: Callable[[], None]) -> Iterator[None]:
    """Run functions in threads, by their names, while the block runs; ``stop`` is set behind it."""
    threads = [threading.Thread(target=function, name=name) for name, function in work.items()]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        stop.set()
        for thread in threads:
            thread.join()
