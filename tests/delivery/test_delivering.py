"""From a change to a receiver: fanned out, signed, sent, kept, tried again, given up."""

import json
from dataclasses import replace
from datetime import timedelta

import pytest
from standardwebhooks.webhooks import Webhook as Verifier

from delivery.delivering import OUR_FAULT, deliver_claimed
from delivery.fanout import MOST_WAITING, fan_out
from delivery.verdicts import DAY
from openapi.validation import contract_validator
from openapi.vocabulary import Plan, Scope
from storage.deliveries import claim_webhooks
from storage.delivery_log import attempts_of, page_deliveries, send_again
from storage.entries import EntryFilter, page_entries
from storage.keys import add_key, find_key, lock_account, rotate_key, select_sources
from storage.models import ApiKey, Delivery
from storage.models.webhooks import DeliveryState, DisabledReason
from storage.webhooks import (
    TooManyWebhooks,
    disable_webhook,
    enable_webhook,
    find_webhook,
    rotate_secret,
)

PENDING, DELIVERED, DEAD = DeliveryState.PENDING, DeliveryState.DELIVERED, DeliveryState.DEAD


@pytest.fixture
def push(pushing, clock):
    """Fan out and send what is due, once."""

    def push():
        fan_out(pushing.db, now=clock())
        with pushing.db.write() as session:
            claims = claim_webhooks(session, now=clock(), most=8)
        return sum(deliver_claimed(pushing, each) for each in claims)

    return push


@pytest.fixture
def change(database, clock):
    """Change a webhook by its key: ``change(key, do)``."""

    def change(key, do):
        with database.write() as session:
            from storage.models import Webhook

            return do(session, session.get_one(Webhook, key))

    return change


def events(receiver):
    return [json.loads(each.body) for each in receiver.received]


def test_a_new_entry_arrives_signed_and_in_the_shape_of_the_api(
    new_webhook, publish, push, receiver, database, catalog, now, webhook_of, monkeypatch
):
    key = new_webhook()
    publish("Version 1 is removed")

    assert push() == 1

    (event,) = events(receiver)
    with database.read() as session:
        wanted = EntryFilter(frozenset({catalog["acme.compute"]}))
        (document,) = page_entries(session, wanted, limit=10, offset=0).documents
    assert event == {
        "type": "entry.published",
        "timestamp": "2026-11-21T12:00:00Z",
        "data": json.loads(document),
    }
    assert receiver.received[0].body.endswith(document + b"}")
    assert list(contract_validator().schema("ChangelogEntry", event["data"])) == []
    monkeypatch.setattr("standardwebhooks.webhooks.datetime", _standing_still(now))
    verifier = Verifier(webhook_of(key).secret)
    assert verifier.verify(receiver.received[0].body, receiver.received[0].headers) == event


def _standing_still(now):
    from datetime import datetime

    class Still(datetime):
        @classmethod
        def now(cls, tz=None):  # noqa: ARG003 - its signature
            return now

    return Still


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
    ids = [each.headers["webhook-id"] for each in receiver.received]
    assert ids == [each.headers["webhook-id"] for each in other_receiver.received]
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

    texts = [(each["type"], each["data"]["summary"]) for each in events(receiver)[1:]]
    assert texts == [("entry.published", "All about it."), ("entry.edited", "Corrected.")]


def test_only_selected_sources_are_pushed(new_webhook, publish, push, receiver):
    new_webhook()
    publish("one", slug="acme.compute")
    publish("two", slug="globex.storage")
    publish("three", slug="acme.mail")

    push()

    assert [each["data"]["title"] for each in events(receiver)] == ["one", "three"]


