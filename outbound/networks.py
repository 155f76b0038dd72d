"""Decide which network addresses are public. Pure.

The table follows IANA's special-purpose address registries (RFC 6890 and its updates) and adds
addresses of cloud metadata services inside public space, which they do not list. The longest
matching prefix decides. An address with an embedded IPv4 address is judged by that one.
"""

from collections.abc import Iterator, Mapping
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_network
from typing import Final, TypeAlias

Address: TypeAlias = IPv4Address | IPv6Address
Network: TypeAlias = IPv4Network | IPv6Network


PURPOSES: Final[Mapping[str, str | None]] = {
    "0.0.0.0/0": None,  # global unicast
    "0.0.0.0/8": "this host on this network (RFC 791)",
    "10.0.0.0/8": "private use (RFC 1918)",
    "100.64.0.0/10": "shared address space (RFC 6598)",
    "127.0.0.0/8": "loopback (RFC 1122)",
    "168.63.129.16/32": "a cloud's metadata service",
    "169.254.0.0/16": "link local (RFC 3927)",
    "172.16.0.0/12": "private use (RFC 1918)",
    "192.0.0.0/24": "IETF protocol assignments (RFC 6890)",
    "192.0.2.0/24": "documentation (RFC 5737)",
    "192.31.196.0/24": "AS112 (RFC 7535)",
    "192.52.193.0/24": "AMT relays (RFC 7450)",
    "192.88.99.0/24": "6to4 relays (RFC 7526)",
    "192.168.0.0/16": "private use (RFC 1918)",
    "192.175.48.0/24": "AS112 (RFC 7534)",
    "198.18.0.0/15": "benchmarking (RFC 2544)",
    "198.51.100.0/24": "documentation (RFC 5737)",
    "203.0.113.0/24": "documentation (RFC 5737)",
    "224.0.0.0/4": "multicast (RFC 5771)",
    "240.0.0.0/4": "reserved, broadcast (RFC 1112)",
    "::/0": "not global unicast (RFC 4291)",
    "::/128": "unspecified (RFC 4291)",
    "::1/128": "loopback (RFC 4291)",
    "::/96": "IPv4-compatible, deprecated (RFC 4291)",
    "::ffff:0:0/96": None,  # IPv4-mapped (RFC 4291), judged by the embedded address
    "64:ff9b::/96": None,  # NAT64 (RFC 6052), judged by the embedded address
    "64:ff9b:1::/48": "local-use NAT64 (RFC 8215)",
    "100::/64": "discard only (RFC 6666)",
    "2000::/3": None,  # global unicast
    "2001::/23": "IETF protocol assignments (RFC 2928)",
    "2001::/32": None,  # Teredo (RFC 4380), judged by the embedded address
    "2001:db8::/32": "documentation (RFC 3849)",
    "2002::/16": None,  # 6to4 (RFC 3056), judged by the embedded address
    "2620:4f:8000::/48": "AS112 (RFC 7534)",
    "3fff::/20": "documentation (RFC 9637)",
    "5f00::/16": "segment routing (RFC 9602)",
    "fc00::/7": "unique local (RFC 4193)",
    "fe80::/10": "link local (RFC 4291)",
    "fec0::/10": "site local, deprecated (RFC 3879)",
    "ff00::/8": "multicast (RFC 4291)",
}
"""The networks of the table with their purpose; None for those whose addresses are public."""
_LONGEST_FIRST = sorted(
    ((ip_network(network), purpose) for network, purpose in PURPOSES.items()),
    key=lambda block: block[0].prefixlen,
    reverse=True,
)
_NAT64 = IPv6Network("64:ff9b::/96")
_ISATAP = frozenset({0x0000_5EFE, 0x0200_5EFE})  # RFC 5214 §6.1


def why_not_public(address: Address) -> str | None:
    """Return the purpose of an address that is not public; None for a public one."""
    if isinstance(address, IPv6Address) and address.scope_id is not None:
        return "bound to one interface (RFC 4007)"
    for network, purpose in _LONGEST_FIRST:
        if network.version == address.version and address in network:
            if purpose is not None:
                return purpose
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
