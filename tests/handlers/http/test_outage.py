"""A database that goes away and comes back: 503 in the contract's words, then as before."""

import pytest
from starlette.testclient import TestClient

from handlers.api.application import create_api
from handlers.context import Context
from openapi.vocabulary import Health
from storage.engine.database import open_database, upgrade

pytestmark = pytest.mark.only_on("postgresql")


@pytest.fixture(scope="module")
def own_server(new_server):
    """A server that these tests may stop and start as they like."""
    server = new_server()
    server.start()
    return server


@pytest.mark.parametrize("end", ["stop", "kill"])
def test_an_outage_is_answered_with_503_and_ends_by_itself(own_server, now, end):
    database = open_database(own_server.address(own_server.create()))
    upgrade(database)
    services = Context(
        db=database,
        now=lambda: now,
        judge=lambda item, at: (Health.HEALTHY, None),
        site_url="https://changewire.example",
    )
    api = create_api(services)
    with TestClient(api, base_url="http://127.0.0.1:8080", raise_server_exceptions=False) as client:
        before = client.get("/api/v1/latest")
        getattr(own_server, end)()
        during = [client.get("/api/v1/latest") for _ in range(3)]
        own_server.start()
        after = client.get("/api/v1/latest")
    database.close()

    assert [each.status_code for each in (before, *during, after)] == [200, 503, 503, 503, 200]
    for each in during:
        assert each.json()["code"] == "unavailable", each.text
        assert str(own_server.folder) not in each.text
