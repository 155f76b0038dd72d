"""What server processes store of the API's answers."""

from contextlib import contextmanager

from sqlalchemy.exc import OperationalError

from service.telemetry.metrics import ApiRecord
from storage.scheduling.api_days import api_days


def stored(database, now):
    with database.read() as session:
        return [(day.minutes, day.requests, day.failures) for day in api_days(session, now=now)]


def test_answers_of_the_api_are_counted_and_faults_of_ours_apart(database, now):
    record = ApiRecord(database, lambda: now)
    for path, status in [
        ("/api/v1/latest", 200),
        ("/api/v1/latest", 404),
        ("/api/v1/latest", 500),
        ("/api/v1/latest", 503),
        ("/api/v1/latest", None),
        ("/status", 500),
    ]:
        record.count(path, status)

    record.store()
    record.store()

    assert stored(database, now) == [(1, 5, 2)]


def test_what_could_not_be_stored_is_stored_next_time(database, now):
    class Unreachable:
        @contextmanager
        def write(self):
            raise OperationalError("", {}, Exception("the database is away"))
            yield

    record = ApiRecord(Unreachable(), lambda: now)
    record.count("/api/v1/latest", 200)

    record.store()
    record._db = database
    record.store()

    assert stored(database, now) == [(1, 1, 0)]
