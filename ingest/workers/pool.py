"""Threads that look at sources, and the claims they work on.

One thread claims and stores: what came of the looks that have ended and the next claims are one
transaction, so that a busy ingester commits a few times a second and not twice a source. The
others fetch, parse and decide. Fair to hosts: of each, few sources are claimed ahead and two
are looked at at a time, so that one crowded host cannot fill the pool.
"""

import time
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

import structlog
from sqlalchemy import ColumnElement
from sqlalchemy.orm import Session

from ingest.fetching.client import ClientClosed
from ingest.pipeline.check_source import AFTER_OUR_ERROR, stored_alone
from ingest.pipeline.ingestion import Ingestion
from ingest.pipeline.source_state import Job, load_jobs
from ingest.pipeline.store import Finding, Report, examine, store_all
from ingest.sandbox.parser_pool import ParserStopped
from ingest.scheduling.schedule import Asking, host_pause
from storage.scheduling.due import (
    AT_A_TIME,
    Claim,
    Wish,
    any_free,
    claim,
    postpone,
    release,
    wishes,
)

log = structlog.get_logger(__name__)

CLAIMED_PER_HOST: Final = 16  # looked at or waiting
CLAIMED_AHEAD: Final = 16  # times the threads; a claim costs a look at all that is due
QUEUED: Final = 2  # times the threads: looks that are handed to them at a time
WAITS_AT_MOST: Final = timedelta(minutes=1)  # in the pool, far less than a lease
GATHERING: Final = timedelta(milliseconds=20)  # so that a commit is for several looks
ASK_AGAIN_AFTER: Final = timedelta(seconds=1)  # when there was nothing to claim
NEVER: Final = float("-inf")  # on the monotonic clock
Conditions = Sequence[ColumnElement[bool]]


@dataclass(frozen=True, slots=True)
class _Waiting:
    claim: Claim
    job: Job
    since: datetime


@dataclass(frozen=True, slots=True)
class _Ended:
    """A look that is over. ``finding`` is None when it found nothing: stopped, or ``broken``."""

    claim: Claim
    finding: Finding | None
    broken: bool = False