def test_a_webhook_may_follow_the_selection_of_one_key(
    new_webhook, publish, push, receiver, database, ada, catalog, clock
):
    with database.write() as session:
        account = lock_account(session, ada)
        key, _ = add_key(session, account, name="x", scopes=[Scope.READ_ENTRIES], now=clock())
        select_sources(session, key, [catalog["acme.mail"]], now=clock())
        key_id, public_id = key.id, key.public_id
    webhook = new_webhook(key_id=key_id)
    publish("one", slug="acme.compute")
    publish("two", slug="acme.mail")
    push()
    assert [each["data"]["title"] for each in events(receiver)] == ["two"]

    with database.write() as session:  # a successor takes its webhooks along
        rotate_key(session, find_key(session, public_id), now=clock())
        find_key(session, public_id).revoked_at = clock()
    publish("three", slug="acme.mail")
    push()
    assert [each["data"]["title"] for each in events(receiver)] == ["two", "three"]

    with database.write() as session:
        session.query(ApiKey).update({"revoked_at": clock()})
    publish("four", slug="acme.mail")
    push()
    assert len(receiver.received) == 2
    assert webhook


def test_only_important_ones_when_asked(new_webhook, publish, push, receiver):
    new_webhook(only_important=True)
    publish("routine")
    publish("breaking", important=True)

    push()

    assert [each["data"]["title"] for each in events(receiver)] == ["breaking"]


def test_the_plan_with_the_whole_catalog_gets_its_list_or_without_one_everything(
    new_webhook, publish, push, receiver, set_plan, database, clock
):
    set_plan(Plan.ALL)
    new_webhook()
    publish("one", slug="globex.storage")
    push()
    assert receiver.received == []

    with database.write() as session:
        for key in session.query(ApiKey):
            select_sources(session, key, [], now=clock())
    publish("two", slug="globex.storage")
    push()
    assert [each["data"]["title"] for each in events(receiver)] == ["two"]


def test_nothing_is_pushed_above_the_slots_of_a_plan(
    new_webhook, publish, push, receiver, set_plan, database, clock, catalog
):
    set_plan(Plan.STARTER)
    with database.write() as session:
        for key in session.query(ApiKey):
            select_sources(session, key, catalog.values(), now=clock())
    set_plan(Plan.FREE)
    new_webhook()
    publish("one")

    push()

    assert receiver.received == []


def test_what_was_there_before_the_webhook_is_not_pushed(new_webhook, publish, push, receiver):
    publish("old")
    new_webhook()
    publish("new")

    push()

    assert [each["data"]["title"] for each in events(receiver)] == ["new"]


def test_fanning_out_twice_queues_once(new_webhook, publish, database, deliveries, now):
    new_webhook()
    publish("one")

    fan_out(database, now=now)
    fan_out(database, now=now)

    assert len(deliveries()) == 1


def test_a_long_queue_lets_changes_wait_in_the_log(
    new_webhook, publish, database, deliveries, now, monkeypatch, push, receiver
):
    monkeypatch.setattr("delivery.fanout.MOST_WAITING", 3)
    monkeypatch.setattr("delivery.fanout.AT_A_TIME", 2)
    new_webhook()
    for number in range(9):
        publish(f"entry {number}")

    for _ in range(5):
        fan_out(database, now=now)
    assert len(deliveries()) == 4
    for _ in range(5):
        push()

    assert [each["data"]["title"] for each in events(receiver)] == [f"entry {n}" for n in range(9)]
    assert MOST_WAITING == 1000


def test_a_failure_is_tried_again_and_the_log_tells_both(
    new_webhook, publish, push, receiver, reply, database, deliveries, clock
):
    receiver.answer = reply(500, body=b"oh \xff no")
    new_webhook()
    publish("one")
    push()
    (delivery,) = deliveries()
    assert (delivery.state, delivery.attempts) == (PENDING, 1)
    assert delivery.next_attempt_at == clock() + timedelta(seconds=10)
    push()
    assert len(receiver.received) == 1

    receiver.answer = reply(200, body=b"thanks")
    clock.forward(seconds=10)
    push()

    (delivery,) = deliveries()
    assert (delivery.state, delivery.ended_at) == (DELIVERED, clock())
    with database.read() as session:
        log = attempts_of(session, delivery.id)
    assert [(each.status, each.fault, each.answer) for each in log] == [
        (200, None, b"thanks"),
        (500, "The answer was 500.", b"oh \xff no"),
    ]
    first, second = receiver.received
    assert first.body == second.body
    assert first.headers["webhook-id"] == second.headers["webhook-id"]
    assert first.headers["webhook-timestamp"] != second.headers["webhook-timestamp"]


