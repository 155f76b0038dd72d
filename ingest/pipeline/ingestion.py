"""Dependencies of a check: database, client, parsers, clock, budget, access to GitHub."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from threading import Lock
from typing import Final

from ingest.fetching.client import Client
from ingest.fetching.outcomes import Failed
from ingest.fetching.robots import Robots
from ingest.pipeline.report import CheckReport, CheckStatus
from ingest.sandbox.parser_pool import ParserPool
from ingest.scheduling.budget import A_DAY, Allotment, allot, weight
from storage.engine.database import Database
from storage.scheduling.due import (
    GITHUB,
    close_quota,
    demands_of_sources,
    followers_of_sources,
    is_quota_open,
)

SHARED_OUT_EVERY: Final = timedelta(hours=1)
_CLOSED_FOR: Final = timedelta(minutes=15)  # where GitHub does not say until when


@dataclass(slots=True)
class Pacing:
    """The budget of requests of one process, shared out among the sources anew every hour.

    A source has ``requests_a_day`` on average.
    """

    requests_a_day: float = A_DAY
    _allotment: Allotment = field(default_factory=Allotment, init=False)
    _at: datetime | None = field(default=None, init=False)
    _lock: Lock = field(default_factory=Lock, init=False)

    def allotment(self, database: Database, *, now: datetime) -> Allotment:
        """Return how long sources wait; read anew from the catalog after an hour."""
        with self._lock:
            if self._at is not None and self._at <= now < self._at + SHARED_OUT_EVERY:
                return self._allotment
            with database.read() as session:
                weights = {key: weight(n) for key, n in followers_of_sources(session).items()}
                demands = [
                    (host, pull * weights.get(source_id, 1.0), floor)
                    for source_id, host, pull, floor in demands_of_sources(session)
                ]
            usual, hosts = allot(demands, a_day=self.requests_a_day)
            self._allotment, self._at = Allotment(usual, hosts, weights), now
            return self._allotment


@dataclass(frozen=True, slots=True)
class Ingestion:
    """Dependencies of a check.

    Without a token for the releases API of GitHub its Atom feeds are read. ``package_index``: its
    address, None where names of packages are not looked up.
    """

    db: Database
    client: Client
    parsers: ParserPool
    now: Callable[[], datetime]
    github_token: str | None = field(default=None, repr=False)  # tracebacks are logged
    github_api: str = "https://api.github.com"
    github_site: str = "https://github.com"  # of the feeds of repositories
    github_files: str = "https://raw.githubusercontent.com"  # of their files
    package_index: str | None = None
    robots: dict[str, Robots] = field(default_factory=dict)  # by address, valid for a day
    pacing: Pacing = field(default_factory=Pacing)

    def may_call_github(self, *, now: datetime) -> bool:
        """Return whether GitHub's API may be called: no process has found its quota used up."""
        with self.db.read() as session:
            return is_quota_open(session, GITHUB, now=now)

    def stop_calling_github(self, failed: Failed, *, now: datetime) -> None:
        """Let no process call GitHub's API for as long as its refusal asked."""
        until = now + (failed.retry_after or _CLOSED_FOR)
        with self.db.write() as session:
            close_quota(session, GITHUB, until=until, now=now)


@dataclass(slots=True)
class Summary:
    """Counts of checks by their status, and of new and edited entries."""

    checks: Counter[CheckStatus] = field(default_factory=Counter)
    new: int = 0
    edited: int = 0

    def add(self, report: CheckReport) -> None:
        """Count one more check."""
        self.checks[report.status] += 1
        self.new += report.new
        self.edited += report.edited
