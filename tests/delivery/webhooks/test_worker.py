"""The loop: a slow receiver delays nobody, workers share, stopping is quick."""

import threading
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from sqlalchemy.exc import OperationalError
from waiting import wait_until

from delivery.worker import Deliverer, deliver, deliver_in_background
from storage.models import Delivery, Webhook
from storage.models.webhooks import DeliveryState


@pytest.fixture
def running(context):
    """What delivery needs, with the real clock."""
    return replace(context, now=lambda: datetime.now(UTC))


def count(database, state=DeliveryState.DELIVERED):
    with database.read() as session:
        return session.query(Delivery).filter_by(state=state).count()


def test_what_is_learned_arrives_while_it_runs(running, new_webhook, publish, receiver, database):
    new_webhook()
    with deliver_in_background(running, threading.Event()):
        publish("one")
        wait_until(lambda: count(database) == 1)

    assert len(receiver.received) == 1


def test_a_slow_receiver_gets_one_at_a_time_and_delays_nobody(
    running, new_webhook, publish, receiver, other_receiver, reply, database
):
    released = threading.Event()
    receiver.answer = lambda _: released.wait(8) and reply(204)
    new_webhook()
    new_webhook(other_receiver.url())
    with deliver_in_background(running, threading.Event()):
        for number in range(5):
            publish(f"entry {number}")
        wait_until(lambda: len(other_receiver.received) == 5)
        assert len(receiver.received) == 1
        released.set()
        wait_until(lambda: count(database) == 10)

    assert (receiver.most_busy, other_receiver.most_busy) == (1, 1)


def test_several_workers_send_each_message_once(
    running, make_webhook_client, new_webhook, publish, receiver, other_receiver, database
):
    new_webhook()
    new_webhook(other_receiver.url())
    for number in range(12):
        publish(f"entry {number}")
    stop = threading.Event()
    second = replace(running, webhook_client=make_webhook_client())
    with deliver_in_background(running, stop), deliver_in_background(second, stop):
        wait_until(lambda: count(database) == 24)

    for server in (receiver, other_receiver):
        ids = [request.headers["webhook-id"] for request in server.received]
        assert (len(ids), len(set(ids)), server.most_busy) == (12, 12, 1)


def test_stopping_cuts_what_hangs_and_sends_it_another_time(
    running, make_webhook_client, new_webhook, publish, receiver, reply, database
):
    released = threading.Event()
    receiver.answer = lambda _: released.wait(60) and reply(204)
    new_webhook()
    publish("one")
    with deliver_in_background(running, threading.Event()):
        assert receiver.arrived.wait(30)
    assert receiver.busy == 1  # it hangs still, and we are gone

    with database.read() as session:
        (delivery,) = session.query(Delivery)
        assert (delivery.state, delivery.attempts) == (DeliveryState.PENDING, 0)
        assert session.query(Webhook).one().leased_until is None
    released.set()
    restarted = replace(running, webhook_client=make_webhook_client())
    with deliver_in_background(restarted, threading.Event()):
        wait_until(lambda: count(database) == 1)


def test_trouble_with_the_database_is_waited_out(
    running, new_webhook, publish, receiver, database, monkeypatch
):
    new_webhook()
    publish("one")
    monkeypatch.setattr("delivery.worker.PAUSE_AFTER_ERROR", running.now() - running.now())
    troubles = iter([OperationalError("", {}, Exception("locked")), ZeroDivisionError("ours")])
    turn = Deliverer.turn

    def troubled(self):
        for trouble in troubles:
            raise trouble
        return turn(self)

    monkeypatch.setattr(Deliverer, "turn", troubled)
    stop = threading.Event()
    thread = threading.Thread(target=deliver, args=(running, stop))
    thread.start()
    wait_until(lambda: count(database) == 1)
    stop.set()
    thread.join(10)

    assert not thread.is_alive()
