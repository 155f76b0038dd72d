"""What is told, to whom, and in which shape."""

import json

from delivery.fanout import fan_out
from openapi.validation import component_violations
from openapi.vocabulary import Plan, Scope
from storage.delivery.deliveries import claim_webhooks, next_delivery
from storage.entries.entry_pages import page_documents
from storage.entries.entry_query import EntryList
from storage.entries.search.matching import Scope as Search
from storage.models import Account, ApiKey, Source
from storage.models.webhooks import WebhookFormat
from storage.people.accounts import lock_account
from storage.people.follows import follow_sources, narrow_key, unfollow_sources
from storage.people.keys import add_key, find_key, rotate_key


def events(receiver):
    return [json.loads(request.body) for request in receiver.received]


def test_a_new_entry_arrives_signed_and_in_the_shape_of_the_api(
    new_webhook, publish, push, receiver, database, catalog, now
):
    publish("before the webhook")
    new_webhook()
    publish("Version 1 is removed")

    assert push() == 1

    (event,) = events(receiver)
    with database.read() as session:
        ids = [catalog["acme.compute"]]
        entries = EntryList(now, source_ids=ids, scope=Search.WHOLE)
        _, document = page_documents(session, entries, limit=2, offset=0).documents
    assert event == {
        "type": "entry.published",
        "timestamp": "2026-11-21T12:00:00Z",
        "data": json.loads(document),
    }
    assert receiver.received[0].body.endswith(document + b"}")
    assert list(component_violations("ChangelogEntry", event["data"])) == []
    assert receiver.received[0].headers["webhook-signature"].startswith("v1,")


def test_what_goes_to_a_chat_has_the_page_of_its_changelog(
    new_webhook, change, publish, context, database, catalog, clock
):
    change(new_webhook(), lambda _, webhook: setattr(webhook, "format", WebhookFormat.SLACK))
    publish("Version 1 is removed")
    fan_out(context.db, now=clock())

    with database.write() as session:
        (claim,) = claim_webhooks(session, now=clock(), most=1)
        due = next_delivery(session, claim, now=clock())
        page = session.get_one(Source, catalog["acme.compute"]).changelog_url

    assert due.changelog_url == page


def test_an_edit_is_an_event_of_its_own_and_both_keep_their_ids(
    new_webhook, publish, push, receiver, other_receiver, clock
):
    new_webhook()
    new_webhook(other_receiver.url())
    publish("Version 1 is removed")
    push()
    clock.forward(hours=1)
    publish("Version 1 is removed", text="Not yet.")
    push()

    first, second = events(receiver)
    assert [first["type"], second["type"]] == ["entry.published", "entry.edited"]
    assert first["data"]["id"] == second["data"]["id"]
    assert (first["data"]["summary"], second["data"]["summary"]) == ("All about it.", "Not yet.")
    assert second["timestamp"] == "2026-11-21T13:00:00Z"
    ids = [request.headers["webhook-id"] for request in receiver.received]
    assert ids == [request.headers["webhook-id"] for request in other_receiver.received]
    assert len(set(ids)) == 2


def test_what_waits_is_told_as_it_was_when_it_was_learned(
    new_webhook, publish, push, receiver, reply, clock
):
    receiver.answer = reply(500)
    new_webhook()
    publish("News")
    push()
    clock.forward(minutes=5)
    publish("News", text="Corrected.")
    receiver.answer = reply(200)
    push()

    texts = [(event["type"], event["data"]["summary"]) for event in events(receiver)[1:]]
    assert texts == [("entry.published", "All about it."), ("entry.edited", "Corrected.")]


def test_a_webhook_may_follow_the_selection_of_one_key(
    new_webhook, publish, push, receiver, database, ada, catalog, clock
):
    with database.write() as session:
        account = lock_account(session, ada)
        key, _ = add_key(session, account, name="x", scopes=[Scope.READ_ENTRIES], now=clock())
        narrow_key(session, key, [catalog["acme.mail"]], now=clock())
        key_id, public_id = key.id, key.public_id
    webhook = new_webhook(key_id=key_id)
    publish("one", slug="acme.compute")
    publish("two", slug="acme.mail")
    push()
    assert [event["data"]["title"] for event in events(receiver)] == ["two"]

    with database.write() as session:  # a successor takes its webhooks along
        rotate_key(session, find_key(session, public_id), now=clock())
        find_key(session, public_id).revoked_at = clock()
    publish("three", slug="acme.mail")
    push()
    assert [event["data"]["title"] for event in events(receiver)] == ["two", "three"]

    with database.write() as session:
        session.query(ApiKey).update({"revoked_at": clock()})
    publish("four", slug="acme.mail")
    push()
    assert len(receiver.received) == 2
    assert webhook


def test_the_plan_with_the_whole_catalog_gets_everything_until_its_first_follow(
    new_webhook, publish, push, receiver, set_plan, database, catalog
):
    set_plan(Plan.ALL)
    new_webhook()
    publish("one", slug="globex.storage")
    push()
    assert receiver.received == []

    with database.write() as session:
        account_id = session.query(ApiKey).first().account_id
        unfollow_sources(session, account_id, catalog.values())
    publish("two", slug="globex.storage")
    push()
    assert receiver.received == []

    with database.write() as session:
        session.get_one(Account, account_id).has_followed = False
    publish("three", slug="globex.storage")
    push()
    assert [event["data"]["title"] for event in events(receiver)] == ["three"]


def test_nothing_is_pushed_above_the_slots_of_a_plan(
    new_webhook, publish, push, receiver, set_plan, database, clock, catalog
):
    set_plan(Plan.STARTER)
    with database.write() as session:
        account_id = session.query(ApiKey).first().account_id
        follow_sources(session, account_id, catalog.values(), now=clock())
    set_plan(Plan.FREE)
    new_webhook()
    publish("one")

    push()

    assert receiver.received == []
