"""What is pushed when a source that somebody selected is taken out of the catalog."""

import pytest

from openapi.vocabulary import Plan
from storage.catalog.removal import remove_sources
from storage.models import ApiKey, DeliveryAttempt

ONE = ("acme.compute",)
BOTH = ("acme.compute", "acme.mail")


@pytest.fixture
def remove(database, catalog, clock):
    """Take sources out, as the operator's command does."""

    def remove(*slugs):
        with database.write() as session:
            return remove_sources(session, [catalog[slug] for slug in slugs], now=clock())

    return remove


def test_a_message_whose_source_is_removed_while_it_is_sent_is_forgotten(
    new_webhook, publish, push, receiver, reply, remove, database, webhook_of
):
    key = new_webhook()

    def answer(_):
        remove(*ONE)
        return reply(204)

    receiver.answer = answer
    publish("one")

    assert push() == 1
    assert webhook_of(key).leased_until is None
    with database.read() as session:
        assert session.query(DeliveryAttempt).all() == []


@pytest.mark.parametrize("of_one_key", [False, True])
def test_nothing_widens_to_the_whole_catalog(
    new_webhook, publish, push, receiver, remove, set_plan, database, of_one_key
):
    set_plan(Plan.ALL)
    with database.read() as session:
        key_id = session.query(ApiKey).one().id
    new_webhook(key_id=key_id if of_one_key else None)

    remove(*BOTH)
    publish("one", slug="globex.storage")
    push()

    assert receiver.received == []
