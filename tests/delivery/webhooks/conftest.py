"""Webhooks of somebody who follows two sources, and delivery to them step by step."""

import pytest

from delivery.fanout import fan_out
from delivery.webhook_delivery import deliver_claimed
from storage.delivery.deliveries import claim_webhooks
from storage.delivery.webhooks import add_webhook
from storage.models import Delivery, Webhook


@pytest.fixture
def new_webhook(database, clock, ada, receiver):
    """Make a webhook of ada's; return its row's key."""

    def new_webhook(url=None, *, key_id=None, only_important=False, filter_id=None):
        settings = Webhook(
            name="chat",
            url=url or receiver.url(),
            key_id=key_id,
            only_important=only_important,
            filter_id=filter_id,
        )
        with database.write() as session:
            return add_webhook(session, ada, settings, now=clock()).id

    return new_webhook


@pytest.fixture
def webhook_of(database):
    """Read a webhook's row."""

    def webhook_of(key):
        with database.read() as session:
            return session.get_one(Webhook, key)

    return webhook_of


@pytest.fixture
def deliveries(database):
    """Read every delivery, oldest first."""

    def deliveries():
        with database.read() as session:
            return session.query(Delivery).order_by(Delivery.id).all()

    return deliveries


@pytest.fixture
def push(context, clock):
    """Fan out and send what is due, once."""

    def push():
        fan_out(context.db, now=clock())
        with context.db.write() as session:
            claims = claim_webhooks(session, now=clock(), most=8)
        return sum(deliver_claimed(context, claim) for claim in claims)

    return push


@pytest.fixture
def change(database, clock):
    """Change a webhook by its key: ``change(key, do)``."""

    def change(key, do):
        with database.write() as session:
            return do(session, session.get_one(Webhook, key))

    return change
