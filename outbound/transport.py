"""The way to the network: an httpx2 transport that reaches public addresses only."""

import ssl
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import httpcore2
import httpx2

from outbound.connect import GuardedBackend, ProxyBackend, seconds_left
from outbound.guard import (
    AddressPolicy,
    AddressRefused,
    NameUnresolved,
    Resolver,
    checked_addresses,
)
from outbound.kept import KEEP_ALIVE_SECONDS, KEPT_ALIVE, Connections

_LOCAL_NAMES = (".localhost", ".local", ".internal", ".home.arpa", ".test", ".invalid")


class TooMuch(Exception):
    """More bytes came over the wire than are read."""


class GuardedTransport(httpx2.BaseTransport):
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
        ssl_context: ssl.SSLContext,
        max_bytes: int,
        proxy: str | None = None,
    ) -> None:
        self._policy = policy
        self._resolver = resolver
        self._max_bytes = max_bytes
        self._proxied = proxy is not None
        self._connections: Connections | httpcore2.ConnectionPool
        if proxy is None:
            backend = GuardedBackend(policy, resolver)
            self._connections = Connections(ssl_context=ssl_context, backend=backend)
        else:
            self._connections = httpcore2.ConnectionPool(
                ssl_context=ssl_context,
                proxy=_as_proxy(proxy),
                max_connections=None,  # the client counts connections per host
                max_keepalive_connections=KEPT_ALIVE,
                keepalive_expiry=KEEP_ALIVE_SECONDS,
                network_backend=ProxyBackend(),
            )

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send one request. Raises httpx2's errors, AddressRefused, NameUnresolved, TlsFailed."""
        answer = self._answered(
            request.method,
            request.url,
            request.headers.raw,
            content=request.read(),
            extensions=request.extensions,
        )
        return httpx2.Response(
            answer.status,
            headers=answer.headers,
            stream=_Body(answer, self._max_bytes),
            extensions=answer.extensions,
        )

    @contextmanager
    def get(
        self,
        url: httpx2.URL,
        headers: Sequence[tuple[bytes, bytes]],
        *,
        timeouts: Mapping[str, float | None],
    ) -> Iterator["Answer"]:
        """Ask for a document without what a whole client does at each request: merging, cookies.

        Host is added to ``headers``. ``timeouts`` are seconds, as ``httpx2.Timeout.as_dict``
        names them. Raises what handle_request raises, also while the answer is read.
        """
        whole = [(b"Host", url.netloc), *headers]
        answer = self._answered("GET", url, whole, extensions={"timeout": timeouts})
        body = _Body(answer, self._max_bytes)
        try:
            yield Answer(answer.status, answer.headers, body)
        finally:
            body.close()

    def _answered(
        self,
        method: str,
        url: httpx2.URL,
        headers: Sequence[tuple[bytes, bytes]],
        *,
        extensions: dict[str, Any],
        content: bytes | None = None,
    ) -> httpcore2.Response:
        if self._proxied:
            self._check_before_proxy(url)
        request = httpcore2.Request(
            method=method,
            url=httpcore2.URL(
                scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path
            ),
            headers=headers,
            content=content,
            extensions=extensions,
        )
        with _as_httpx2():
            return self._connections.handle_request(request)

    def close(self) -> None:
        """Close every connection."""
        self._connections.close()

    def _check_before_proxy(self, url: httpx2.URL) -> None:
        port = url.port or (443 if url.scheme == "https" else 80)
        try:
            checked_addresses(
                url.host,
                port,
                policy=self._policy,
                resolver=self._resolver,
                timeout=seconds_left(None),
            )
        except NameUnresolved as error:
            name = url.host.rstrip(".").lower()
            if "." not in name or name.endswith(_LOCAL_NAMES):
                raise AddressRefused("The name is a local one.") from error
            if port not in self._policy.ports:
                raise AddressRefused(f"Port {port} is not one of the web's ports.") from error


@dataclass(frozen=True, slots=True)
class Answer:
    """What a server answered: status, header fields as they came, and content to be read."""

    status: int
    headers: Sequence[tuple[bytes, bytes]]
    body: "_Body"

    def pieces(self) -> Iterator[bytes]:
        """Yield the content, decoded as its header fields say, bounded as it came."""
        return self._decoding().iter_bytes()

    def field(self, name: str) -> str:
        """Return the value of a header field as text. Raises KeyError."""
        return httpx2.Headers(self.headers)[name]

    def _decoding(self) -> httpx2.Response:
        return httpx2.Response(self.status, headers=self.headers, stream=self.body)

    def skip(self) -> None:
        """Read to the end what has no content: that keeps the connection."""
        for _ in self.body:
            pass


class _Body(httpx2.SyncByteStream):
    """The bytes as they come over the wire, counted."""

    def __init__(self, answer: httpcore2.Response, max_bytes: int) -> None:
        self._answer = answer
        self._max_bytes = max_bytes

    def __iter__(self) -> Iterator[bytes]:
        received = 0
        with _as_httpx2():
            for piece in self._answer.iter_stream():
                received += len(piece)
                if received > self._max_bytes:
                    raise TooMuch
                yield piece

    def close(self) -> None:
        with _as_httpx2():
            self._answer.close()


def _as_proxy(address: str) -> httpcore2.Proxy:
    proxy = httpx2.Proxy(address)
    return httpcore2.Proxy(
        httpcore2.URL(
            scheme=proxy.url.raw_scheme,
            host=proxy.url.raw_host,
            port=proxy.url.port,
            target=proxy.url.raw_path,
        ),
        auth=proxy.raw_auth,
    )


@contextmanager
def _as_httpx2() -> Iterator[None]:
    """Raise httpcore2's errors as the httpx2 errors of the same name."""
    try:
        yield
    except (
        httpcore2.NetworkError,
        httpcore2.ProtocolError,
        httpcore2.ProxyError,
        httpcore2.TimeoutException,
        httpcore2.UnsupportedProtocol,
    ) as error:
        kind: type[httpx2.TransportError] = getattr(httpx2, type(error).__name__)
        raise kind(str(error)) from error
