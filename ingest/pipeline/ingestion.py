"""What a look at a source needs of the world."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from threading import Lock
from typing import Final

from ingest.fetching.client import Client
from ingest.fetching.outcomes import Failed
from ingest.fetching.robots import Robots
from ingest.sandbox.parser_pool import ParserPool
from storage.engine.database import Database
from storage.scheduling.due import CLOCKS_DIFFER

_AFTER_REFUSAL: Final = timedelta(minutes=15)  # where GitHub does not say until when


@dataclass(frozen=True, slots=True)
class GithubApi:
    """Access to the releases API of GitHub; without it the Atom feeds are read."""

    address: str
    token: str = field(repr=False)  # tracebacks are logged


class Quota:
    """Until when GitHub's API is left alone because it said that the quota is used up."""

    def __init__(self) -> None:
        self._refused_at = self._until = datetime.min.replace(tzinfo=UTC)
        self._changing = Lock()

    def is_open(self, *, now: datetime) -> bool:
        """Tell whether the API may be asked."""
        was_ahead = now + CLOCKS_DIFFER < self._refused_at  # the clock was put back since
        return was_ahead or self._until <= now

    def refused(self, failed: Failed, *, now: datetime) -> None:
        """Remember that the API refused, and for how long it asked to wait."""
        until = now + (failed.retry_after or _AFTER_REFUSAL)
        with self._changing:
            self._until = until if self.is_open(now=now) else max(self._until, until)
            self._refused_at = now


@dataclass(frozen=True, slots=True)
class Ingestion:
    """What a look needs of the world."""

    db: Database
    client: Client
    parsers: ParserPool
    now: Callable[[], datetime]
    github: GithubApi | None = None
    robots: dict[str, Robots] = field(default_factory=dict)  # by address, kept for a day
    quota: Quota = field(default_factory=Quota)
