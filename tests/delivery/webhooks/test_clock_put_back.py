"""A clock that was ahead and is put back makes no message wait for the time that it showed."""

from datetime import timedelta

import pytest

from delivery.maintenance import repair_future_times

YEAR, HOUR = timedelta(days=365), timedelta(hours=1)


@pytest.fixture
def put_back(clock, context):
    """Put the clock back by a year, and look after what waits."""

    def put_back():
        clock.forward(days=-365)
        repair_future_times(context)

    return put_back


def test_a_message_that_failed_meanwhile_is_due(
    new_webhook, publish, push, receiver, reply, clock, put_back, deliveries
):
    new_webhook()
    publish("one")
    clock.forward(days=365)
    receiver.answer = reply(500)
    assert push() == 1
    receiver.answer = reply(204)

    put_back()

    assert push() == 1
    (delivery,) = deliveries()
    assert delivery.ended_at == delivery.began_at == clock()


def test_a_server_that_asked_for_rest_meanwhile_has_it_from_now_on(
    new_webhook, publish, push, receiver, reply, clock, put_back, webhook_of, context
):
    key = new_webhook()
    publish("one")
    clock.forward(days=365)
    receiver.answer = reply(503, {"Retry-After": "3600"})
    push()
    receiver.answer = reply(204)

    put_back()
    begun = clock()
    clock.forward(minutes=10)
    repair_future_times(context)

    assert begun + HOUR <= webhook_of(key).paused_until < begun + HOUR + timedelta(seconds=9)
    assert webhook_of(key).failing_since == begun
    assert push() == 0
    clock.forward(minutes=51)
    assert push() == 1
