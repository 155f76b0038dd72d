"""Checks of what is due of some hosts, batch by batch: one pool for all batches of a process."""

import threading
import time
from collections.abc import Callable, Collection
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from queue import Empty, SimpleQueue
from typing import Final

from sqlalchemy import ColumnElement, and_, or_

from ingest.pipeline.ingestion import Ingestion
from ingest.pipeline.store import CheckReport
from ingest.workers.local import POLL, going_on
from ingest.workers.pool import CheckPool
from storage.models import FetchFacts
from storage.scheduling.due import is_due

LONGEST_BATCH: Final = timedelta(minutes=2)
DRAIN_TRIES: Final = 5
DRAIN_AGAIN_AFTER: Final = timedelta(seconds=1)


@dataclass(frozen=True, slots=True, eq=False)
class Batch:
    """Some hosts, of which is checked what is due when the batch is made.

    ``over`` is done when nothing of that is left. After ``last``, on the monotonic clock, nothing
    more is leased for it: what is left is due still.
    """

    hosts: frozenset[str]
    due: ColumnElement[bool]
    last: float
    over: Future[None]


def batch_of(hosts: Collection[str], *, now: datetime) -> Batch:
    """Return a batch that begins now."""
    over = Future[None]()
    over.set_running_or_notify_cancel()  # whoever waits for it cannot cancel it
    due = and_(is_due(now), FetchFacts.host.in_(hosts))
    return Batch(frozenset(hosts), due, time.monotonic() + LONGEST_BATCH.total_seconds(), over)


def check_batches(
    ingestion: Ingestion,
    added: SimpleQueue[Batch],
    stop: threading.Event,
    *,
    threads: int,
    on_report: Callable[[CheckReport], None],
) -> None:
    """Check batches as they are added, beside each other, until ``stop`` is set.

    Every batch that was added is over then. A database that cannot be used is waited for.
    """
    pool = CheckPool(ingestion, [], threads=threads, exclusive=False)
    batches: list[Batch] = []
    try:
        while not stop.is_set():
            with going_on(stop):
                if new := _take(added, wait=timedelta(0) if batches else POLL):
                    batches += new
                    pool.search_again()
                for report in pool.advance([_due_of(batches)]) if batches else ():
                    on_report(report)
                batches = [batch for batch in batches if not _ended(batch, pool)]
            if batches:
                pool.wait(POLL)
    finally:
        _drain(pool, stop, on_report)
        for batch in (*batches, *_take(added, wait=timedelta(0))):
            batch.over.set_result(None)


def _take(added: SimpleQueue[Batch], *, wait: timedelta) -> list[Batch]:
    """Return the batches that were added; wait for one, but not for others."""
    batches: list[Batch] = []
    with suppress(Empty):
        while True:
            batches.append(added.get(timeout=0 if batches else wait.total_seconds()))
    return batches


def _due_of(batches: Collection[Batch]) -> ColumnElement[bool]:
    now = time.monotonic()
    return or_(False, *(batch.due for batch in batches if now < batch.last))


def _ended(batch: Batch, pool: CheckPool) -> bool:
    """Tell whether a batch is over, and make it so."""
    has_more = time.monotonic() < batch.last and not pool.found_all
    if has_more or not batch.hosts.isdisjoint(pool.hosts):
        return False
    batch.over.set_result(None)
    return True


def _drain(
    pool: CheckPool, stop: threading.Event, on_report: Callable[[CheckReport], None]
) -> None:
    """Store what is left and release every lease, so that no source waits for its end.

    Tried several times, since it may have been the database that ended the batches.
    """
    drained, tries = False, 0
    while not drained and tries < DRAIN_TRIES:
        if tries:
            time.sleep(DRAIN_AGAIN_AFTER.total_seconds())
        tries += 1
        with going_on(stop):
            for report in pool.drain():
                on_report(report)
            drained = True
