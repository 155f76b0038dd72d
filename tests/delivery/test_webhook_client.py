"""One message to one address: what counts as taken, and what is never connected to."""

import time
from datetime import timedelta

import pytest

from delivery.webhook_client import ONLY_TLS, STORED_BYTES, WebhookClientClosed

CERTIFICATE_IS_FOR = "acme.example"


@pytest.fixture
def webhook_client(make_webhook_client):
    return make_webhook_client()


def post(webhook_client, url, body=b"{}"):
    return webhook_client.post(url, body, {"webhook-id": "evt_1"})


@pytest.mark.parametrize("status", [200, 299])
def test_any_answer_of_success_takes_a_message(webhook_client, receiver, reply, status):
    receiver.answer = reply(status)

    result = post(webhook_client, receiver.url(), b'{"a":1}')

    assert (result.status, result.fault) == (status, None)
    (request,) = receiver.received
    assert request.body == b'{"a":1}'
    assert request.headers["content-type"] == "application/json"
    assert request.headers["user-agent"] == "Changewire/test"
    assert request.headers["webhook-id"] == "evt_1"


def test_redirects_are_not_followed(webhook_client, receiver, other_receiver, reply):
    receiver.answer = reply(302, {"Location": other_receiver.url()})

    result = post(webhook_client, receiver.url())

    assert result.fault == "The response was 302; redirects are not followed."
    assert other_receiver.received == []


@pytest.mark.parametrize("status", [404, 503])
def test_every_other_answer_is_a_fault_with_its_beginning(webhook_client, receiver, reply, status):
    receiver.answer = reply(status, {"Retry-After": "7"}, b"<script>alert(1)</script>" * 1000)

    result = post(webhook_client, receiver.url())

    assert (result.status, result.fault) == (status, f"The response was {status}.")
    assert result.body == (b"<script>alert(1)</script>" * 1000)[:STORED_BYTES]
    assert result.retry_after == "7"


@pytest.mark.parametrize("sent", [b"\x00\xff garbage \r\n\r\n", b"HTTP/1.1 200", b""])
def test_what_is_not_http_is_a_fault(webhook_client, receiver, reply, sent):
    receiver.answer = reply(raw=lambda out: out.write(sent))

    result = post(webhook_client, receiver.url())

    assert result.status is None
    assert result.fault == "The response was cut off or is not HTTP."


def test_a_server_that_does_not_answer_is_given_up(make_webhook_client, receiver, reply):
    webhook_client = make_webhook_client(timeout=timedelta(seconds=0.2))
    receiver.answer = reply(raw=lambda out: time.sleep(1))

    result = post(webhook_client, receiver.url())

    assert (result.status, result.fault) == (None, "No response within 10 seconds.")


def test_an_answer_without_end_is_taken_for_its_status(make_webhook_client, receiver, reply):
    webhook_client = make_webhook_client(timeout=timedelta(seconds=0.5))

    def drip(out):
        out.write(b"HTTP/1.1 200 OK\r\nContent-Length: 999999\r\n\r\n")
        for _ in range(20):
            out.write(b"x")
            out.flush()
            time.sleep(0.1)

    receiver.answer = reply(raw=drip)

    result = post(webhook_client, receiver.url())

    assert (result.status, result.fault) == (200, None)
    assert 0 < len(result.body) < 20


@pytest.mark.parametrize(
    ("host", "fault"), [("[::ffff:127.0.0.1]", "loopback"), ("169.254.169.254", "link local")]
)
def test_private_addresses_are_not_connected_to(make_webhook_client, tls_receiver, host, fault):
    webhook_client = make_webhook_client(allow=())

    result = post(webhook_client, f"https://{host}:{tls_receiver.port}/")

    assert result.status is None
    assert fault in result.fault
    assert tls_receiver.received == []


def test_http_is_for_networks_that_are_allowed(make_webhook_client):
    webhook_client = make_webhook_client(resolver=lambda *_: ["93.184.216.34"])

    assert post(webhook_client, "http://acme.example/").fault == ONLY_TLS


def test_a_certificate_must_be_trusted(make_webhook_client, tls_receiver):
    webhook_client = make_webhook_client(resolver=lambda *_: ["127.0.0.1"])

    result = post(webhook_client, tls_receiver.url(host=CERTIFICATE_IS_FOR, scheme="https"))

    assert result.fault == f"The certificate of {CERTIFICATE_IS_FOR} is self-signed."
    assert tls_receiver.received == []


def test_closing_ends_what_is_under_way_and_everything_after(webhook_client, receiver, reply):
    receiver.answer = lambda _: webhook_client.close() or reply(raw=lambda out: time.sleep(0.2))

    with pytest.raises(WebhookClientClosed):
        post(webhook_client, receiver.url())
    with pytest.raises(WebhookClientClosed):
        post(webhook_client, receiver.url())
