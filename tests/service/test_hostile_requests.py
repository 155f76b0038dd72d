"""Requests that were made to do harm, to the whole application as a server process builds it."""

import http.cookies

import pytest
from pydantic import SecretStr
from starlette.testclient import TestClient

from service.app import create_app
from service.settings import Settings

PATHS = {
    "/": 200,
    "/api/v1/sources": 200,
    "/app/": 303,
    "/auth/login": 200,
    "/entries.csv": 401,
    "/healthz": 200,
    "/mcp": 401,
}


@pytest.fixture
def anonymous(database):
    """A client of the whole application that keeps no cookies."""
    settings = Settings(
        database_url=database.engine.url.render_as_string(hide_password=False),
        site_url="http://localhost",
        secret_key=SecretStr("x" * 32),
    )
    with TestClient(
        create_app(settings, database), base_url="http://localhost", follow_redirects=False
    ) as client:
        yield client


def test_a_cookie_of_backslashes_is_never_unquoted(anonymous, monkeypatch):
    monkeypatch.setattr(http.cookies, "_unquote", None)  # quadratic before 3.11.10 (CVE-2024-7592)
    cookie = {"Cookie": 'session="' + "\\" * 15_500 + '"'}

    statuses = {path: anonymous.get(path, headers=cookie).status_code for path in PATHS}

    assert statuses == PATHS
