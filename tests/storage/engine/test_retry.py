"""What the database gave up is run again; nothing else is."""

import pytest
from sqlalchemy.exc import DBAPIError

from storage.engine.retry import TRIES, retry_transaction


class Refusal(Exception):
    def __init__(self, sqlstate):
        self.sqlstate = sqlstate


def failing(times, sqlstate):
    """A transaction that fails so many times and then returns the number of its runs."""
    runs = []

    def transaction():
        runs.append(None)
        if len(runs) <= times:
            raise DBAPIError("COMMIT", {}, Refusal(sqlstate))
        return len(runs)

    return transaction


@pytest.mark.parametrize("sqlstate", ["40P01", "40001"])
def test_a_deadlock_and_a_conflict_are_run_again(sqlstate):
    assert retry_transaction(failing(TRIES - 1, sqlstate)) == TRIES


@pytest.mark.parametrize(("times", "sqlstate"), [(TRIES, "40P01"), (1, "57P01")])
def test_neither_for_ever_nor_after_another_failure(times, sqlstate):
    with pytest.raises(DBAPIError):
        retry_transaction(failing(times, sqlstate))
