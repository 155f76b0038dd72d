"""Which addresses are public, against the registries and against Python's own tables."""

from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outbound.guard import embedded_addresses, why_not_public

NOT_PUBLIC = """
0.0.0.0 0.1.2.3 10.0.0.1 10.255.255.255 100.64.0.1 100.100.100.200 100.127.255.255 127.0.0.1
127.255.255.254 168.63.129.16 169.254.169.254 169.254.170.2 172.16.0.1 172.31.255.255 192.0.0.8
192.0.0.170 192.0.0.192 192.0.2.1 192.88.99.1 192.168.0.1 198.18.0.1 198.19.255.255 198.51.100.7
203.0.113.9 224.0.0.1 239.255.255.250 240.0.0.1 255.255.255.255
:: ::1 ::127.0.0.1 ::8.8.8.8 ::ffff:127.0.0.1 ::ffff:10.0.0.1 ::ffff:169.254.169.254
64:ff9b::127.0.0.1 64:ff9b::169.254.169.254 64:ff9b::10.1.2.3 64:ff9b:1::1 100::1
2001::1 2001:0:7f00:1::1 2001:10::1 2001:20::1 2001:db8::1 2002:7f00:1:: 2002:a9fe:a9fe::
2002:a00:1::1 2606:4700::5efe:10.0.0.1 2606:4700::200:5efe:127.0.0.1 3fff::1 4000::1 5f00::1
fc00::1 fd00:ec2::254 fd12:3456::1 fe80::1 fe80::5efe:8.8.8.8 fec0::1 ff02::1 ff0e::1
fe80::1%eth0 2606:4700::1111%1
""".split()  # noqa: SIM905 - a table is easier to read

PUBLIC = """
1.1.1.1 8.8.8.8 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 126.255.255.255 128.0.0.0
168.63.129.15 168.63.129.17 169.253.255.255 172.15.255.255 172.32.0.0 192.0.1.0 192.167.255.255
192.169.0.0 198.17.255.255 198.20.0.0 223.255.255.255
2606:4700::1111 2a00:1450:4001::200e ::ffff:8.8.8.8 64:ff9b::8.8.8.8 2002:808:808::1
2001:4860:4860::8888 2400:cb00::1 2606:4700::5efe:8.8.8.8
""".split()  # noqa: SIM905 - a table is easier to read


@pytest.mark.parametrize("text", NOT_PUBLIC)
def test_a_special_address_is_not_public(text):
    assert why_not_public(ip_address(text))


@pytest.mark.parametrize("text", PUBLIC)
def test_a_public_address_is_public(text):
    assert why_not_public(ip_address(text)) is None


def test_a_teredo_address_is_judged_by_server_and_client():
    def teredo(server: str, client: str) -> IPv6Address:
        hidden = int(IPv4Address(client)) ^ 0xFFFF_FFFF
        return IPv6Address((0x2001_0000 << 96) | (int(IPv4Address(server)) << 64) | hidden)

    assert why_not_public(teredo("8.8.8.8", "1.1.1.1")) is None
    assert why_not_public(teredo("10.0.0.1", "1.1.1.1")) == "private use (RFC 1918)"
    assert why_not_public(teredo("8.8.8.8", "127.0.0.1")) == "loopback (RFC 1122)"


@given(st.ip_addresses())
def test_nothing_python_calls_special_is_public(address):
    if not list(embedded_addresses(address)) and (not address.is_global or address.is_multicast):
        assert why_not_public(address)


@given(st.ip_addresses(v=4))
def test_an_address_inside_another_is_judged_alike(address):
    inside = [
        IPv6Address(f"::ffff:{address}"),
        IPv6Address(f"64:ff9b::{address}"),
        IPv6Address((0x2002 << 112) | (int(address) << 80) | 1),
        IPv6Address(f"2606:4700::5efe:{address}"),
    ]

    assert [why_not_public(inner) for inner in inside] == [why_not_public(address)] * 4


@given(st.ip_addresses(v=6))
def test_only_global_unicast_and_what_carries_public_addresses_is_public(address):
    if why_not_public(address) is None:
        allowed = ("2000::/3", "64:ff9b::/96", "::ffff:0:0/96")
        assert any(address in ip_network(network) for network in allowed)
