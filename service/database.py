"""The database, opened as the settings say."""

from service.settings import Settings
from storage.engine.connections import (
    CONNECTIONS,
    LONGEST_QUEUE_S,
    LONGEST_WAIT_FOR_CONNECTION_S,
    WORKERS_CONNECTIONS,
    Connections,
)
from storage.engine.database import Database, open_database


def database_of(settings: Settings, *, make: bool = True, working: bool = False) -> Database:
    """Open the database of the settings.

    ``working``: with a worker's connections to PostgreSQL, which are few, as its threads are
    fetching or parsing most of the time.
    """
    most, longest_wait = CONNECTIONS, LONGEST_WAIT_FOR_CONNECTION_S
    if working:
        most, longest_wait = WORKERS_CONNECTIONS, LONGEST_QUEUE_S
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
