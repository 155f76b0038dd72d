"""What a killed process had leased is free at once for the next one, where no other is alive."""

from datetime import timedelta

import pytest
from sqlalchemy import select, update

from storage.models import FetchFacts
from storage.scheduling.worker_lock import hold_worker_lock

pytestmark = pytest.mark.only_on("sqlite")
MINUTES = timedelta(minutes=4)


@pytest.fixture
def leased(database, catalog, now):
    """A database with sources that a process leased before it was killed."""
    with database.write() as session:
        session.execute(update(FetchFacts).values(leased_until=now + MINUTES))
    return database


def leases(database):
    with database.read() as session:
        return list(session.scalars(select(FetchFacts.leased_until)))


def test_who_comes_alone_ends_the_leases_of_the_dead(leased):
    with hold_worker_lock(leased) as ended:
        assert (ended, leases(leased)) == (6, [None] * 6)


def test_who_does_not_come_alone_leaves_leases_as_they_are(leased, now):
    with hold_worker_lock(leased):
        with leased.write() as session:
            session.execute(update(FetchFacts).values(leased_until=now + MINUTES))
        with hold_worker_lock(leased) as ended:
            assert (ended, leases(leased)) == (None, [now + MINUTES] * 6)


def test_a_process_that_ended_is_no_longer_there(leased):
    with hold_worker_lock(leased):
        pass

    with hold_worker_lock(leased) as ended:
        assert ended == 0
