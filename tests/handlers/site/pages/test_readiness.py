"""/readyz: whether a server can do its work."""

import pytest
from full_disk import full_disk

from storage.engine.database import on_postgresql


def test_a_server_is_ready_when_its_database_is(browser):
    answer = browser.get("/readyz")

    assert (answer.status_code, answer.text) == (200, "ready\n")
    assert answer.headers["Cache-Control"] == "no-store"


def test_a_server_whose_disk_is_full_says_so(browser, database, clock):
    if on_postgresql(database.engine):
        pytest.skip("the server of PostgreSQL has limits of its own")
    browser.get("/readyz")
    clock.forward(seconds=10)

    with full_disk():
        answer = browser.get("/readyz")

    assert (answer.status_code, answer.text) == (503, "not ready: writes fail\n")
    assert browser.get("/healthz").status_code == 200
