"""The HTTP client for vendors, shared by the ingester's threads.

It is httpcore2's connections without a client of a library: no cookies, no proxies or passwords
from the environment, no redirects. At most two requests to a host are under way at a time.
"""

import ssl
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from threading import Condition, Event
from types import MappingProxyType
from urllib.parse import urlsplit

from ingest.fetching.room import Room
from openapi.vocabulary import AdapterType
from outbound.guard import AddressPolicy, Resolver, system_resolver
from outbound.transport import GuardedTransport, Transport

_FEEDS = (
    "application/rss+xml, application/atom+xml, application/feed+json;q=0.9, "
    "application/xml;q=0.9, text/xml;q=0.9, */*;q=0.5"
)
ACCEPT: MappingProxyType[AdapterType, str] = MappingProxyType(
    {
        AdapterType.RSS: _FEEDS,
        AdapterType.ATOM: _FEEDS,
        AdapterType.HTML: "text/html, application/xhtml+xml, application/xml;q=0.9, */*;q=0.5",
        AdapterType.GITHUB_RELEASES: (
            "application/vnd.github+json, application/atom+xml, application/xml;q=0.9, */*;q=0.5"
        ),
    }
)


@dataclass(frozen=True, slots=True)
class FetchPolicy:
    """The limits of one fetch (docs/decisions/0020).

    ``deadline`` is for the whole exchange with all its redirects, ``connect`` for a name and a
    connection, ``read`` for a pause between bytes. ``max_bytes`` counts after decompression.
    """

    addresses: AddressPolicy = field(default_factory=AddressPolicy)
    max_bytes: int = 10 * 1024 * 1024
    max_redirects: int = 5
    deadline: timedelta = timedelta(seconds=30)
    connect: timedelta = timedelta(seconds=10)
    read: timedelta = timedelta(seconds=15)
    connections_per_host: int = 2

    def timeouts(self) -> dict[str, float | None]:
        """Return the limits of single operations in seconds, as the transport takes them."""
        read = self.read.total_seconds()
        connect = self.connect.total_seconds()
        return {"connect": connect, "read": read, "write": read, "pool": None}


class HostSlots:
    """Counts the exchanges under way with each host; thread-safe."""

    def __init__(self, per_host: int) -> None:
        self._per_host = per_host
        self._busy: Counter[str] = Counter()
        self._changed = Condition()

    @contextmanager
    def slot(self, host: str) -> Iterator[None]:
        """Hold one of the host's slots, waiting until one is free."""
        with self._changed:
            self._changed.wait_for(lambda: self._busy[host] < self._per_host)
            self._busy[host] += 1
        try:
            yield
        finally:
            with self._changed:
                self._busy[host] -= 1
                if not self._busy[host]:
                    del self._busy[host]
                self._changed.notify_all()


class ClientClosed(Exception):
    """The client was closed before or during a fetch: it says nothing about the vendor."""


@dataclass(frozen=True, slots=True)
class Client:
    """A transport, limits, slots per host, and header fields of every request."""

    transport: Transport
    policy: FetchPolicy
    slots: HostSlots
    headers: tuple[tuple[bytes, bytes], ...]
    closed: Event = field(default_factory=Event)
    room: Room = field(default_factory=Room)

    def close(self) -> None:
        """Close every connection; fetches under way end with ClientClosed.

        They end at once, unless they wait for a name or a connection (``FetchPolicy.connect``).
        """
        self.closed.set()
        self.transport.close()


def user_agent(version: str, site_url: str) -> str:
    """Return the User-Agent: the product, its version and the address of its site."""
    return f"Changewire/{version} (+{site_url})"


def new_client(
    policy: FetchPolicy,
    *,
    user_agent: str,
    proxy: str | None = None,
    resolver: Resolver = system_resolver,
    ssl_context: ssl.SSLContext | None = None,
) -> Client:
    """Return a client. ``proxy`` is the operator's outgoing http or https proxy.

    ``ssl_context`` is for deployments with certificates of their own; the system's are the
    default. Raises ValueError for a proxy of another kind.
    """
    if proxy is not None and urlsplit(proxy).scheme not in {"http", "https"}:
        raise ValueError("the outgoing proxy must be an http or https address")
    transport = GuardedTransport(
        policy.addresses,
        resolver=resolver,
        ssl_context=ssl_context,
        max_bytes=policy.max_bytes,
        proxy=proxy,
    )
    headers = (
        (b"Accept-Encoding", b"gzip, br"),
        (b"Connection", b"keep-alive"),
        (b"User-Agent", user_agent.encode("ascii")),
    )
    return Client(transport, policy, HostSlots(policy.connections_per_host), headers)
