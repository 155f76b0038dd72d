"""The way to the network: asks public addresses, or the operator's proxy in their place."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING

from outbound.addresses import WebAddress
from outbound.connect import Connector, seconds_left
from outbound.decoding import decoded
from outbound.exchange import Fields, Timeouts, request_of
from outbound.faults import TooMuch
from outbound.guard import (
    AddressPolicy,
    AddressRefused,
    NameUnresolved,
    Resolver,
    checked_addresses,
)
from outbound.kept import Connections

if TYPE_CHECKING:
    import ssl

    from outbound.proxied import Proxied

_LOCAL_NAMES = (".localhost", ".local", ".internal", ".home.arpa", ".test", ".invalid")


class Transport:
    """Sends requests to public addresses, or through the operator's proxy.

    A proxy connects in our place and resolves names itself, so the address it uses cannot be
    seen here. We still resolve and check the name first and refuse private answers; a name that
    only the proxy can resolve is passed on unless it is a local one by its form. Against names
    that change between our look and the proxy's (rebinding) only the proxy's own rules help:
    the operator's guide says so.
    """

    def __init__(
        self,
        policy: AddressPolicy,
        *,
        resolver: Resolver,
        ssl_context: "ssl.SSLContext | None" = None,
        max_bytes: int,
        proxy: str | None = None,
    ) -> None:
        """``ssl_context`` is for certificates of one's own; the system's are the default."""
        self._policy = policy
        self._resolver = resolver
        self._ssl_context = ssl_context
        self._making_context = Lock()
        self._max_bytes = max_bytes
        self._proxied = None if proxy is None else _through(proxy, self.tls)
        self._connections = Connections(tls=self.tls, connector=Connector(policy, resolver))

    def tls(self) -> "ssl.SSLContext":
        """Return what servers are verified by, made when it is first needed: it takes a while."""
        with self._making_context:
            if self._ssl_context is None:
                import httpx2  # knows where systems keep their certificates

                self._ssl_context = httpx2.create_ssl_context(trust_env=False)
                self._ssl_context.set_alpn_protocols(["http/1.1"])
            return self._ssl_context

    @contextmanager
    def asking(
        self,
        method: str,
        address: WebAddress,
        fields: Fields,
        *,
        content: bytes | None = None,
        timeouts: Timeouts,
    ) -> Iterator["Answer"]:
        """Send a request and give its answer. Host and Content-Length are added to ``fields``.

        ``timeouts`` are seconds of single operations: connect, read, write. Raises a Fault,
        AddressRefused and NameUnresolved, also while the answer is read.
        """
        if self._proxied is not None:
            self._check_before_proxy(address)
            answer = self._proxied.ask(method, address, fields, content, timeouts)
        else:
            request = request_of(method, address, fields, content)
            answer = self._connections.ask(address.origin, request, timeouts)
        try:
            yield Answer(answer.status, answer.fields, _bounded(answer.content, self._max_bytes))
        finally:
            answer.close()

    def close(self) -> None:
        """Close every connection."""
        self._connections.close()
        if self._proxied is not None:
            self._proxied.close()

    def _check_before_proxy(self, address: WebAddress) -> None:
        _, host, port = address.origin
        try:
            checked_addresses(
                host,
                port,
                policy=self._policy,
                resolver=self._resolver,
                timeout=seconds_left(None),
            )
        except NameUnresolved as error:
            name = host.rstrip(".").lower()
            if "." not in name or name.endswith(_LOCAL_NAMES):
                raise AddressRefused("The name is a local one.") from error
            if port not in self._policy.ports:
                raise AddressRefused(f"Port {port} is not allowed on public addresses.") from error


@dataclass(frozen=True, slots=True)
class Answer:
    """What a server answered: status, header fields as they came, and content to be read."""

    status: int
    fields: Fields
    body: Iterator[bytes]

    def pieces(self) -> Iterator[bytes]:
        """Return the content, decoded as its header fields say, bounded as it came."""
        return decoded(self.fields, self.body)

    def skip(self) -> None:
        """Read to the end what has no content: that keeps the connection."""
        for _ in self.body:
            pass


def _bounded(content: Iterator[bytes], max_bytes: int) -> Iterator[bytes]:
    """Yield the bytes as they come over the wire, counted."""
    received = 0
    for piece in content:
        received += len(piece)
        if received > max_bytes:
            raise TooMuch
        yield piece


def _through(proxy: str, tls: Callable[[], "ssl.SSLContext"]) -> "Proxied":
    from outbound.proxied import Proxied  # brings a whole client along

    return Proxied(proxy, tls())
