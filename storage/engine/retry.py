"""Retry transactions that failed for what PostgreSQL did, not for what they are."""

from collections.abc import Callable
from typing import Final, TypeVar

from sqlalchemy.exc import DBAPIError, OperationalError

T = TypeVar("T")
TRIES: Final = 5
RETRYABLE: Final = frozenset({"40P01", "40001"})  # a deadlock, a conflict of serialisation


def retry_transaction(transaction: Callable[[], T]) -> T:
    """Run a whole transaction, again where the database gave it up, five times at most."""
    for _ in range(TRIES - 1):
        try:
            return transaction()
        except DBAPIError as error:
            if getattr(error.orig, "sqlstate", None) not in RETRYABLE:
                raise
    return transaction()


def is_connection_lost(error: DBAPIError) -> bool:
    """Return True if PostgreSQL went away or does not accept connections yet."""
    state = getattr(error.orig, "sqlstate", "")  # None: there was no answer; SQLite knows none
    lost = state is None or state.startswith(("08", "57P"))
    return isinstance(error, OperationalError) and lost
