"""Sends requests through httpcore2 to public addresses only, or to the operator's proxy.

The text of an address is checked first: no vendor's has what is refused (docs/decisions/0020).
"""

import re
import ssl
from collections.abc import Iterable, Mapping
from typing import Final, Protocol

import httpcore2
import httpx2

from outbound.backend import Backend, seconds_left
from outbound.guard import (
    AddressPolicy,
    AddressRefused,
    ExchangeFailed,
    Resolver,
    checked_addresses,
)

LONGEST_URL: Final = 2048
SCHEMES: Final = frozenset({"http", "https"})
_PLAIN: Final = re.compile(
    r"https?://(?:\[[0-9a-fA-F:.]+\]|[^\[\]/?#@:%\\\s]+)(?::[0-9]+)?(?:[/?][!-~]*)?"
)
KEEP_ALIVE_SECONDS: Final = 5.0
MOST_IDLE: Final = 4
"""Idle connections that are kept: at each request the library asks the system about all of them."""
_WITHOUT_CONTENT: Final = frozenset({204, 304})
_REASONS: Final = (
    (httpcore2.TimeoutException, "The server did not respond in time."),
    (httpcore2.UnsupportedProtocol, "This is not a web address."),
    (httpcore2.ProtocolError, "The response was cut off or is not HTTP."),
    (httpcore2.ProxyError, "The outgoing proxy refused the request."),
    (httpcore2.ConnectError, "Could not connect to the server."),
    (httpcore2.NetworkError, "The connection was lost."),
    (OSError, "The connection was lost."),
)
_LOCAL_NAMES = (".localhost", ".local", ".internal", ".home.arpa", ".test", ".invalid")


def check_url(text: str) -> httpx2.URL:
    """Return the URL without its fragment.

    Raises AddressRefused. The client connects to the object returned, so that no second parser
    can read the text differently.
    """
    try:
        url = httpx2.URL(text)
        if "#" in str(url):
            url = url.copy_with(fragment=None)
    except (httpx2.InvalidURL, ValueError, TypeError) as error:
        raise AddressRefused("This is not a web address.") from error
    if url.scheme not in SCHEMES:
        raise AddressRefused("Only http and https addresses are allowed.")
    if url.userinfo:
        raise AddressRefused("An address must not contain a user or password.")
    if not _PLAIN.fullmatch(str(url)) or max(len(text), len(str(url))) > LONGEST_URL:
        raise AddressRefused("This is not a web address.")
    if url.port is not None and not 0 < url.port < 65536:
        raise AddressRefused("The port is not valid.")
    return url


def reason_of(error: Exception) -> str | None:
    """Return the sentence that says why a request failed; None for an error of our own."""
    if isinstance(error, AddressRefused | ExchangeFailed):
        return str(error)
    return next((reason for kind, reason in _REASONS if isinstance(error, kind)), None)


def join_url(base: httpx2.URL, reference: str) -> httpx2.URL:
    """Resolve a reference in a document at ``base``. Raises AddressRefused."""
    try:
        joined = str(base.join(reference))
    except (httpx2.InvalidURL, ValueError) as error:
        raise AddressRefused("This is not a web address.") from error
    return check_url(joined)


def origin_of(url: httpx2.URL) -> tuple[str, bytes, int | None]:
    """Return scheme, host and port of an address (RFC 6454); the scheme's own port is None."""
    return url.scheme, url.raw_host, url.port


class Transport(Protocol):
    """The sender of requests."""

    def handle_request(self, request: httpcore2.Request) -> httpcore2.Response:
        """Send a request; the caller closes the response."""

    def close(self) -> None:
        """Close every connection."""


class GuardedTransport:
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
        proxy: str | None = None,
    ) -> None:
        """``ssl_context`` replaces the system's certificates."""
        self._policy = policy
        self._resolver = resolver
        self._has_proxy = proxy is not None
        self._backend = Backend(policy if proxy is None else None, resolver)
        self._pool = httpcore2.ConnectionPool(
            ssl_context=ssl_context or httpx2.create_ssl_context(trust_env=False),
            proxy=None if proxy is None else _proxy(proxy),
            max_connections=None,  # the client counts the connections to each host
            max_keepalive_connections=MOST_IDLE,
            keepalive_expiry=KEEP_ALIVE_SECONDS,
            network_backend=self._backend,
        )

    def handle_request(self, request: httpcore2.Request) -> httpcore2.Response:
        """Send a request. Raises httpcore2's errors, AddressRefused and ExchangeFailed."""
        if self._has_proxy:
            self._check_before_proxy(request.url)
        response = self._pool.handle_request(request)
        if response.status in _WITHOUT_CONTENT and _announces_content(response):
            # Some servers send content here, which would be read as the next response.
            response.extensions["network_stream"].close()
        return response

    def close(self) -> None:
        """Close all connections and abort requests."""
        self._backend.close()
        self._pool.close()

    def _check_before_proxy(self, url: httpcore2.URL) -> None:
        host, port = url.host.decode("ascii"), url.origin.port
        try:
            checked_addresses(
                host, port, policy=self._policy, resolver=self._resolver, timeout=seconds_left(None)
            )
        except ExchangeFailed as error:
            name = host.rstrip(".").lower()
            if "." not in name or name.endswith(_LOCAL_NAMES):
                raise AddressRefused("The name is a local one.") from error
            if port not in self._policy.ports:
                raise AddressRefused(f"Port {port} is not allowed on public addresses.") from error


def _announces_content(response: httpcore2.Response) -> bool:
    fields = {name.lower(): value for name, value in response.headers}
    return b"transfer-encoding" in fields or fields.get(b"content-length", b"0") != b"0"


def request_for(
    url: httpx2.URL,
    *,
    method: str = "GET",
    headers: Iterable[tuple[bytes, bytes]],
    content: bytes | None = None,
    timeouts: Mapping[str, float | None],
) -> httpcore2.Request:
    """Return a request to an address that was checked (``outbound.transport``).

    ``timeouts`` are seconds to ``connect``, ``read`` and ``write``.
    """
    fields = [(b"Host", url.netloc), *headers]
    if content is not None:
        fields.append((b"Content-Length", str(len(content)).encode("ascii")))
    return httpcore2.Request(
        method, _core_url(url), headers=fields, content=content, extensions={"timeout": timeouts}
    )


def _core_url(url: httpx2.URL) -> httpcore2.URL:
    return httpcore2.URL(
        scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path
    )


def _proxy(address: str) -> httpcore2.Proxy:
    proxy = httpx2.Proxy(address)
    return httpcore2.Proxy(_core_url(proxy.url), auth=proxy.raw_auth)
