"""The database, opened as the settings say."""

from contextlib import suppress

from service.settings import Settings, data_folder
from storage.engine.database import Database, open_database
from storage.engine.postgresql import (
    CONNECTIONS,
    LONGEST_QUEUE_SECONDS,
    LONGEST_WAIT_SECONDS,
    WORKERS_CONNECTIONS,
    Connections,
)


def database_of(settings: Settings, *, make: bool = False, working: bool = False) -> Database:
    """Open the database of the settings.

    ``working``: with a worker's connections to PostgreSQL, which are few, as its threads are
    fetching or parsing most of the time.
    """
    if make and "database_url" not in settings.model_fields_set:
        with suppress(OSError):  # said below
            data_folder().mkdir(parents=True, exist_ok=True)
    most = settings.database_connections or (WORKERS_CONNECTIONS if working else CONNECTIONS)
    wait = LONGEST_QUEUE_SECONDS if working else LONGEST_WAIT_SECONDS
    return open_database(
        settings.database_url,
        may_lose_writes=settings.database_may_lose_writes,
        make=make,
        connections=Connections(most, pooler=settings.database_pooler, longest_wait=wait),
    )
