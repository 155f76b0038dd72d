"""The client's address of a request."""

from collections.abc import Sequence
from functools import lru_cache
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address

import structlog
from starlette.types import Scope

from handlers.context import Network

log = structlog.get_logger(__name__)


def client_of(
    peer: str | None, forwarded: Sequence[str], trusted: Sequence[Network]
) -> IPv4Address | IPv6Address | None:
    """Return the address of the client; None where it is not known.

    ``forwarded`` holds the X-Forwarded-For headers in order. An entry counts only when every hop
    behind it is a trusted proxy; anybody can write the others.
    """
    hops = [hop.strip() for header in forwarded for hop in header.split(",")]
    address = _address(peer)
    if hops and address is not None and address.is_private and not _is_in(address, trusted):
        _warn_of_peer(str(address))
    while address is not None and hops and _is_in(address, trusted):
        hop = _address(hops.pop())
        if hop is None:
            break
        address = hop
    return address


def _is_in(address: IPv4Address | IPv6Address, networks: Sequence[Network]) -> bool:
    return any(address in network for network in networks)


@lru_cache(maxsize=64)
def _warn_of_peer(peer: str) -> None:
    """Log once that everybody behind a proxy, as a peer of a private network is, is one client."""
    log.warning(
        "X-Forwarded-For from a peer that is not trusted is ignored: everybody behind it shares "
        "one allowance; name it in CHANGEWIRE_TRUSTED_PROXIES if it is your proxy",
        peer=peer,
    )


@lru_cache(maxsize=1024)
def _address(text: str | None) -> IPv4Address | IPv6Address | None:
    """Read 198.51.100.7 or 2001:db8::1, or with a port 198.51.100.7:1 or [2001:db8::1]:1."""
    host, _, port = (text or "").rpartition(":")
    if not port.isdecimal() or (":" in host and not host.endswith("]")):
        host = text or ""
    try:
        address = ip_address(host.strip("[]"))
    except ValueError:
        return None
    return address.ipv4_mapped or address if isinstance(address, IPv6Address) else address


def bucket_of(address: IPv4Address | IPv6Address | None) -> str:
    """Return what shares one allowance: an IPv4 address, or the /64 of an IPv6 one."""
    if isinstance(address, IPv6Address):
        return str(IPv6Network((int(address), 64), strict=False))
    return str(address)


def client_bucket(scope: Scope, trusted: Sequence[Network]) -> str:
    """Return what shares an allowance with the client of a request."""
    peer = scope["client"][0] if scope.get("client") else None
    forwarded = [
        value.decode("latin-1") for name, value in scope["headers"] if name == b"x-forwarded-for"
    ]
    return bucket_of(client_of(peer, forwarded, trusted))
