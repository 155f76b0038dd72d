"""Decide which network addresses are public. Pure.

The table follows IANA's special-purpose address registries (RFC 6890 and its updates) and adds
addresses of cloud metadata services inside public space, which they do not list. The longest
matching prefix decides. An address with an embedded IPv4 address is judged by that one.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_network
from typing import TypeAlias

Address: TypeAlias = IPv4Address | IPv6Address
Network: TypeAlias = IPv4Network | IPv6Network


@dataclass(frozen=True, slots=True)
class AddressBlock:
    """A network of the table, its purpose, and whether its addresses are public."""

    network: Network
    purpose: str
    public: bool = False


def _block(network: str, purpose: str, *, public: bool = False) -> AddressBlock:
    return AddressBlock(ip_network(network), purpose, public)


TABLE: tuple[AddressBlock, ...] = (
    _block("0.0.0.0/0", "global unicast", public=True),
    _block("0.0.0.0/8", "this host on this network (RFC 791)"),
    _block("10.0.0.0/8", "private use (RFC 1918)"),
    _block("100.64.0.0/10", "shared address space (RFC 6598)"),
    _block("127.0.0.0/8", "loopback (RFC 1122)"),
    _block("168.63.129.16/32", "a cloud's metadata service"),
    _block("169.254.0.0/16", "link local (RFC 3927)"),
    _block("172.16.0.0/12", "private use (RFC 1918)"),
    _block("192.0.0.0/24", "IETF protocol assignments (RFC 6890)"),
    _block("192.0.2.0/24", "documentation (RFC 5737)"),
    _block("192.31.196.0/24", "AS112 (RFC 7535)"),
    _block("192.52.193.0/24", "AMT relays (RFC 7450)"),
    _block("192.88.99.0/24", "6to4 relays (RFC 7526)"),
    _block("192.168.0.0/16", "private use (RFC 1918)"),
    _block("192.175.48.0/24", "AS112 (RFC 7534)"),
    _block("198.18.0.0/15", "benchmarking (RFC 2544)"),
    _block("198.51.100.0/24", "documentation (RFC 5737)"),
    _block("203.0.113.0/24", "documentation (RFC 5737)"),
    _block("224.0.0.0/4", "multicast (RFC 5771)"),
    _block("240.0.0.0/4", "reserved, broadcast (RFC 1112)"),
    _block("::/0", "not global unicast (RFC 4291)"),
    _block("::/128", "unspecified (RFC 4291)"),
    _block("::1/128", "loopback (RFC 4291)"),
    _block("::/96", "IPv4-compatible, deprecated (RFC 4291)"),
    _block(
        "::ffff:0:0/96", "IPv4-mapped (RFC 4291)", public=True
    ),  # judged by the embedded address
    _block("64:ff9b::/96", "NAT64 (RFC 6052)", public=True),  # judged by the embedded address
    _block("64:ff9b:1::/48", "local-use NAT64 (RFC 8215)"),
    _block("100::/64", "discard only (RFC 6666)"),
    _block("2000::/3", "global unicast", public=True),
    _block("2001::/23", "IETF protocol assignments (RFC 2928)"),
    _block("2001::/32", "Teredo (RFC 4380)", public=True),  # judged by the embedded address
    _block("2001:db8::/32", "documentation (RFC 3849)"),
    _block("2002::/16", "6to4 (RFC 3056)", public=True),  # judged by the embedded address
    _block("2620:4f:8000::/48", "AS112 (RFC 7534)"),
    _block("3fff::/20", "documentation (RFC 9637)"),
    _block("5f00::/16", "segment routing (RFC 9602)"),
    _block("fc00::/7", "unique local (RFC 4193)"),
    _block("fe80::/10", "link local (RFC 4291)"),
    _block("fec0::/10", "site local, deprecated (RFC 3879)"),
    _block("ff00::/8", "multicast (RFC 4291)"),
)
_LONGEST_FIRST = sorted(TABLE, key=lambda block: block.network.prefixlen, reverse=True)
_NAT64 = IPv6Network("64:ff9b::/96")
_ISATAP = frozenset({0x0000_5EFE, 0x0200_5EFE})  # RFC 5214 §6.1


def why_not_public(address: Address) -> str | None:
    """Return the purpose of an address that is not public; None for a public one."""
    if isinstance(address, IPv6Address) and address.scope_id is not None:
        return "bound to one interface (RFC 4007)"
    for block in _LONGEST_FIRST:
        if block.network.version == address.version and address in block.network:
            if not block.public:
                return block.purpose
            break
    return next(filter(None, map(why_not_public, embedded_addresses(address))), None)


def embedded_addresses(address: Address) -> Iterator[IPv4Address]:
    """Yield the IPv4 addresses embedded in an IPv6 address."""
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


def unmapped(address: Address) -> Address:
    """Return the IPv4 address of an IPv4-mapped one; other addresses unchanged."""
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return address if mapped is None else mapped
