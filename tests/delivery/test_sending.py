"""One message to one address: what counts as taken, and what is never connected to."""

import socket
import ssl
import time
from datetime import timedelta
from ipaddress import ip_network
from pathlib import Path

import pytest

from delivery.sending import KEPT_OF_ANSWER, ONLY_TLS, SenderClosed
from outbound.guard import AddressRefused
from outbound.targets import check_target

CERTIFICATE = Path(__file__).parents[1] / "ingest" / "fetch_acme_example.pem"
CERTIFICATE_IS_FOR = "acme.example"


@pytest.fixture
def sender(make_sender):
    return make_sender()


@pytest.fixture(scope="module")
def trusting():
    """A TLS context that trusts the certificate of the receiver."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.load_verify_locations(CERTIFICATE)
    return context


def post(sender, url, body=b"{}"):
    return sender.post(url, body, {"webhook-id": "evt_1"})


@pytest.mark.parametrize("status", [200, 201, 202, 204, 299])
def test_any_answer_of_success_takes_a_message(sender, receiver, reply, status):
    receiver.answer = reply(status)

    answer = post(sender, receiver.url(), b'{"a":1}')

    assert (answer.status, answer.fault) == (status, None)
    (found,) = receiver.received
    assert found.body == b'{"a":1}'
    assert found.headers["content-type"] == "application/json"
    assert found.headers["user-agent"] == "Changewire/test"
    assert found.headers["webhook-id"] == "evt_1"


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_redirects_are_not_followed(sender, receiver, other_receiver, reply, status):
    receiver.answer = reply(status, {"Location": other_receiver.url()})

    answer = post(sender, receiver.url())

    assert (answer.status, answer.fault) == (
        status,
        f"The answer was {status}; redirects are not followed.",
    )
    assert len(receiver.received) == 1
    assert other_receiver.received == []


@pytest.mark.parametrize("status", [400, 401, 404, 410, 429, 500, 503])
def test_every_other_answer_is_a_fault_with_its_beginning(sender, receiver, reply, status):
    receiver.answer = reply(status, {"Retry-After": "7"}, b"<script>alert(1)</script>" * 1000)

    answer = post(sender, receiver.url())

    assert (answer.status, answer.fault) == (status, f"The answer was {status}.")
    assert answer.body == (b"<script>alert(1)</script>" * 1000)[:KEPT_OF_ANSWER]
    assert answer.retry_after == "7"


@pytest.mark.parametrize(
    "raw",
    [
        lambda out: out.write(b"\x00\xff garbage \r\n\r\n"),
        lambda out: out.write(b"HTTP/1.1 200"),
        lambda out: None,
    ],
    ids=["garbage", "half a line", "nothing"],
)
def test_what_is_not_http_is_a_fault(sender, receiver, reply, raw):
    receiver.answer = reply(raw=raw)

    answer = post(sender, receiver.url())

    assert answer.status is None
    assert answer.fault == "The answer was cut short or is not HTTP."


def test_a_server_that_does_not_answer_is_given_up(make_sender, receiver, reply):
    sender = make_sender(time_limit=timedelta(seconds=0.2))
    receiver.answer = reply(raw=lambda out: time.sleep(1))

    answer = post(sender, receiver.url())

    assert (answer.status, answer.fault) == (None, "No answer came within 10 seconds.")


def test_an_answer_without_end_is_taken_for_its_status(make_sender, receiver, reply):
    sender = make_sender(time_limit=timedelta(seconds=0.5))

    def drip(out):
        out.write(b"HTTP/1.1 200 OK\r\nContent-Length: 999999\r\n\r\n")
        for _ in range(20):
            out.write(b"x")
            out.flush()
            time.sleep(0.1)

    receiver.answer = reply(raw=drip)

    answer = post(sender, receiver.url())

    assert (answer.status, answer.fault) == (200, None)
    assert 0 < len(answer.body) < 20


def test_a_large_answer_is_not_read_to_its_end(sender, receiver, reply):
    receiver.answer = reply(200, body=b"x" * 5_000_000)

    assert len(post(sender, receiver.url()).body) == KEPT_OF_ANSWER


def test_nobody_listening_is_a_fault(sender):
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]

    answer = post(sender, f"http://127.0.0.1:{port}/")

    assert answer.fault == "The connection was refused or lost."


@pytest.mark.parametrize(
    ("host", "fault"),
    [
        ("127.0.0.1", "loopback"),
        ("[::1]", "loopback"),
        ("10.0.0.1", "private use"),
        ("192.168.1.1", "private use"),
        ("169.254.169.254", "link local"),
        ("[::ffff:127.0.0.1]", "loopback"),
        ("[fd00:ec2::254]", "unique local"),
        ("localhost", "loopback"),
        ("127.1", "loopback"),
        ("2130706433", "loopback"),
    ],
)
def test_private_addresses_are_not_connected_to(make_sender, tls_receiver, host, fault):
    sender = make_sender(allow=())

    answer = post(sender, f"https://{host}:{tls_receiver.port}/")

    assert answer.status is None
    assert fault in answer.fault
    assert tls_receiver.received == []


def test_a_name_that_leads_elsewhere_the_second_time_is_judged_again(
    make_sender, tls_receiver, trusting, reply
):
    answers = iter([["127.0.0.1"], ["169.254.169.254"]])
    sender = make_sender(resolver=lambda *_: next(answers), ssl_context=trusting)
    tls_receiver.answer = reply(headers={"Connection": "close"})
    url = tls_receiver.url(host=CERTIFICATE_IS_FOR, scheme="https")

    first, second = post(sender, url), post(sender, url)

    assert first.status == 204
    assert second.fault == "The name leads to an address that is not public: link local (RFC 3927)."
    assert len(tls_receiver.received) == 1


def test_one_private_answer_among_public_ones_refuses_the_name(make_sender):
    mixed = make_sender(allow=(), resolver=lambda *_: ["93.184.216.34", "127.0.0.1"])

    answer = post(mixed, "https://acme.example/")

    assert "not public: loopback" in answer.fault


def test_http_is_for_networks_that_are_allowed(make_sender):
    sender = make_sender(resolver=lambda *_: ["93.184.216.34"])

    assert post(sender, "http://acme.example/").fault == ONLY_TLS


def test_a_certificate_must_be_trusted(make_sender, tls_receiver):
    sender = make_sender(resolver=lambda *_: ["127.0.0.1"])

    answer = post(sender, tls_receiver.url(host=CERTIFICATE_IS_FOR, scheme="https"))

    assert "certificate is not trusted" in answer.fault
    assert tls_receiver.received == []


def test_over_tls_it_works(make_sender, tls_receiver, trusting):
    sender = make_sender(resolver=lambda *_: ["127.0.0.1"], ssl_context=trusting)

    assert post(sender, tls_receiver.url(host=CERTIFICATE_IS_FOR, scheme="https")).status == 204


def test_closing_ends_what_is_under_way_and_everything_after(sender, receiver, reply):
    receiver.answer = lambda _: sender.close() or reply(raw=lambda out: time.sleep(0.2))

    with pytest.raises(SenderClosed):
        post(sender, receiver.url())
    with pytest.raises(SenderClosed):
        post(sender, receiver.url())


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("http://acme.example/", "https://"),
        ("ftp://acme.example/", "Only http and https"),
        ("https://user:password@acme.example/", "credentials"),
        ("https:///x", "not a web address"),
        ("nonsense", "Only http and https"),
        ("https://10.0.0.1/", "private use"),
        ("https://[::1]/", "loopback"),
        ("https://93.184.216.34:22/", "Port 22"),
        ("https://acme.example/" + "x" * 3000, "not a web address"),
        (f"https://{'a' * 64}.example/", "no name that there could be"),
        (f"https://{'a.' * 124}example/", "no name that there could be"),
        ("https://acme..example/", "no name that there could be"),
    ],
)
def test_an_address_that_makes_no_sense_is_refused_when_it_is_entered(url, message):
    with pytest.raises(AddressRefused, match=message):
        check_target(url, allow=())


@pytest.mark.parametrize(
    ("url", "allow"),
    [
        ("https://acme.example/hook?token=1", ()),
        ("https://acme.example:8443/", ()),
        ("https://93.184.216.34/", ()),
        (f"https://{'a' * 63}.example./", ()),
        (f"https://{'a.' * 123}example./", ()),
        ("http://127.0.0.1:9/", (ip_network("127.0.0.0/8"),)),
        ("http://chat.intranet/", (ip_network("10.0.0.0/8"),)),
    ],
)
def test_other_addresses_may_be_entered(url, allow):
    assert str(check_target(url, allow=allow)) == url
