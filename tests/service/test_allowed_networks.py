"""Networks that are not public: those of vendors and those of webhooks are allowed separately."""

import pytest
from starlette.testclient import TestClient

from service.app import create_app
from service.settings import load_settings
from service.worker import delivery_context
from storage.engine.database import open_database

LOOPBACK = "127.0.0.0/8"


@pytest.fixture(params=["CHANGEWIRE_FETCH_ALLOW", "CHANGEWIRE_WEBHOOK_ALLOW"])
def reachable(request, monkeypatch, vendors):
    """Allow loopback to one of the two; tell whether webhooks may reach it."""
    monkeypatch.setenv("CHANGEWIRE_FETCH_ALLOW", "")
    monkeypatch.setenv(request.param, LOOPBACK)
    return request.param == "CHANGEWIRE_WEBHOOK_ALLOW"


def test_a_vendor_on_a_network_of_webhooks_is_not_fetched(run, vendors, reachable):
    _, _, err = run("source", "probe", vendors.url("/log"))

    assert ("not public" in err) is reachable
    assert (vendors.asked == []) is reachable


def test_a_webhook_is_not_sent_to_a_network_of_vendors(database, vendors, reachable):
    context = delivery_context(load_settings(), database)

    result = context.webhook_client.post(vendors.url("/hook"), b"{}", {})
    context.webhook_client.close()

    assert (result.status is not None) is reachable, result.fault


def test_a_webhook_into_a_network_of_vendors_cannot_be_created(
    run, database_url, vendors, reachable
):
    run("account", "create", "ada@acme.example")
    scopes = ("--scope", "manage:webhooks", "--scope", "read:entries")
    _, key, _ = run("key", "create", "ada@acme.example", "--name", "ci", *scopes)
    database = open_database(database_url)
    with TestClient(create_app(load_settings(), database), base_url="http://localhost") as client:
        response = client.post(
            "/api/v1/webhooks",
            json={"name": "ours", "url": vendors.url("/hook")},
            headers={"X-Api-Key": key.strip()},
        )
    database.close()

    assert response.status_code == (201 if reachable else 403), response.text
