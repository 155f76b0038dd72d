"""changewire webhook: seen, sent again, switched off and on by the operator."""

import json

import pytest

from service.clock import clock
from storage.delivery.fanout import add_test_event
from storage.delivery.webhooks import add_webhook
from storage.engine.database import open_database
from storage.models import Delivery, Webhook
from storage.models.webhooks import DeliveryState
from storage.people.accounts import find_account


@pytest.fixture
def database(run, database_url):
    """The database of the commands, with ada's account."""
    assert run("account", "create", "ada@acme.example")[0] == 0
    database = open_database(database_url)
    yield database
    database.close()


@pytest.fixture
def webhook_id(database):
    """A webhook of ada's with a message that waits."""
    wanted = Webhook(name="chat", url="https://hooks.acme.example/")
    with database.write() as session:
        account = find_account(session, "ada@acme.example")
        made = add_webhook(session, account.id, wanted, now=clock())
        add_test_event(session, made.id, now=clock())
        return made.public_id


def deliveries(database):
    with database.read() as session:
        return session.query(Delivery).all()


def test_no_secret_is_printed(run, webhook_id, database):
    with database.read() as session:
        secret = session.query(Webhook).one().secret

    for command in (["list"], ["list", "--json"], ["show", webhook_id, "--json"]):
        assert secret not in run("webhook", *command)[1]


def test_one_is_shown_with_its_messages(run, webhook_id):
    found = json.loads(run("webhook", "show", webhook_id, "--json")[1])

    (line,) = found["deliveries"]
    assert (line["event"], line["state"], line["attempts"]) == ("webhook.test", "pending", 0)
    assert "webhook.test" in run("webhook", "show", webhook_id)[1]


def test_switched_off_it_can_only_be_switched_on_here(run, webhook_id, database):
    assert run("webhook", "disable", webhook_id)[0] == 0
    assert [delivery.state for delivery in deliveries(database)] == [DeliveryState.DEAD]
    (row,) = json.loads(run("webhook", "list", "--json")[1])
    assert row["state"] == "off (operator)"
    status, _, err = run("webhook", "redeliver", webhook_id)
    assert (status, "is disabled" in err) == (1, True)

    assert run("webhook", "enable", webhook_id, "--catch-up")[0] == 0
    status, _, err = run("webhook", "redeliver", webhook_id)

    assert (status, err.startswith("1 on the way again")) == (0, True)
    assert [delivery.state for delivery in deliveries(database)] == [DeliveryState.PENDING]
