"""What may be fetched: URLs by their text, hosts by the addresses they lead to."""

import socket
from ipaddress import ip_address, ip_network
from threading import Event

import pytest

from outbound.guard import (
    AddressPolicy,
    AddressRefused,
    NameUnresolved,
    check_url,
    checked_addresses,
    system_resolver,
)

PUBLIC, OTHER, PRIVATE = "93.184.216.34", "2606:4700::1111", "10.0.0.7"


def checked(*answers, policy=None, port=443):
    return checked_addresses(
        "acme.example",
        port,
        policy=policy or AddressPolicy(),
        resolver=lambda *_: answers,
        timeout=5,
    )


def raising(error):
    def resolve(host, port):
        raise error

    return resolve


def test_all_public_addresses_of_a_name_are_given_once_in_order():
    assert checked(OTHER, PUBLIC, OTHER) == [ip_address(OTHER), ip_address(PUBLIC)]


@pytest.mark.parametrize(
    "answers", [(PRIVATE,), (PUBLIC, PRIVATE), (PRIVATE, PUBLIC), (OTHER, "fd00::1"), ("nonsense",)]
)
def test_one_address_that_is_not_public_refuses_the_name(answers):
    with pytest.raises(AddressRefused):
        checked(*answers)


def test_a_refusal_does_not_repeat_the_address():
    with pytest.raises(AddressRefused) as refused:
        checked(PRIVATE)

    assert "10.0.0.7" not in str(refused.value)
    assert "acme" not in str(refused.value)


@pytest.mark.parametrize("port", [22, 25, 79, 81, 444, 6379, 8080, 65535])
def test_a_public_address_is_asked_on_the_webs_ports_only(port):
    with pytest.raises(AddressRefused):
        checked(PUBLIC, port=port)


@pytest.mark.parametrize("port", [80, 443])
def test_the_webs_ports_are_asked(port):
    assert checked(PUBLIC, port=port)


def test_any_port_is_asked_inside_an_allowed_network_and_only_there():
    policy = AddressPolicy((ip_network("10.0.0.0/24"),))

    assert checked(PRIVATE, policy=policy, port=8080)
    assert checked("::ffff:10.0.0.7", policy=policy, port=8080)
    with pytest.raises(AddressRefused):
        checked("10.0.1.7", policy=policy, port=80)
    with pytest.raises(AddressRefused):
        checked(PUBLIC, policy=policy, port=8080)
    with pytest.raises(AddressRefused):
        checked("64:ff9b::10.0.0.7", policy=policy, port=80)


@pytest.mark.parametrize(
    ("error", "temporary"),
    [
        (socket.gaierror(socket.EAI_AGAIN, "try again"), True),
        (socket.gaierror(socket.EAI_NONAME, "unknown"), False),
        (socket.gaierror(socket.EAI_NODATA, "no address"), False),
        (UnicodeError("label too long"), False),
        (ValueError("embedded null"), False),
    ],
)
def test_a_name_that_leads_nowhere_says_whether_it_may_later(error, temporary):
    with pytest.raises(NameUnresolved) as unresolved:
        checked_addresses(
            "acme.example", 80, policy=AddressPolicy(), resolver=raising(error), timeout=5
        )

    assert unresolved.value.temporary is temporary


def test_a_name_without_addresses_is_unresolved():
    with pytest.raises(NameUnresolved):
        checked()


def test_a_name_service_that_hangs_is_left():
    over = Event()

    with pytest.raises(NameUnresolved) as unresolved:
        checked_addresses(
            "acme.example",
            80,
            policy=AddressPolicy(),
            resolver=lambda *_: over.wait(30) and [],
            timeout=0.05,
        )
    over.set()

    assert unresolved.value.temporary


def test_the_system_resolves_numbers_in_every_spelling():
    assert system_resolver("127.1", 80) == ["127.0.0.1"]
    assert system_resolver("2130706433", 80) == ["127.0.0.1"]


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("https://acme.example/feed", "https://acme.example/feed"),
        ("HTTPS://ACME.Example/Feed?a=b#c", "https://acme.example/Feed?a=b"),
        ("https://bücher.example/", "https://xn--bcher-kva.example/"),
        ("http://acme.example:80/", "http://acme.example/"),
        ("https://acme.example/a%2Fb", "https://acme.example/a%2Fb"),
    ],
)
def test_a_web_address_is_kept_without_its_fragment(text, kept):
    assert str(check_url(text)) in {kept, kept.replace("example/", "example:80/")}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "acme.example",
        "/feed",
        "//acme.example/feed",
        "http:",
        "http://",
        "http:///feed",
        "http:/acme.example",
        "file:///etc/passwd",
        "ftp://acme.example/",
        "unix:///var/run/docker.sock",
        "http+unix://%2Fvar%2Frun%2Fdocker.sock/",
        "gopher://acme.example/",
        "data:text/plain,x",
        "javascript:alert(1)",
        "http://user@acme.example/",
        "http://user:password@acme.example/",
        "http://acme.example\\@127.0.0.1/",
        "http://127.0.0.1\\@acme.example/",
        "http://a@b@127.0.0.1/",
        "http://:@acme.example/",
        "http://acme.example:0/",
        "http://acme.example:-1/",
        "http://acme.example:65536/",
        "http://acme.example:99999/",
        "http://acme.example:80:80/",
        "http://[::1/",
        "http://[::1]x/",
        "http://[fe80::1%25eth0]/",
        "http://[fe80::1%eth0]/",
        "http://%31%32%37.0.0.1/",
        "http://127.0.0.1%00.acme.example/",
        "http://acme.example%2f@127.0.0.1/",
        "http://acme .example/",
        "http://acme\t.example/",
        "http://acme\n.example/",
        "http://acme.example/\r\nX: y",
        "http://①②⑦.⓪.⓪.①/",
        "http://0177.0.0.1/",
        "http://acme.example/" + "x" * 2048,
        None,
    ],
)
def test_other_text_is_refused(text):
    with pytest.raises(AddressRefused):
        check_url(text)