def test_retry_after_pauses_the_whole_webhook(
    new_webhook, publish, push, receiver, reply, deliveries, clock
):
    receiver.answer = reply(429, {"Retry-After": "3600"})
    new_webhook()
    publish("one")
    publish("two")
    push()
    assert len(receiver.received) == 1

    receiver.answer = reply(200)
    clock.forward(minutes=59)
    push()
    assert len(receiver.received) == 1
    clock.forward(minutes=1)
    push()

    assert [each.state for each in deliveries()] == [DELIVERED, DELIVERED]


def test_after_a_day_of_failures_it_is_a_dead_letter_that_can_be_sent_again(
    new_webhook, publish, push, receiver, reply, database, deliveries, clock
):
    receiver.answer = reply(500)
    key = new_webhook()
    publish("one")
    began = clock()
    while deliveries() == [] or deliveries()[0].state is PENDING:
        push()
        clock.forward(minutes=10)

    assert clock() - began < DAY + timedelta(minutes=10)
    assert 9 <= len(receiver.received) <= 13
    receiver.answer = reply(200)
    with database.write() as session:
        assert send_again(session, key, None, now=clock()) == 1
    push()

    (delivery,) = deliveries()
    assert delivery.state is DELIVERED
    assert len({each.headers["webhook-id"] for each in receiver.received}) == 1


def test_gone_switches_off_at_once_and_says_so(
    new_webhook, publish, push, receiver, reply, deliveries, webhook_of, pushing, mails
):
    from delivery.chores import tell_owners

    receiver.answer = reply(410)
    key = new_webhook()
    publish("one")
    publish("two")

    push()
    tell_owners(pushing)
    tell_owners(pushing)

    assert len(receiver.received) == 1
    assert [each.state for each in deliveries()] == [DEAD, DEAD]
    assert webhook_of(key).disabled_reason is DisabledReason.GONE
    (mail,) = mails
    assert mail.recipient == "ada@acme.example"
    assert "410 Gone" in mail.text
    assert f"https://changewire.example/app/webhooks/{webhook_of(key).public_id}" in mail.text


def test_days_of_failures_switch_off(
    new_webhook, publish, push, receiver, reply, webhook_of, clock, deliveries
):
    receiver.answer = reply(raw=lambda out: None)
    key = new_webhook()
    began = clock()
    while webhook_of(key).disabled_at is None:
        publish(f"at {clock()}")
        push()
        clock.forward(hours=2)

    assert timedelta(days=3) <= webhook_of(key).disabled_at - began <= timedelta(days=3, hours=2)
    assert webhook_of(key).disabled_reason is DisabledReason.FAILING
    assert {each.state for each in deliveries()} == {DEAD}


def test_switched_on_again_it_catches_up_or_begins_anew(
    new_webhook, publish, push, receiver, change
):
    key = new_webhook()
    for number, catch_up in enumerate([True, False]):
        change(key, lambda s, w: disable_webhook(s, w.id, DisabledReason.OWNER, now=w.created_at))
        publish(f"meanwhile {number}")
        push()
        change(key, lambda s, w: enable_webhook(s, w, catch_up=catch_up))  # noqa: B023 - called at once
        publish(f"afterwards {number}")
        push()

    titles = [each["data"]["title"] for each in events(receiver)]
    assert titles == ["meanwhile 0", "afterwards 0", "afterwards 1"]


def test_a_rotated_secret_signs_beside_the_old_one_for_a_day(
    new_webhook, publish, push, receiver, change, clock
):
    key = new_webhook()
    change(key, lambda _, webhook: rotate_secret(webhook, now=clock()))
    publish("one")
    push()
    clock.forward(hours=24)
    publish("two")
    push()

    counts = [len(each.headers["webhook-signature"].split()) for each in receiver.received]
    assert counts == [2, 1]


