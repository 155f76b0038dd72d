"""An httpx2 transport that connects to public addresses only, or to the operator's proxy."""

import ssl
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from types import MappingProxyType
from typing import Final

import httpcore2
import httpx2

from outbound.backend import DirectBackend, GuardedBackend
from outbound.content_coding import ContentTooLarge
from outbound.deadline import seconds_left
from outbound.guard import (
    AddressPolicy,
    AddressRefused,
    NameUnresolved,
    Resolver,
    checked_addresses,
)

KEEP_ALIVE_SECONDS: Final = 5.0
MOST_IDLE: Final = 4
"""Idle connections that are kept: at each request the library asks the system about all of them."""
_WITHOUT_CONTENT: Final = frozenset({204, 304})
_LOCAL_NAMES = (".localhost", ".local", ".internal", ".home.arpa", ".test", ".invalid")
_ERRORS: Final[Mapping[type[Exception], type[httpx2.TransportError]]] = MappingProxyType(
    {
        httpcore2.TimeoutException: httpx2.TimeoutException,
        httpcore2.ProxyError: httpx2.ProxyError,
        httpcore2.LocalProtocolError: httpx2.LocalProtocolError,
        httpcore2.RemoteProtocolError: httpx2.RemoteProtocolError,
        httpcore2.ConnectError: httpx2.ConnectError,
        httpcore2.NetworkError: httpx2.NetworkError,
    }
)


Transport = httpx2.BaseTransport
"""What sends requests."""


class GuardedTransport(Transport):
    """Sends requests to public addresses, or through the operator's proxy.

    A proxy resolves names itself, so the address it connects to is not visible here. The name is
    still resolved and checked first, and private addresses are refused; a name that only the proxy
    can resolve is passed on unless its form is local. Only the proxy's own rules protect against
    names that change between the two resolutions (rebinding): the operator's guide says so.
    """

    def __init__(
        self,
        policy: AddressPolicy,
        *,
        resolver: Resolver,
        ssl_context: ssl.SSLContext | None = None,
        max_bytes: int,
        proxy: str | None = None,
    ) -> None:
        """``ssl_context`` replaces the system's certificates."""
        self._policy = policy
        self._resolver = resolver
        self._max_bytes = max_bytes
        self._has_proxy = proxy is not None
        self._backend = GuardedBackend(policy, resolver) if proxy is None else DirectBackend()
        self._pool = httpcore2.ConnectionPool(
            ssl_context=ssl_context or httpx2.create_ssl_context(trust_env=False),
            proxy=None if proxy is None else _proxy(proxy),
            max_connections=None,  # the client counts the connections to each host
            max_keepalive_connections=MOST_IDLE,
            keepalive_expiry=KEEP_ALIVE_SECONDS,
            network_backend=self._backend,
        )

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send a request. Raises httpx2's errors, AddressRefused, NameUnresolved and TlsFailed."""
        with _errors_of_httpx2():
            if self._has_proxy:
                self._check_before_proxy(request.url)
            response = self._pool.handle_request(
                httpcore2.Request(
                    method=request.method,
                    url=_core_url(request.url),
                    headers=request.headers.raw,
                    content=request.stream,
                    extensions=request.extensions,
                )
            )
        if response.status in _WITHOUT_CONTENT and _announces_content(response):
            # Some servers send content here, which would be read as the next response.
            response.extensions["network_stream"].close()
        return httpx2.Response(
            response.status,
            headers=response.headers,
            stream=_Body(response, self._max_bytes),
            extensions=response.extensions,
        )

    def close(self) -> None:
        """Close every connection; requests under way end at once."""
        self._backend.close()
        self._pool.close()

    def _check_before_proxy(self, url: httpx2.URL) -> None:
        host = url.raw_host.decode("ascii")
        port = url.port or (443 if url.scheme == "https" else 80)
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


class _Body(httpx2.SyncByteStream):
    """The undecoded content of a response, at most ``max_bytes``."""

    def __init__(self, response: httpcore2.Response, max_bytes: int) -> None:
        self._response = response
        self._max_bytes = max_bytes

    def __iter__(self) -> Iterator[bytes]:
        received = 0
        with _errors_of_httpx2():
            for chunk in self._response.iter_stream():
                received += len(chunk)
                if received > self._max_bytes:
                    raise ContentTooLarge
                yield chunk

    def close(self) -> None:
        with _errors_of_httpx2():
            self._response.close()


def _announces_content(response: httpcore2.Response) -> bool:
    fields = {name.lower(): value for name, value in response.headers}
    return b"transfer-encoding" in fields or fields.get(b"content-length", b"0") != b"0"


def _core_url(url: httpx2.URL) -> httpcore2.URL:
    return httpcore2.URL(
        scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path
    )


def _proxy(address: str) -> httpcore2.Proxy:
    proxy = httpx2.Proxy(address)
    return httpcore2.Proxy(_core_url(proxy.url), auth=proxy.raw_auth)


@contextmanager
def _errors_of_httpx2() -> Iterator[None]:
    """Raise httpcore2's errors as httpx2's."""
    try:
        yield
    except tuple(_ERRORS) as error:
        matching = next(
            httpx2_error
            for core_error, httpx2_error in _ERRORS.items()
            if isinstance(error, core_error)
        )
        raise matching(str(error)) from error
