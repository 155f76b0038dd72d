"""Many sources: claims what is due, looks at each in a pool of threads, stores, stops cleanly.

One thread claims and stores: what came of the looks that have ended and the next claims are one
transaction, so that a busy ingester commits a few times a second and not twice a source. The
others fetch, parse and decide. Fair to hosts: of each, few sources are claimed ahead and two
are looked at at a time, so that one crowded host cannot fill the pool.
"""

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final

import structlog
from sqlalchemy import ColumnElement
from sqlalchemy.exc import SQLAlchemyError

from ingest.bookkeeping import Job, LeaseLost, load_jobs
from ingest.client import ClientClosed
from ingest.ingestion import Ingestion
from ingest.pipeline import Finding, Look, Report, examine, store
from ingest.sandbox import ParserStopped
from ingest.schedule import Asking, Overdue, host_pause, spread
from storage.due import (
    Claim,
    Wish,
    any_free,
    claim,
    count_sources_where,
    due_sources,
    is_due,
    postpone,
    release,
    wishes,
)

log = structlog.get_logger(__name__)

CONNECTIONS_PER_HOST: Final = 2
CLAIMED_PER_HOST: Final = 16  # looked at or waiting
WAITS_AT_MOST: Final = timedelta(minutes=1)  # in the pool, far less than a lease
IDLE: Final = timedelta(seconds=2)
GLANCE: Final = timedelta(milliseconds=250)  # between two looks at whether to stop
PROGRESS_EVERY: Final = timedelta(minutes=1)
CROWD: Final = 300  # sources due at once that call for spreading
SPREAD_EVERY: Final = timedelta(minutes=10)
SPREAD_PER_SECOND: Final = 20.0
SPREAD_PER_HOST: Final = timedelta(milliseconds=250)
Conditions = Sequence[ColumnElement[bool]]


@dataclass(slots=True)
class Summary:
    """What a sweep did, in numbers."""

    looks: Counter[Look] = field(default_factory=Counter)
    new: int = 0
    edited: int = 0

    def add(self, report: Report) -> None:
        """Count one more source."""
        self.looks[report.look] += 1
        self.new += report.new
        self.edited += report.edited


@dataclass(frozen=True, slots=True)
class _Waiting:
    claim: Claim
    job: Job
    since: datetime


class Pool:
    """Threads that look at claimed sources, and the claims they work on.

    ``exclusive``: a host belongs to one worker at a time, so that two connections a host are
    two, however many workers there are.
    """

    def __init__(self, ingestion: Ingestion, *, threads: int, exclusive: bool) -> None:
        self.ingestion = ingestion
        self.threads = threads
        self.exclusive = exclusive
        self._executor = ThreadPoolExecutor(threads, thread_name_prefix="ingest")
        self._under_way: dict[Future[Finding], Claim] = {}
        self._waiting: list[_Waiting] = []
        self._asked_at = float("-inf")  # monotonic: when a claim last found nothing

    @property
    def idle(self) -> bool:
        """Tell whether nothing is under way or waiting."""
        return not self._under_way and not self._waiting

    def turn(self, conditions: Conditions) -> list[Report]:
        """Store what has ended, claim and start what fits; return what was stored."""
        now = self.ingestion.now()
        ended = self._ended()
        stale = self._stale(now)
        reports = []
        if ended or stale or self._may_claim(conditions, now=now):
            reports = self._stored(ended, stale, conditions, now=now)
        self._start()
        return reports

    def wait(self, longest: timedelta) -> None:
        """Wait until a look has ended, or for a while."""
        if self._under_way:
            seconds = longest.total_seconds()
            wait(self._under_way, timeout=seconds, return_when=FIRST_COMPLETED)

    def stop(self) -> None:
        """End what is under way at once; store what was found, give back the rest."""
        if self._under_way:
            self.ingestion.client.close()
            self.ingestion.parsers.close()
        self._executor.shutdown(wait=True, cancel_futures=True)
        ended, self._waiting, waiting = self._ended(), [], self._waiting
        self._store_and_claim(ended, [each.claim for each in waiting], (), now=self.ingestion.now())

    def _ended(self) -> list[tuple[Claim, Finding | None]]:
        """Take out the looks that have ended, with what they found."""
        done = [future for future in self._under_way if future.done()]
        return [(claimed := self._under_way.pop(each), _found(each, claimed)) for each in done]

    def _stale(self, now: datetime) -> list[Claim]:
        """Take out claims that have waited for so long that the lease may end under the look."""
        late = [each for each in self._waiting if now - each.since > WAITS_AT_MOST]
        self._waiting = [each for each in self._waiting if now - each.since <= WAITS_AT_MOST]
        return [each.claim for each in late]

    def _may_claim(self, conditions: Conditions, *, now: datetime) -> bool:
        """Tell whether there is room and, without a write, whether anything may be claimed."""
        if not self._room() or time.monotonic() - self._asked_at < IDLE.total_seconds():
            return False
        with self.ingestion.db.read() as session:
            found = any_free(session, *conditions, now=now)
        if not found:
            self._asked_at = time.monotonic()
        return found

    def _room(self) -> int:
        return max(2 * self.threads - len(self._under_way) - len(self._waiting), 0)

    def _start(self) -> None:
        """Start waiting looks, two of a host at a time, as far as there are threads."""
        busy = Counter(each.host for each in self._under_way.values())
        still = []
        for each in self._waiting:
            host = each.claim.host
            if len(self._under_way) < self.threads and busy[host] < CONNECTIONS_PER_HOST:
                busy[host] += 1
                future = self._executor.submit(examine, self.ingestion, each.job)
                self._under_way[future] = each.claim
            else:
                still.append(each)
        self._waiting = still
