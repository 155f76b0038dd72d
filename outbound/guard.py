"""Decide which hosts may be connected to: public ones, and networks that the operator allows.

The decision is made on the addresses that the name resolves to, and the connection is then made to
one of those (``outbound.backend``). The text of an address is checked in ``outbound.transport``.

The table of networks follows IANA's special-purpose address registries (RFC 6890 and its updates)
and adds addresses of cloud metadata services inside public space, which they do not list. The
longest matching prefix decides. An address with an embedded IPv4 address is judged by that one.
"""

import socket
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from queue import Empty, Queue
from threading import Thread
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
WEB_PORTS = frozenset({80, 443})
Resolver: TypeAlias = Callable[[str, int], Sequence[str]]


def why_not_public(address: Address) -> str | None:
    """Return the purpose of a non-public address; None for a public one."""
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


class AddressRefused(Exception):
    """The address may not be connected to. The message says why and does not repeat the address."""


class ExchangeFailed(Exception):
    """A request got no response that can be used. The message says why.

    ``reason`` is ``dns`` for a name without an address, ``dns_temporary`` if the name service did
    not answer, ``tls``, ``bad_encoding`` for content that is not compressed as its fields say, or
    ``too_large``.
    """

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason


@dataclass(frozen=True, slots=True)
class AddressPolicy:
    """Public addresses on the web's ports, and any port inside the ``allow`` networks.

    ``allow`` are networks that may be fetched although they are not public (tests, intranets).
    """

    allow: tuple[Network, ...] = ()
    ports: frozenset[int] = WEB_PORTS

    def check(self, address: Address, port: int) -> None:
        """Raise AddressRefused unless a connection to this address and port is allowed."""
        mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
        target = mapped or address
        if any(target.version == network.version and target in network for network in self.allow):
            return
        purpose = why_not_public(target)
        if purpose is not None:
            raise AddressRefused(f"The host’s address is not public: {purpose}.")
        if port not in self.ports:
            raise AddressRefused(f"Port {port} is not allowed on public addresses.")


def checked_addresses(
    host: str, port: int, *, policy: AddressPolicy, resolver: Resolver, timeout: float
) -> list[Address]:
    """Resolve ``host`` once and return its addresses, all of them allowed.

    One address that is not allowed refuses the name: an attacker mixes public and private
    addresses, a vendor has no reason to. ``timeout`` is in seconds. Raises AddressRefused and
    ExchangeFailed.
    """
    addresses = list(map(as_address, _resolve_in_time(resolver, host, port, timeout)))
    if not addresses:
        raise ExchangeFailed("dns", "The host has no address.")
    for address in addresses:
        policy.check(address, port)
    return list(dict.fromkeys(addresses))


@lru_cache(maxsize=1024)  # called three times in a row for one host
def as_address(text: str) -> Address:
    """Parse an address that a resolver returned. Raises AddressRefused for other text."""
    try:
        return ip_address(text)
    except ValueError as error:
        raise AddressRefused("The host has no address.") from error


def system_resolver(host: str, port: int) -> list[str]:
    """Resolve with the operating system. Raises what ``socket.getaddrinfo`` raises."""
    results = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, proto=socket.IPPROTO_TCP)
    return [str(sockaddr[0]) for *_, sockaddr in results]


def _resolve_in_time(resolver: Resolver, host: str, port: int, timeout: float) -> Sequence[str]:
    """Resolve in a thread, because ``getaddrinfo`` has no timeout; an address needs none."""
    try:
        as_address(host)
    except AddressRefused:  # a name
        pass
    else:
        try:
            return resolver(host, port)
        except Exception as error:
            raise _unresolved(error) from error
    results: Queue[Sequence[str] | Exception] = Queue(1)

    def resolve() -> None:
        try:
            results.put(resolver(host, port))
        except Exception as error:  # noqa: BLE001 - raised in the thread that waits
            results.put(error)

    Thread(target=resolve, name="resolve", daemon=True).start()
    try:
        result = results.get(timeout=max(timeout, 0))
    except Empty:
        raise ExchangeFailed("dns_temporary", "The DNS lookup timed out.") from None
    if isinstance(result, Exception):
        raise _unresolved(result) from result
    return result


def _unresolved(error: Exception) -> Exception:
    if isinstance(error, socket.gaierror):
        temporary = error.errno in {socket.EAI_AGAIN, socket.EAI_SYSTEM, socket.EAI_MEMORY}
        if temporary:
            return ExchangeFailed("dns_temporary", "The DNS lookup failed.")
        return ExchangeFailed("dns", "Host not found.")
    if isinstance(error, UnicodeError | ValueError):  # labels that are empty or too long
        return ExchangeFailed("dns", "The host name is not valid.")
    return error
