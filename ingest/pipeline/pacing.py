"""The budget of requests of one process, shared out among the sources anew every hour."""

from datetime import datetime, timedelta
from threading import Lock
from typing import Final

from ingest.scheduling.budget import A_DAY, Allotment, Demand, allot, weight
from storage.engine.database import Database
from storage.scheduling.demand import demands_of_sources, followers_of_sources

SHARED_OUT_EVERY: Final = timedelta(hours=1)


class Pacing:
    """What each source may have of the budget, ``requests_a_day`` for a source on average."""

    def __init__(self, requests_a_day: float = A_DAY) -> None:
        self._a_day = requests_a_day
        self._allotment = Allotment()
        self._at: datetime | None = None
        self._lock = Lock()

    def allotment(self, database: Database, *, now: datetime) -> Allotment:
        """Return how long sources wait; read anew from the catalog after an hour."""
        with self._lock:
            if self._at is None or not self._at <= now < self._at + SHARED_OUT_EVERY:
                self._allotment, self._at = shared_out(database, self._a_day), now
            return self._allotment


def shared_out(database: Database, a_day: float) -> Allotment:
    """Share the budget out among the sources of the catalog."""
    with database.read() as session:
        followers = followers_of_sources(session)
        demands = [
            Demand(host, pull, floor, followers.get(source_id, 0))
            for source_id, host, pull, floor in demands_of_sources(session)
        ]
    usual, hosts = allot(demands, a_day=a_day)
    return Allotment(usual, hosts, {key: weight(number) for key, number in followers.items()})
