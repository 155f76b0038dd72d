"""Work over all stored entries in the background, while a worker does its own."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import structlog
from sqlalchemy.exc import DBAPIError

from storage.engine.database import Database

log = structlog.get_logger(__name__)

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


def in_batches(
    batch: Callable[[Database], int],
    db: Database,
    stop: threading.Event,
    *,
    waiting: str,
) -> Iterator[int]:
    """Yield how many entries each batch did, with a pause behind it, until ``stop`` is set.

    Every batch is a transaction of its own: it may be interrupted anywhere and goes on from
    there, and ingestion writes in between. While the database cannot be written, the log says
    that entries are ``waiting``, and the batch is tried again.
    """
    while not stop.is_set():
        try:
            count = batch(db)
        except DBAPIError as error:
            log.error(waiting, reason=str(error.orig))
            stop.wait(WITHOUT_DATABASE_SECONDS)
            continue
        yield count
        stop.wait(PAUSE_SECONDS)
