"""Threads that check sources, and the leases they work under.

One thread leases and stores: the results of the checks that have ended and the next leases are one
transaction, so that a busy worker commits a few times a second and not twice a source. The
others fetch, parse and decide. Fair to hosts: of each, few sources are leased ahead and two
are checked at a time, so that one crowded host cannot fill the pool. A thread checks several of a
host one after the other, over the same connection.
"""

import time
from collections import Counter, defaultdict
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime, timedelta
from operator import attrgetter
from threading import Condition
from typing import Final

import structlog
from sqlalchemy import ColumnElement
from sqlalchemy.exc import DBAPIError
from sqlalchemy.orm import Session

from ingest.fetching.client import ClientClosed
from ingest.pipeline.check import check
from ingest.pipeline.ingestion import Ingestion
from ingest.pipeline.report import CheckReport
from ingest.pipeline.source_state import SourceToCheck, load_sources, paused_hosts
from ingest.pipeline.store import AFTER_OUR_ERROR, CheckResult, store, store_result
from ingest.sandbox.process_pool import PoolStopped
from storage.engine.retry import is_connection_lost
from storage.scheduling.due import (
    AT_A_TIME,
    LEASE,
    SourceLease,
    any_free,
    claim_sources,
    postpone,
    release_sources,
)

log = structlog.get_logger(__name__)

LEASED_PER_HOST: Final = 16  # being checked or waiting
LEASED_AHEAD: Final = 16  # times the threads; a lease costs a search among all that is due
QUEUED: Final = 4  # times the threads: checks that are handed to them at a time
IN_TURN: Final = 4  # sources of a host that a thread checks one after the other
WAITS_AT_MOST: Final = timedelta(minutes=1)  # in the pool, far less than a lease
GATHERING: Final = timedelta(milliseconds=500)  # so that a commit is for several checks
GATHERING_IDLE: Final = timedelta(milliseconds=100)  # the same while a thread has nothing to do
GATHERED: Final = 16  # checks at most, or a commit of new entries keeps other writers waiting
SEARCH_AGAIN_AFTER: Final = timedelta(seconds=1)  # if there was nothing to lease
NEVER: Final = float("-inf")  # on the monotonic clock
Conditions = Sequence[ColumnElement[bool]]


@dataclass(frozen=True, slots=True)
class _EndedCheck:
    """A check that is over. ``result`` is None when it was stopped or ``is_broken``."""

    lease: SourceLease
    result: CheckResult | None
    is_broken: bool = False


