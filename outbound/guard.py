"""Decide which hosts may be connected to: public ones, and networks that the operator allows.

The decision is made on the addresses that the name resolves to, and the connection is then made to
one of those (``outbound.backend``). The text of an address is checked in ``outbound.addresses``.
"""

import socket
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from ipaddress import ip_address
from queue import Empty, Queue
from threading import Thread
from typing import TypeAlias

from outbound.networks import Address, Network, unmapped, why_not_public

WEB_PORTS = frozenset({80, 443})

Resolver: TypeAlias = Callable[[str, int], Sequence[str]]


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
        target = unmapped(address)
        if any(target.version == network.version and target in network for network in self.allow):
            return
        purpose = why_not_public(target)
        if purpose is not None:
            raise AddressRefused(f"The name leads to an address that is not public: {purpose}.")
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
    addresses = [as_address(text) for text in _resolve_in_time(resolver, host, port, timeout)]
    if not addresses:
        raise ExchangeFailed("dns", "The name has no address.")
    for address in addresses:
        policy.check(address, port)
    return list(dict.fromkeys(addresses))


@lru_cache(maxsize=1024)  # called three times in a row for one host
def as_address(text: str) -> Address:
    """Parse an address that a resolver returned. Raises AddressRefused for other text."""
    try:
        return ip_address(text)
    except ValueError as error:
        raise AddressRefused("The name service returned no address.") from error


def system_resolver(host: str, port: int) -> list[str]:
    """Resolve with the operating system. Raises what ``socket.getaddrinfo`` raises."""
    results = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, proto=socket.IPPROTO_TCP)
    return [str(sockaddr[0]) for *_, sockaddr in results]


def _resolve_in_time(resolver: Resolver, host: str, port: int, timeout: float) -> Sequence[str]:
    """Resolve in a thread, because ``getaddrinfo`` has no timeout; an address needs none."""
    if _is_address(host):
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
        raise ExchangeFailed("dns_temporary", "The name service did not answer in time.") from None
    if isinstance(result, Exception):
        raise _unresolved(result) from result
    return result


def _is_address(host: str) -> bool:
    try:
        as_address(host)
    except AddressRefused:
        return False
    return True


def _unresolved(error: Exception) -> Exception:
    if isinstance(error, socket.gaierror):
        temporary = error.errno in {socket.EAI_AGAIN, socket.EAI_SYSTEM, socket.EAI_MEMORY}
        if temporary:
            return ExchangeFailed("dns_temporary", "The name service did not answer.")
        return ExchangeFailed("dns", "The name service does not know the name.")
    if isinstance(error, UnicodeError | ValueError):  # labels that are empty or too long
        return ExchangeFailed("dns", "This is not a host name.")
    return error
