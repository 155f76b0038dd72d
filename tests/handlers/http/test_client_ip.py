"""Whose request it is, behind proxies (docs/decisions/0009)."""

from ipaddress import ip_address, ip_network

import pytest
from structlog.testing import capture_logs

from handlers.http.client_ip import _warn_of_peer, bucket_of, client_of

TRUSTED = (ip_network("10.0.0.0/8"), ip_network("fd00::/8"))


@pytest.mark.parametrize(
    ("peer", "forwarded", "expected"),
    [
        ("203.0.113.7", [], "203.0.113.7"),
        ("203.0.113.7", ["198.51.100.1"], "203.0.113.7"),
        ("10.0.0.1", ["198.51.100.1"], "198.51.100.1"),
        ("10.0.0.1", ["6.6.6.6", "198.51.100.1, 10.0.0.2"], "198.51.100.1"),
        ("10.0.0.1", ["6.6.6.6, nonsense, 10.0.0.2"], "10.0.0.2"),
        ("10.0.0.1", [], "10.0.0.1"),
        ("fd00::1", ["[2001:db8::7]"], "2001:db8::7"),
        ("10.0.0.1", ["198.51.100.7:4567, [fd00::2]:443"], "198.51.100.7"),
        ("10.0.0.1", ["[2001:db8::1]:443"], "2001:db8::1"),
        ("::ffff:10.0.0.1", ["198.51.100.1"], "198.51.100.1"),
        (None, ["198.51.100.1"], None),
    ],
)
def test_a_forwarded_address_counts_behind_trusted_proxies_only(peer, forwarded, expected):
    assert client_of(peer, forwarded, TRUSTED) == (expected and ip_address(expected))


@pytest.mark.parametrize(
    ("address", "bucket"),
    [("198.51.100.1", "198.51.100.1"), ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64")],
)
def test_the_addresses_of_one_customer_share_an_allowance(address, bucket):
    assert bucket_of(ip_address(address)) == bucket


@pytest.mark.parametrize(
    ("peer", "forwarded", "warned"),
    [
        ("172.17.0.1", ["198.51.100.1"], ["172.17.0.1"]),
        ("172.17.0.1", [], []),
        ("10.0.0.1", ["198.51.100.1"], []),
        ("8.8.8.8", ["198.51.100.1"], []),
    ],
    ids=["a proxy that is not trusted", "no proxy", "a trusted one", "a stranger's own header"],
)
def test_a_proxy_that_is_not_trusted_is_warned_of_once(peer, forwarded, warned):
    _warn_of_peer.cache_clear()

    with capture_logs() as logged:
        client_of(peer, forwarded, TRUSTED)
        client_of(peer, forwarded, TRUSTED)

    assert [line["peer"] for line in logged] == warned