class CheckPool:
    """Checks the sources that fulfil the conditions, as long as ``advance`` is called.

    A host belongs to one worker at a time, so that two connections a host are two however many
    workers there are.
    """

    def __init__(self, ingestion: Ingestion, conditions: Conditions, *, threads: int) -> None:
        self._ingestion = ingestion
        self._conditions = conditions
        self._threads = threads
        self._executor = ThreadPoolExecutor(threads, thread_name_prefix="ingest")
        self._running: dict[Future[CheckResult], SourceLease] = {}
        self._queued: dict[SourceLease, SourceToCheck] = {}  # whose check has not begun
        self._ending = Condition()
        self._ended, self._enough = 0, 1  # checks that were not taken yet, and to wait for
        self._search_failed_at = NEVER
        self._unreleased: list[SourceLease] = []  # when the database was away

    @property
    def exhausted(self) -> bool:
        """Return whether the pool is idle and the last search found nothing to lease."""
        return self.idle and self._search_failed_at > NEVER

    @property
    def idle(self) -> bool:
        """Return whether nothing is running or waiting."""
        return not self._running and not self._queued

    def advance(self, conditions: Conditions | None = None) -> list[CheckReport]:
        """Store what has ended, lease and start what fits; return reports of what was stored.

        ``conditions`` replace those of before: what is due changes with the time.
        Raises DBAPIError when the database cannot be written.
        """
        if conditions is not None:
            self._conditions = conditions
        now = self._ingestion.now()
        has_paused = time.monotonic() - self._search_failed_at >= SEARCH_AGAIN_AFTER.total_seconds()
        may_lease = has_paused and self._room() >= (LEASED_AHEAD - QUEUED) * self._threads
        if may_lease:  # may fail, so nothing is taken out before; it writes nothing
            with self._ingestion.db.read() as session:
                may_lease = any_free(session, *self._conditions, now=now)
            if not may_lease:
                self._search_failed_at = time.monotonic()
        ended = self._take_ended()
        # what has waited so long that its lease may end during the check is leased anew
        stale = [lease for lease in self._queued if lease.until - now < LEASE - WAITS_AT_MOST]
        for lease in stale:
            del self._queued[lease]
        hosts = {lease.host for lease in (*self._running.values(), *self._queued)}
        if not {done.lease.host for done in ended} <= hosts:
            self._search_failed_at = NEVER  # a crowded host has room again
        reports = self._store(ended, stale, leasing=may_lease, now=now)
        self._start()
        return reports

    def wait(self, longest: timedelta) -> None:
        """Wait until a check has ended, but not longer than ``longest``; then for others.

        Until the threads have nothing left but what they are at, and not long where they have
        nothing else already.
        """
        if self._wait_for(1, longest):
            spare = len(self._running) - self._threads
            enough = min(spare if spare > 0 else self._threads, GATHERED)
            self._wait_for(enough, GATHERING if spare > 0 else GATHERING_IDLE)

    def _wait_for(self, enough: int, longest: timedelta) -> bool:
        """Wait until so many checks have ended; return whether they have. Fewer wake nobody."""
        with self._ending:
            self._enough = enough
            return self._ending.wait_for(lambda: self._ended >= enough, longest.total_seconds())

    def _count_end(self, _: Future[CheckResult]) -> None:
        with self._ending:
            self._ended += 1
            if self._ended >= self._enough:
                self._ending.notify()

    def stop(self) -> list[CheckReport]:
        """End what is running at once; store the results there are and release the rest.

        Nothing can be checked with this ingestion afterwards. Raises DBAPIError.
        """
        if self._running:
            self._ingestion.client.close()
            self._ingestion.parsers.close()
        for future in self._running:
            future.cancel()
        self._executor.shutdown(wait=True)
        unused, self._queued = [*self._queued], {}
        return self._store(self._take_ended(), unused, leasing=False, now=self._ingestion.now())

    def _take_ended(self) -> list[_EndedCheck]:
        with self._ending:
            self._ended = 0
        done = [future for future in self._running if future.done()]
        return [_ended(future, self._running.pop(future)) for future in done]

    def _room(self) -> int:
        running = len(self._running) - self._ended
        return max(LEASED_AHEAD * self._threads - running - len(self._queued), 0)

    def _start(self) -> None:
        """Hand sources that wait to the threads, of a host to two of them, and few ahead."""
        busy = {lease.host for lease in self._running.values()}
        by_host: defaultdict[str, list[SourceLease]] = defaultdict(list)
        for lease in self._queued:
            by_host[lease.host].append(lease)
        for host, of_host in by_host.items():
            has_room = host not in busy and len(self._running) < QUEUED * self._threads
            most = AT_A_TIME * IN_TURN if has_room else 0
            for first in range(min(AT_A_TIME, len(of_host[:most]))):
                checks = []
                for lease in of_host[first:most:AT_A_TIME]:
                    future = Future[CheckResult]()
                    future.add_done_callback(self._count_end)
                    self._running[future] = lease
                    checks.append((future, self._queued.pop(lease)))
                self._executor.submit(_check_in_turn, self._ingestion, checks)

    def _store(
        self, ended: list[_EndedCheck], unused: list[SourceLease], *, leasing: bool, now: datetime
    ) -> list[CheckReport]:
        """Store and lease in one transaction; if that fails, store each result in its own."""
        if not (ended or unused or leasing or self._unreleased):
            return []
        stopped = [done.lease for done in ended if not (done.result or done.is_broken)]
        unused = [*unused, *stopped, *self._unreleased]
        results = [done.result for done in ended if done.result is not None]
        broken = [done.lease for done in ended if done.is_broken]
        leased: dict[SourceLease, SourceToCheck] = {}
        allotment = self._ingestion.pacing.allotment(self._ingestion.db, now=now)
        try:
            with self._ingestion.db.write() as session:
                store(session, results, allotment)
                if unused or broken:
                    _release(session, unused, broken, now=now)
                if leasing:
                    leased = self._lease(session, now=now)
        except Exception as error:
            # the leases may have been committed all the same
            self._unreleased = [*unused, *(done.lease for done in ended if done.result), *leased]
            if not results:
                raise
            log.warning("storing results together failed", reason=type(error).__name__)
            reports = [store_result(self._ingestion, result) for result in results]
            with self._ingestion.db.write() as session:
                _release(session, [*unused, *leased], broken, now=now)
            self._unreleased = []
            return reports
        self._unreleased = []
        if unused:
            self._search_failed_at = NEVER  # they can be leased
        if leasing and not leased:
            self._search_failed_at = time.monotonic()
        self._queued |= leased
        return [result.report for result in results]

    def _lease(self, session: Session, *, now: datetime) -> dict[SourceLease, SourceToCheck]:
        current = [*self._running.values(), *self._queued]
        per_host = Counter(map(attrgetter("host"), current))
        full = {host for host, count in per_host.items() if count >= LEASED_PER_HOST // 2}
        leases = claim_sources(
            session,
            *self._conditions,
            now=now,
            most=self._room(),
            per_host=LEASED_PER_HOST // 2,
            avoid=full | paused_hosts(session, now=now),
            mine={lease.source_id for lease in current},
        )
        sources = load_sources(session, [lease.source_id for lease in leases])
        by_id = {source.source_id: source for source in sources}
        return {lease: by_id[lease.source_id] for lease in leases}


def _check_in_turn(
    ingestion: Ingestion, checks: list[tuple[Future[CheckResult], SourceToCheck]]
) -> None:
    """Check sources one after the other, except those whose check was cancelled meanwhile."""
    for future, source in checks:
        if not future.set_running_or_notify_cancel():
            continue
        try:
            future.set_result(check(ingestion, source))
        except BaseException as error:  # noqa: BLE001 - of this check alone, it is looked at later
            future.set_exception(error)


def _release(
    session: Session, unused: list[SourceLease], broken: list[SourceLease], *, now: datetime
) -> None:
    """End leases that are not used; those of checks that broke end later, by themselves."""
    release_sources(session, unused)
    postpone(session, {lease.source_id: now + AFTER_OUR_ERROR for lease in broken})


def _ended(future: Future[CheckResult], lease: SourceLease) -> _EndedCheck:
    if future.cancelled():
        return _EndedCheck(lease, None)
    error = future.exception()
    if error is None:
        return _EndedCheck(lease, future.result())
    if isinstance(error, ClientClosed | PoolStopped):
        return _EndedCheck(lease, None)
    if isinstance(error, DBAPIError) and is_connection_lost(error):
        log.warning("check ended: the database went away", source_id=lease.source_id)
        return _EndedCheck(lease, None)
    log.error("check failed", source_id=lease.source_id, exc_info=error)
    return _EndedCheck(lease, None, is_broken=True)
