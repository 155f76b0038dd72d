"""Dependencies of a check: database, client, parsers, clock, budget, access to GitHub."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from threading import Lock
from typing import Final

from ingest.fetching.client import Client
from ingest.fetching.outcomes import Failed
from ingest.fetching.robots import Robots
from ingest.sandbox.parser_pool import ParserPool
from ingest.scheduling.budget import A_DAY, Allotment, allot, weight
from storage.engine.database import Database
from storage.scheduling.budget import (
    GITHUB,
    close_quota,
    demands_of_sources,
    followers_of_sources,
    is_quota_open,
)
from storage.scheduling.due import CLOCKS_DIFFER

SHARED_OUT_EVERY: Final = timedelta(hours=1)
_CLOSED_FOR: Final = timedelta(minutes=15)  # where GitHub does not say until when


@dataclass(frozen=True, slots=True)
class GithubApi:
    """Access to the releases API of GitHub; without it the Atom feeds are read."""

    address: str
    token: str = field(repr=False)  # tracebacks are logged


class Quota:
    """Until when GitHub's API is not called because its quota is used up."""

    def __init__(self) -> None:
        self._closed_at = self._until = datetime.min.replace(tzinfo=UTC)
        self._lock = Lock()

    def is_open(self, *, now: datetime) -> bool:
        """Tell whether the API may be called."""
        was_ahead = now + CLOCKS_DIFFER < self._closed_at  # the clock was put back since
        return was_ahead or self._until <= now

    def close(self, failed: Failed, *, now: datetime) -> datetime:
        """Stop calling the API after a refusal for as long as that asked; return until when."""
        until = now + (failed.retry_after or _CLOSED_FOR)
        with self._lock:
            self._until = until if self.is_open(now=now) else max(self._until, until)
            self._closed_at = now
            return self._until


class Pacing:
    """The budget of requests of one process, shared out among the sources anew every hour.

    A source has ``requests_a_day`` on average.
    """

    def __init__(self, requests_a_day: float = A_DAY) -> None:
        self._a_day = requests_a_day
        self._allotment = Allotment()
        self._at: datetime | None = None
        self._lock = Lock()

    def allotment(self, database: Database, *, now: datetime) -> Allotment:
        """Return how long sources wait; read anew from the catalog after an hour."""
        with self._lock:
            if self._at is None or not self._at <= now < self._at + SHARED_OUT_EVERY:
                self._allotment, self._at = self._shared_out(database), now
            return self._allotment

    def _shared_out(self, database: Database) -> Allotment:
        with database.read() as session:
            weights = {key: weight(n) for key, n in followers_of_sources(session).items()}
            demands = [
                (host, pull * weights.get(source_id, 1.0), floor)
                for source_id, host, pull, floor in demands_of_sources(session)
            ]
        usual, hosts = allot(demands, a_day=self._a_day)
        return Allotment(usual, hosts, weights)


@dataclass(frozen=True, slots=True)
class Ingestion:
    """The dependencies of a check."""

    db: Database
    client: Client
    parsers: ParserPool
    now: Callable[[], datetime]
    github: GithubApi | None = None
    github_site: str = "https://github.com"  # of the feeds of repositories
    robots: dict[str, Robots] = field(default_factory=dict)  # by address, valid for a day
    quota: Quota = field(default_factory=Quota)
    pacing: Pacing = field(default_factory=Pacing)

    def may_call_github(self, *, now: datetime) -> bool:
        """Tell whether GitHub's API may be called: no process has found its quota used up."""
        if not self.quota.is_open(now=now):
            return False
        with self.db.read() as session:
            return is_quota_open(session, GITHUB, now=now)

    def stop_calling_github(self, failed: Failed, *, now: datetime) -> None:
        """Let no process call GitHub's API until its quota is filled again."""
        until = self.quota.close(failed, now=now)
        with self.db.write() as session:
            close_quota(session, GITHUB, until=until, now=now)

    def allotment(self) -> Allotment:
        """Return what the budget of requests allows each source now."""
        return self.pacing.allotment(self.db, now=self.now())
