"""Hosts are judged by the addresses they lead to."""

import socket
from ipaddress import ip_address, ip_network
from threading import Event

import pytest

from outbound.guard import AddressPolicy, AddressRefused, ExchangeFailed, checked_addresses

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


def test_a_public_address_is_asked_on_the_webs_ports_only():
    assert checked(PUBLIC, port=80)
    with pytest.raises(AddressRefused):
        checked(PUBLIC, port=8080)


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
    ("error", "reason"),
    [
        (socket.gaierror(socket.EAI_AGAIN, "try again"), "dns_temporary"),
        (socket.gaierror(socket.EAI_NONAME, "unknown"), "dns"),
        (UnicodeError("label too long"), "dns"),
    ],
)
def test_a_name_that_leads_nowhere_says_whether_it_may_later(error, reason):
    with pytest.raises(ExchangeFailed) as unresolved:
        checked_addresses(
            "acme.example", 80, policy=AddressPolicy(), resolver=raising(error), timeout=5
        )

    assert unresolved.value.reason == reason


def test_a_name_service_that_hangs_is_left():
    over = Event()

    with pytest.raises(ExchangeFailed) as unresolved:
        checked_addresses(
            "acme.example",
            80,
            policy=AddressPolicy(),
            resolver=lambda *_: over.wait(30) and [],
            timeout=0.05,
        )
    over.set()

    assert unresolved.value.reason == "dns_temporary"
