"""Which network addresses are public, as data and pure functions.

The table follows IANA's special-purpose address registries (RFC 6890 and its updates) and adds
what they do not hold: addresses of cloud metadata services inside public space. The longest
matching prefix decides. Addresses that carry an IPv4 address inside are judged by that one.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_network
from typing import TypeAlias

Address: TypeAlias = IPv4Address | IPv6Address
Network: TypeAlias = IPv4Network | IPv6Network


@dataclass(frozen=True, slots=True)
class Row:
    """A network, what it is for, and whether its addresses are public."""

    network: Network
    purpose: str
    public: bool = False


def _row(network: str, purpose: str, *, public: bool = False) -> Row:
    return Row(ip_network(network), purpose, public)


TABLE: tuple[Row, ...] = (
    _row("0.0.0.0/0", "global unicast", public=True),
    _row("0.0.0.0/8", "this host on this network (RFC 791)"),
    _row("10.0.0.0/8", "private use (RFC 1918)"),
    _row("100.64.0.0/10", "shared address space (RFC 6598)"),
    _row("127.0.0.0/8", "loopback (RFC 1122)"),
    _row("168.63.129.16/32", "a cloud's metadata service"),
    _row("169.254.0.0/16", "link local (RFC 3927)"),
    _row("172.16.0.0/12", "private use (RFC 1918)"),
    _row("192.0.0.0/24", "IETF protocol assignments (RFC 6890)"),
    _row("192.0.2.0/24", "documentation (RFC 5737)"),
    _row("192.31.196.0/24", "AS112 (RFC 7535)"),
    _row("192.52.193.0/24", "AMT relays (RFC 7450)"),
    _row("192.88.99.0/24", "6to4 relays (RFC 7526)"),
    _row("192.168.0.0/16", "private use (RFC 1918)"),
    _row("192.175.48.0/24", "AS112 (RFC 7534)"),
    _row("198.18.0.0/15", "benchmarking (RFC 2544)"),
    _row("198.51.100.0/24", "documentation (RFC 5737)"),
    _row("203.0.113.0/24", "documentation (RFC 5737)"),
    _row("224.0.0.0/4", "multicast (RFC 5771)"),
    _row("240.0.0.0/4", "reserved, broadcast (RFC 1112)"),
    _row("::/0", "not global unicast (RFC 4291)"),
    _row("::/128", "unspecified (RFC 4291)"),
    _row("::1/128", "loopback (RFC 4291)"),
    _row("::/96", "IPv4-compatible, deprecated (RFC 4291)"),
    _row("::ffff:0:0/96", "IPv4-mapped (RFC 4291)", public=True),  # by what it carries
    _row("64:ff9b::/96", "NAT64 (RFC 6052)", public=True),  # by what it carries
    _row("64:ff9b:1::/48", "local-use NAT64 (RFC 8215)"),
    _row("100::/64", "discard only (RFC 6666)"),
    _row("2000::/3", "global unicast", public=True),
    _row("2001::/23", "IETF protocol assignments (RFC 2928)"),
    _row("2001::/32", "Teredo (RFC 4380)", public=True),  # by what it carries
    _row("2001:db8::/32", "documentation (RFC 3849)"),
    _row("2002::/16", "6to4 (RFC 3056)", public=True),  # by what it carries
    _row("2620:4f:8000::/48", "AS112 (RFC 7534)"),
    _row("3fff::/20", "documentation (RFC 9637)"),
    _row("5f00::/16", "segment routing (RFC 9602)"),
    _row("fc00::/7", "unique local (RFC 4193)"),
    _row("fe80::/10", "link local (RFC 4291)"),
    _row("fec0::/10", "site local, deprecated (RFC 3879)"),
    _row("ff00::/8", "multicast (RFC 4291)"),
)
_LONGEST_FIRST = sorted(TABLE, key=lambda row: row.network.prefixlen, reverse=True)
_NAT64 = IPv6Network("64:ff9b::/96")
_ISATAP = frozenset({0x0000_5EFE, 0x0200_5EFE})  # RFC 5214 §6.1


def why_not_public(address: Address) -> str | None:
    """Return what a non-public address is for, None if the address is public."""
    if isinstance(address, IPv6Address) and address.scope_id is not None:
        return "bound to one interface (RFC 4007)"
    for row in _LONGEST_FIRST:
        if row.network.version == address.version and address in row.network:
            if not row.public:
                return row.purpose
            break
    return next(filter(None, map(why_not_public, carried(address))), None)


def carried(address: Address) -> Iterator[IPv4Address]:
    """Yield the IPv4 addresses that an IPv6 address carries inside."""
    if isinstance(address, IPv4Address):
        return
    if address.ipv4_mapped is not None:
        yield address.ipv4_mapped
    if address in _NAT64 or (int(address) >> 32) & 0xFFFF_FFFF in _ISATAP:
        yield IPv4Address(int(address) & 0xFFFF_FFFF)
    if address.sixtofour is not None:
        yield address.sixtofour
    if address.teredo is not None:
        yield from address.teredo


def plain(address: Address) -> Address:
    """Return an IPv4-mapped address as the IPv4 address it stands for, others unchanged."""
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return address if mapped is None else mapped
