"""How the API did on each of the last days."""

from datetime import timedelta

import pytest

from storage.scheduling.api_days import ApiDayRecord, add_minute, api_days


@pytest.fixture
def record(database):
    """Store a minute."""

    def record(at, requests=0, failures=0):
        with database.write() as session:
            add_minute(session, requests=requests, failures=failures, now=at)

    return record


@pytest.fixture
def recorded(database):
    """Read what is stored as of a time."""

    def recorded(now):
        with database.read() as session:
            return api_days(session, now=now)

    return recorded


def test_a_minute_counts_once_however_many_processes_run(record, recorded, now):
    record(now, 5, 1)
    record(now + timedelta(seconds=59), 3)
    record(now + timedelta(minutes=1), 2)

    assert recorded(now) == [ApiDayRecord(now.date(), 720, 2, 10, 1)]


def test_a_record_that_comes_late_counts_its_requests(record, recorded, now):
    record(now)
    record(now - timedelta(minutes=1), 7)

    assert recorded(now) == [ApiDayRecord(now.date(), 720, 1, 7, 0)]


def test_days_are_in_order_and_the_last_ninety(record, recorded, now):
    for days in (0, -1, -89, -90):
        record(now + timedelta(days=days))
    record(now)

    assert [day.day for day in recorded(now)] == [
        (now + timedelta(days=days)).date() for days in (-89, -1, 0)
    ]


def test_older_days_are_deleted(record, recorded, now):
    record(now - timedelta(days=90))
    record(now)

    assert recorded(now - timedelta(days=90)) == [ApiDayRecord(now.date(), 720, 1, 0, 0)]
