"""Switched off and on, rotated, limited, deleted, forgotten."""

import json
from dataclasses import replace
from datetime import timedelta

import pytest

from delivery.fanout import fan_out
from delivery.maintenance import delete_old_deliveries, notify_owners
from delivery.webhook_delivery import TIME_FOR_ONE, deliver_claimed
from openapi.vocabulary import WebhookFormat
from outbound.mail import Undelivered
from storage.delivery.webhooks import change_webhook, disable_webhook, enable_webhook
from storage.models import Delivery, Webhook
from storage.models.webhooks import DeliveryState, DisabledReason

DELIVERED, DEAD = DeliveryState.DELIVERED, DeliveryState.DEAD


def events(receiver):
    return [json.loads(request.body) for request in receiver.received]


def test_gone_switches_off_at_once_and_says_so(
    new_webhook, publish, push, receiver, reply, deliveries, webhook_of, context, mails
):
    receiver.answer = reply(410)
    key = new_webhook()
    publish("one")
    publish("two")

    push()
    notify_owners(context)
    notify_owners(context)

    assert len(receiver.received) == 1
    assert [delivery.state for delivery in deliveries()] == [DEAD, DEAD]
    assert webhook_of(key).disabled_reason is DisabledReason.GONE
    (mail,) = mails
    assert mail.recipient == "ada@acme.example"
    assert "410 Gone" in mail.text
    assert f"https://changewire.example/app/webhooks/{webhook_of(key).public_id}" in mail.text


@pytest.mark.parametrize("lasting", [False, True])
def test_a_mail_server_that_takes_nothing_loses_no_mail_about_a_webhook(
    new_webhook, publish, push, receiver, reply, context, mails, lasting
):
    receiver.answer = reply(410)
    new_webhook()
    publish("one")
    push()

    def carry(mail):
        raise Undelivered("not now", lasting=lasting, any_mail=True)

    with pytest.raises(Undelivered):
        notify_owners(replace(context, carry=carry))
    notify_owners(context)

    assert len(mails) == 1


def test_another_address_is_tried_at_once_though_the_last_one_is_left_alone(
    new_webhook, publish, push, receiver, change, clock
):
    settings = Webhook(
        name="chat", url=receiver.url(), only_important=False, format=WebhookFormat.PLAIN
    )

    def move(_session, webhook):
        webhook.paused_until = clock() + timedelta(hours=1)
        change_webhook(webhook, settings)

    change(new_webhook("https://hooks.acme.example/"), move)
    publish("one")

    assert push() == 1


def test_nothing_is_sent_at_the_end_of_a_lease(
    new_webhook, publish, receiver, change, clock, context
):
    key, until = new_webhook(), clock() + TIME_FOR_ONE
    publish("one")
    fan_out(context.db, now=clock())
    change(key, lambda _, webhook: setattr(webhook, "leased_until", until))

    assert deliver_claimed(context, (key, until)) == 0
    assert receiver.received == []


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

    titles = [event["data"]["title"] for event in events(receiver)]
    assert titles == ["meanwhile 0", "afterwards 0", "afterwards 1"]


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


@pytest.mark.parametrize(
    ("state", "kept"), [(DELIVERED, timedelta(days=7)), (DEAD, timedelta(days=30))]
)
def test_what_ended_is_forgotten_after_a_while(
    new_webhook, publish, push, database, deliveries, clock, context, state, kept
):
    new_webhook()
    publish("one")
    push()
    with database.write() as session:
        session.query(Delivery).update({"state": state})
    clock.forward(seconds=kept.total_seconds() - 1)
    delete_old_deliveries(context)
    assert len(deliveries()) == 1
    clock.forward(seconds=1)
    delete_old_deliveries(context)

    assert deliveries() == []