def test_a_crash_between_sending_and_keeping_sends_again_under_the_same_id(
    new_webhook, publish, push, receiver, pushing, clock, deliveries, monkeypatch
):
    def crash(*arguments, **more):
        raise KeyboardInterrupt

    new_webhook()
    publish("one")
    with monkeypatch.context() as patch:
        patch.setattr("delivery.delivering.record_attempt", crash)
        with pytest.raises(KeyboardInterrupt):
            push()
    push()
    assert len(receiver.received) == 1  # the lease of the crashed worker still holds

    clock.forward(minutes=1)
    push()

    first, second = receiver.received
    assert first.headers["webhook-id"] == second.headers["webhook-id"]
    assert [each.state for each in deliveries()] == [DELIVERED]


def test_who_lost_the_lease_keeps_nothing(
    new_webhook, publish, receiver, pushing, clock, deliveries, database
):
    new_webhook()
    publish("one")
    fan_out(database, now=clock())
    with database.write() as session:
        (claim,) = claim_webhooks(session, now=clock(), most=8)
    stale = replace(claim, until=claim.until + timedelta(seconds=1))

    deliver_claimed(pushing, stale)

    assert [each.state for each in deliveries()] == [PENDING]
    deliver_claimed(pushing, claim)
    assert [each.state for each in deliveries()] == [DELIVERED]


def test_a_claimed_webhook_is_nobody_elses(new_webhook, publish, database, clock):
    new_webhook()
    publish("one")
    fan_out(database, now=clock())
    claimed = []
    for _ in range(2):
        with database.write() as session:
            claimed.append(claim_webhooks(session, now=clock(), most=8))

    assert [len(each) for each in claimed] == [1, 0]


def test_a_fault_of_ours_is_an_attempt_that_failed(
    new_webhook, publish, push, receiver, deliveries, database, monkeypatch
):
    def broken(job):
        raise ZeroDivisionError

    monkeypatch.setattr("delivery.delivering.body_of", broken)
    key = new_webhook()
    publish("one")
    push()

    assert [each.attempts for each in deliveries()] == [1]
    with database.read() as session:
        (line,) = page_deliveries(session, key, state=None, limit=9, offset=0)
    assert (line.last.fault, line.title, line.slug) == (OUR_FAULT, "one", "acme.compute")


def test_what_is_switched_off_while_it_is_sent_stays_a_dead_letter(
    new_webhook, publish, push, receiver, reply, database, deliveries, clock, webhook_of
):
    key = new_webhook()

    def switch_off(_):
        with database.write() as session:
            disable_webhook(session, key, DisabledReason.OWNER, now=clock())
        return reply(500)

    receiver.answer = switch_off
    publish("one")
    push()

    (delivery,) = deliveries()
    assert (delivery.state, delivery.next_attempt_at) == (DEAD, None)


def test_an_account_has_at_most_five(new_webhook):
    for _ in range(5):
        new_webhook()

    with pytest.raises(TooManyWebhooks, match="at most 5"):
        new_webhook()


def test_a_deleted_webhook_takes_its_deliveries_along(
    new_webhook, publish, push, database, deliveries, webhook_of
):
    from storage.webhooks import delete_webhook

    key = new_webhook()
    public_id = webhook_of(key).public_id
    publish("one")
    push()
    with database.write() as session:
        delete_webhook(session, key)

    assert deliveries() == []
    with database.read() as session:
        assert find_webhook(session, public_id) is None


@pytest.mark.parametrize(
    ("state", "kept"),
    [(DELIVERED, timedelta(days=7)), (DEAD, timedelta(days=30))],
)
def test_what_ended_is_forgotten_after_a_while(
    new_webhook, publish, push, database, deliveries, clock, pushing, state, kept
):
    from delivery.chores import forget_some

    new_webhook()
    publish("one")
    push()
    with database.write() as session:
        session.query(Delivery).update({"state": state})
    clock.forward(seconds=kept.total_seconds() - 1)
    forget_some(pushing)
    assert len(deliveries()) == 1
    clock.forward(seconds=1)
    forget_some(pushing)

    assert deliveries() == []
