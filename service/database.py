"""The database, opened as the settings say."""

from service.settings import Settings
from storage.engine.database import Database, open_database
from storage.engine.postgresql import (
    CONNECTIONS,
    LONGEST_QUEUE_SECONDS,
    LONGEST_WAIT_SECONDS,
    WORKERS_CONNECTIONS,
    Connections,
)


def database_of(settings: Settings, *, make: bool = True, working: bool = False) -> Database:
    """Open the database of the settings.

    ``working``: with a worker's connections to PostgreSQL, which are few, as its threads are
    fetching or parsing most of the time.
    """
    most, longest_wait = CONNECTIONS, LONGEST_WAIT_SECONDS
    if working:
        most, longest_wait = WORKERS_CONNECTIONS, LONGEST_QUEUE_SECONDS
    return open_database(
        settings.database_url,
        may_lose_writes=settings.database_may_lose_writes,
        make=make,
        connections=Connections(
            settings.database_connections or most,
            pooler=settings.database_pooler,
            longest_wait=longest_wait,
        ),
    )
