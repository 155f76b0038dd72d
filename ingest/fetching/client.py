"""The HTTP client for vendors, shared by the ingester's threads, and room for large documents.

It is httpcore2's connections without a client of a library: no cookies, no proxies or passwords
from the environment, no redirects. At most two requests to a host are under way at a time.
"""

import ctypes
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from types import MappingProxyType
from typing import Final
from urllib.parse import urlsplit
from weakref import WeakValueDictionary

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

MARKDOWN_FIRST = (
    "text/markdown, text/html;q=0.9, application/xhtml+xml;q=0.9, application/xml;q=0.8, */*;q=0.5"
)
"""Accepted of a page that is read for its entries; others are read for links and data, too."""
LARGE_BYTES: Final = 512 * 1024
"""Bytes from which on a document needs room."""
PLACES: Final = 2
WAKE_SECONDS: Final = 0.5
Slots = WeakValueDictionary[str, threading.BoundedSemaphore]
_MALLOC_OPTIONS: Final = {-3: 128 * 1024, -8: 1}  # malloc.h: M_MMAP_THRESHOLD, M_ARENA_MAX


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


def give_memory_back() -> None:
    """Let glibc give blocks of 128 KiB and more back to the system as soon as they are free.

    By itself it raises that limit to the largest block that was ever freed (mallopt(3)), and has
    heaps for each thread; here all share one. Another libc is left alone.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        for option, value in _MALLOC_OPTIONS.items():
            mallopt(option, value)


class NoRoom(Exception):
    """Others hold large documents: fetch this one when they are done."""


class Room:
    """The places of large documents, shared by the threads that check sources.

    Two threads hold one at a time (docs/decisions/0021): what a document may weigh is bounded, and
    many threads fetch, so bombs are bounded together.
    """

    def __init__(self, places: int = PLACES) -> None:
        self._free = threading.BoundedSemaphore(places)
        self._own = threading.local()

    @contextmanager
    def bounded(self) -> Iterator[None]:
        """Let this thread hold one large document at a time, until the end of the block."""
        self._own.is_bounded, self._own.has_place = True, False
        try:
            yield
        finally:
            if self._own.has_place:
                self._free.release()
            self._own.is_bounded = self._own.has_place = False

    def take(self) -> None:
        """Take a place for a document that turns out to be large. Raises NoRoom."""
        if getattr(self._own, "is_bounded", False) and not self._own.has_place:
            if not self._free.acquire(blocking=False):
                raise NoRoom
            self._own.has_place = True

    def wait(self, closed: threading.Event) -> None:
        """Wait for a place, holding nothing meanwhile; return without one when ``closed``."""
        while not closed.is_set() and not self._own.has_place:
            self._own.has_place = self._free.acquire(timeout=WAKE_SECONDS)


class ClientClosed(Exception):
    """The client was closed before or during a fetch: it says nothing about the vendor."""


@dataclass(frozen=True, slots=True)
class Client:
    """A transport, limits, header fields of every request, and the slots of hosts."""

    transport: Transport
    policy: FetchPolicy
    headers: tuple[tuple[bytes, bytes], ...]
    slots: Slots = field(default_factory=Slots)  # of hosts that are being asked, not of all
    closed: threading.Event = field(default_factory=threading.Event)
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
        policy.addresses, resolver=resolver, ssl_context=ssl_context, proxy=proxy
    )
    headers = (
        (b"Accept-Encoding", b"gzip, br"),
        (b"Connection", b"keep-alive"),
        (b"User-Agent", user_agent.encode("ascii")),
    )
    return Client(transport, policy, headers)
