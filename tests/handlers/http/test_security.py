"""Security: an error while credentials are checked is not taken for wrong credentials."""

import pytest
from sqlalchemy.exc import OperationalError

from handlers.http.auth import PLAIN_SESSION_COOKIE, SESSION_COOKIE

COOKIES = f"{SESSION_COOKIE}=x; {PLAIN_SESSION_COOKIE}=x"


def failing(*_, **__):
    raise OperationalError("SELECT", {}, Exception("the database is away"))


@pytest.fixture
def key(new_key):
    return new_key()["X-Api-Key"]


@pytest.mark.parametrize("target", ["/api/v1/sources", "/api/v1/entries?sources=acme.compute"])
@pytest.mark.parametrize("header", ["X-Api-Key", "Authorization", "Cookie"])
def test_a_database_that_is_away_is_no_wrong_key(client, key, monkeypatch, target, header):
    value = {"X-Api-Key": key, "Authorization": f"Bearer {key}", "Cookie": COOKIES}[header]
    monkeypatch.setattr("handlers.http.auth.find_live_key", failing)
    monkeypatch.setattr("handlers.http.auth.find_session", failing)

    response = client.get(target, headers={header: value})

    assert (response.status_code, response.json()["code"]) == (503, "unavailable")
