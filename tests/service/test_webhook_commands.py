"""changewire webhook: seen, sent again, switched off and on by the operator."""

import json

import pytest

from service.clock import clock
from storage.delivery.fanout import add_test_event
from storage.delivery.webhooks import (
    add_webhook,
)
from storage.engine.database import open_database
from storage.models import (
    Delivery,
    Webhook,
)
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
    assert (status, "is off" in err) == (1, True)

    assert run("webhook", "enable", webhook_id, "--catch-up")[0] == 0
    status, _, err = run("webhook", "redeliver", webhook_id)

    assert (status, err.startswith("1 on the way again")) == (0, True)
    assert [delivery.state for delivery in deliveries(database)] == [DeliveryState.PENDING]


def test_one_message_is_sent_again(run, webhook_id, database):
    key = deliveries(database)[0].id
    run("webhook", "disable", webhook_id)
    run("webhook", "enable", webhook_id)

    assert run("webhook", "redeliver", webhook_id, "--delivery", str(key))[0] == 0
    status, _, err = run("webhook", "redeliver", webhook_id, "--delivery", "999")
    assert (status, "no ended delivery 999" in err) == (1, True)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["show", "nothing"], "There is no webhook nothing"),
        (["list", "nobody@acme.example"], "There is no account"),
    ],
)
def test_what_is_not_there_is_said(run, database, arguments, message):
    status, out, err = run("webhook", *arguments)

    assert (status, out, message in err) == (1, "", True)