class Pool:
    """Looks at what fulfils the conditions, as long as ``turn`` is called.

    ``exclusive``: a host belongs to one worker at a time, so that two connections a host are
    two however many workers there are.
    """

    def __init__(
        self, ingestion: Ingestion, conditions: Conditions, *, threads: int, exclusive: bool
    ) -> None:
        self._ingestion = ingestion
        self._conditions = conditions
        self._threads = threads
        self._exclusive = exclusive
        self._executor = ThreadPoolExecutor(threads, thread_name_prefix="ingest")
        self._under_way: dict[Future[Finding], Claim] = {}
        self._waiting: list[_Waiting] = []
        self._found_nothing_at = NEVER

    @property
    def exhausted(self) -> bool:
        """Tell whether there is nothing to do and nothing was to be had when last asked."""
        return self.idle and self._found_nothing_at > NEVER

    @property
    def idle(self) -> bool:
        """Tell whether nothing is under way or waiting."""
        return not self._under_way and not self._waiting

    def turn(self, conditions: Conditions | None = None) -> list[Report]:
        """Store what has ended, claim and start what fits; return what was stored.

        ``conditions`` replace those of before: what is due is another question every minute.
        Raises DBAPIError when the database cannot be written.
        """
        if conditions is not None:
            self._conditions = conditions
        now = self._ingestion.now()
        ended, stale = self._ended(), self._stale(now)
        if self.idle and ended:
            self._found_nothing_at = NEVER  # a crowded host has room again
        may_claim = self._may_claim(now)
        reports = self._stored(ended, stale, claiming=may_claim, now=now)
        self._start()
        return reports

    def wait(self, longest: timedelta) -> None:
        """Wait until a look has ended and others may have too, or for a while."""
        seconds = longest.total_seconds()
        if self._under_way:
            wait(self._under_way, timeout=seconds, return_when=FIRST_COMPLETED)
            wait(self._under_way, timeout=GATHERING.total_seconds())
        else:
            time.sleep(seconds)

    def stop(self) -> list[Report]:
        """End what is under way at once; store what was found and give back the rest."""
        if self._under_way:
            self._ingestion.client.close()
            self._ingestion.parsers.close()
        self._executor.shutdown(wait=True, cancel_futures=True)
        unused, self._waiting = [each.claim for each in self._waiting], []
        return self._stored(self._ended(), unused, claiming=False, now=self._ingestion.now())

    def _ended(self) -> list[_Ended]:
        done = [future for future in self._under_way if future.done()]
        return [_outcome(future, self._under_way.pop(future)) for future in done]

    def _stale(self, now: datetime) -> list[Claim]:
        """Take out claims that have waited for so long that the lease may end under the look."""
        stale = [each.claim for each in self._waiting if now - each.since > WAITS_AT_MOST]
        self._waiting = [each for each in self._waiting if now - each.since <= WAITS_AT_MOST]
        return stale

    def _room(self) -> int:
        return max(CLAIMED_AHEAD * self._threads - len(self._under_way) - len(self._waiting), 0)

    def _may_claim(self, now: datetime) -> bool:
        """Tell whether there is room and, without writing, whether anything may be claimed."""
        rested = time.monotonic() - self._found_nothing_at >= ASK_AGAIN_AFTER.total_seconds()
        if self._room() < (CLAIMED_AHEAD - QUEUED) * self._threads or not rested:
            return False
        with self._ingestion.db.read() as session:
            found = any_free(session, *self._conditions, now=now)
        if not found:
            self._found_nothing_at = time.monotonic()
        return found

    def _start(self) -> None:
        """Hand looks that wait to the threads, two of a host at a time, and few ahead."""
        busy = Counter(each.host for each in self._under_way.values())
        still = []
        for each in self._waiting:
            host = each.claim.host
            if len(self._under_way) < QUEUED * self._threads and busy[host] < AT_A_TIME:
                busy[host] += 1
                future = self._executor.submit(examine, self._ingestion, each.job)
                self._under_way[future] = each.claim
            else:
                still.append(each)
        self._waiting = still

    def _stored(
        self, ended: list[_Ended], unused: list[Claim], *, claiming: bool, now: datetime
    ) -> list[Report]:
        """Store and claim in one transaction; if that fails, store each look in its own."""
        if not (ended or unused or claiming):
            return []
        unused = [*unused, *(each.claim for each in ended if not each.finding and not each.broken)]
        found = [each.finding for each in ended if each.finding is not None]
        broken = [each.claim for each in ended if each.broken]
        taken: list[_Waiting] = []
        reports = [finding.report for finding in found]
        try:
            with self._ingestion.db.write() as session:
                store_all(session, found, now=now)
                self._give_back(session, unused, broken, now=now)
                if claiming:
                    taken = self._claimed(session, now=now)
        except Exception as error:
            if not found:
                raise
            log.warning("storing looks together failed", reason=type(error).__name__)
            reports = [stored_alone(self._ingestion, finding) for finding in found]
            with self._ingestion.db.write() as session:
                self._give_back(session, unused, broken, now=now)
            return reports
        self._waiting += taken
        if claiming and not taken:
            self._found_nothing_at = time.monotonic()
        return reports

    def _give_back(
        self, session: Session, unused: list[Claim], broken: list[Claim], *, now: datetime
    ) -> None:
        """End leases that are not used; those of looks that broke end later, by themselves."""
        release(session, unused)
        postpone(session, {each.source_id: now + AFTER_OUR_ERROR for each in broken})

    def _claimed(self, session: Session, *, now: datetime) -> list[_Waiting]:
        held = [*self._under_way.values(), *(each.claim for each in self._waiting)]
        crowded = Counter(each.host for each in held)
        full = {host for host, count in crowded.items() if count >= CLAIMED_PER_HOST // 2}
        claims = claim(
            session,
            *self._conditions,
            now=now,
            most=self._room(),
            per_host=CLAIMED_PER_HOST // 2,
            avoid=full | paused_hosts(wishes(session, now=now), now=now),
            mine={each.source_id for each in held} if self._exclusive else None,
        )
        jobs = {job.source_id: job for job in load_jobs(session, [c.source_id for c in claims])}
        return [_Waiting(each, jobs[each.source_id], now) for each in claims]


def _outcome(future: Future[Finding], claim: Claim) -> _Ended:
    if future.cancelled():
        return _Ended(claim, None)
    error = future.exception()
    if error is None:
        return _Ended(claim, future.result())
    if isinstance(error, ClientClosed | ParserStopped):
        return _Ended(claim, None)
    log.error("look failed", source_id=claim.source_id, exc_info=error)
    return _Ended(claim, None, broken=True)


def paused_hosts(asked: Sequence[Wish], *, now: datetime) -> set[str]:
    """Return the hosts that several of their addresses asked to leave alone."""
    by_host: dict[str, list[Asking]] = {}
    for each in asked:
        by_host.setdefault(each.host, []).append(Asking(each.url, each.asked_at, each.until))
    return {host for host, askings in by_host.items() if host_pause(askings, now=now)}
