"""A database that fails is logged once a second, not once a request."""

from contextlib import contextmanager

import pytest
from sqlalchemy.exc import OperationalError
from structlog.testing import capture_logs

from handlers.http import auth, errors, refusals
from openapi.vocabulary import Plan
from storage.engine.database import Database


@contextmanager
def away(_database):
    raise OperationalError("SELECT 1", {}, Exception("connection refused\nIs it running?"))
    yield


@pytest.fixture(autouse=True)
def nothing_was_logged(monkeypatch):
    """No line was logged before, and the second does not pass however slow the machine is."""
    monkeypatch.setattr(refusals, "OUTAGE_INTERVAL_SECONDS", 3600.0)
    monkeypatch.setattr(errors, "OUTAGE", refusals.OutageLog("database unavailable"))
    monkeypatch.setattr(auth, "NOT_NOTED", refusals.OutageLog("use of a key not noted"))


@pytest.mark.parametrize(("interval", "lines"), [(3600.0, 1), (0.0, 20)])
def test_a_line_is_logged_each_second_however_many_requests(client, monkeypatch, interval, lines):
    monkeypatch.setattr(Database, "read", away)
    monkeypatch.setattr(refusals, "OUTAGE_INTERVAL_SECONDS", interval)

    with capture_logs() as logged:
        answers = {client.get("/api/v1/latest").status_code for _ in range(20)}

    assert (answers, len(logged)) == ({503}, lines)
    assert (logged[0]["event"], logged[0]["log_level"]) == ("database unavailable", "error")
    assert logged[0]["reason"] == "(builtins.Exception) connection refused"


def test_a_key_whose_use_cannot_be_noted_logs_one_line(client, new_key, monkeypatch):
    key = new_key(Plan.ALL)
    monkeypatch.setattr(Database, "write", away)

    with capture_logs() as logged:
        answers = {client.get("/api/v1/webhooks", headers=key).status_code for _ in range(20)}

    assert answers == {200}
    assert [each["event"] for each in logged] == ["use of a key not noted"]
