"""Sent, kept, tried again, given up; leases and crashes in between."""

import json
from datetime import timedelta

import pytest

from delivery.fanout import MOST_WAITING, fan_out
from delivery.webhook_delivery import INTERNAL_ERROR, deliver_claimed
from storage.delivery.deliveries import claim_webhooks
from storage.delivery.delivery_log import attempts_of, page_deliveries
from storage.models.webhooks import DeliveryState

PENDING, DELIVERED = DeliveryState.PENDING, DeliveryState.DELIVERED


def events(receiver):
    return [json.loads(request.body) for request in receiver.received]


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

    assert [event["data"]["title"] for event in events(receiver)] == [
        f"entry {n}" for n in range(9)
    ]
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
    ten = timedelta(seconds=10)
    assert clock() + ten <= delivery.next_attempt_at < clock() + ten * 2
    push()
    assert len(receiver.received) == 1

    receiver.answer = reply(200, body=b"thanks")
    clock.forward(seconds=20)
    push()

    (delivery,) = deliveries()
    assert (delivery.state, delivery.ended_at) == (DELIVERED, clock())
    with database.read() as session:
        log = attempts_of(session, delivery.id)
    assert [(attempt.status, attempt.fault, attempt.answer) for attempt in log] == [
        (200, None, b"thanks"),
        (500, "The response was 500.", b"oh \xff no"),
    ]
    first, second = receiver.received
    assert first.body == second.body
    assert first.headers["webhook-id"] == second.headers["webhook-id"]
    assert first.headers["webhook-timestamp"] != second.headers["webhook-timestamp"]


def test_a_crash_between_sending_and_keeping_sends_again_under_the_same_id(
    new_webhook, publish, push, receiver, context, clock, deliveries, monkeypatch
):
    def crash(*arguments, **more):
        raise KeyboardInterrupt

    new_webhook()
    publish("one")
    with monkeypatch.context() as patch:
        patch.setattr("delivery.webhook_delivery.record_attempt", crash)
        with pytest.raises(KeyboardInterrupt):
            push()
    push()
    assert len(receiver.received) == 1  # the lease of the crashed worker still holds

    clock.forward(minutes=1)
    push()

    first, second = receiver.received
    assert first.headers["webhook-id"] == second.headers["webhook-id"]
    assert [delivery.state for delivery in deliveries()] == [DELIVERED]


def test_who_lost_the_lease_keeps_nothing(
    new_webhook, publish, receiver, context, clock, deliveries, database
):
    new_webhook()
    publish("one")
    fan_out(database, now=clock())
    with database.write() as session:
        (claim,) = claim_webhooks(session, now=clock(), most=8)
    stale = (claim[0], claim[1] + timedelta(seconds=1))

    deliver_claimed(context, stale)

    assert [delivery.state for delivery in deliveries()] == [PENDING]
    deliver_claimed(context, claim)
    assert [delivery.state for delivery in deliveries()] == [DELIVERED]


def test_a_fault_of_ours_is_an_attempt_that_failed(
    new_webhook, publish, push, receiver, deliveries, database, monkeypatch
):
    def broken(job):
        raise ZeroDivisionError

    monkeypatch.setattr("delivery.webhook_delivery.message_body", broken)
    key = new_webhook()
    publish("one")
    push()

    assert [delivery.attempts for delivery in deliveries()] == [1]
    with database.read() as session:
        (line,) = page_deliveries(session, key, state=None, limit=9, offset=0)
    assert (line.last.fault, line.title, line.slug) == (INTERNAL_ERROR, "one", "acme.compute")
