"""Through the operator's proxy: httpcore2 speaks with it, since proxies have rules of their own."""

import ssl
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final

import httpcore2
import httpx2

from outbound.addresses import WebAddress
from outbound.connect import reason_of, seconds_left
from outbound.exchange import Answered, Fields, Timeouts
from outbound.faults import Disconnected, Fault, NotHttp, ProxyRefused, TimedOut, TlsFailed
from outbound.guard import AddressRefused
from outbound.kept import KEEP_ALIVE_SECONDS, KEPT_ALIVE

_FAULTS: Final[Mapping[type[Exception], type[Fault]]] = {
    httpcore2.TimeoutException: TimedOut,
    httpcore2.NetworkError: Disconnected,
    httpcore2.ProtocolError: NotHttp,
    httpcore2.ProxyError: ProxyRefused,
}


class Proxied:
    """Exchanges through one proxy."""

    def __init__(self, proxy: str, ssl_context: ssl.SSLContext) -> None:
        self._pool = httpcore2.ConnectionPool(
            ssl_context=ssl_context,
            proxy=_as_proxy(proxy),
            max_connections=None,  # the client counts connections per host
            max_keepalive_connections=KEPT_ALIVE,
            keepalive_expiry=KEEP_ALIVE_SECONDS,
            network_backend=_Backend(),
        )

    def ask(
        self,
        method: str,
        address: WebAddress,
        fields: Fields,
        content: bytes | None,
        timeouts: Timeouts,
    ) -> Answered:
        """Send a request. Raises a Fault."""
        length = [] if content is None else [(b"Content-Length", b"%d" % len(content))]
        request = httpcore2.Request(
            method=method,
            url=httpcore2.URL(
                scheme=address.scheme.encode(),
                host=address.host.encode(),
                port=address.port,
                target=address.request_target.encode(),
            ),
            headers=[(b"Host", address.authority.encode()), *fields, *length],
            content=content,
            extensions={"timeout": dict(timeouts)},
        )
        with _in_our_words():
            answer = self._pool.handle_request(request)
        close = _in_our_words()(answer.close)
        return Answered(answer.status, answer.headers, _content(answer), close)

    def close(self) -> None:
        """Close every connection."""
        self._pool.close()


class _Stream(httpcore2.NetworkStream):
    """A socket whose operations end with the exchange, and whose TLS faults have a name."""

    def __init__(self, inner: httpcore2.NetworkStream) -> None:
        self._inner = inner

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self._inner.read(max_bytes, seconds_left(timeout))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._inner.write(buffer, seconds_left(timeout))

    def close(self) -> None:
        self._inner.close()

    def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> httpcore2.NetworkStream:
        try:
            return _Stream(
                self._inner.start_tls(ssl_context, server_hostname, seconds_left(timeout))
            )
        except httpcore2.ConnectError as error:
            if isinstance(error.__cause__, ssl.SSLError):
                raise TlsFailed(reason_of(error.__cause__)) from error
            raise

    def get_extra_info(self, info: str) -> Any:
        return self._inner.get_extra_info(info)


class _Backend(httpcore2.NetworkBackend):
    """Connects to what the operator named, as it is."""

    def __init__(self) -> None:
        self._sockets = httpcore2.SyncBackend()

    def connect_tcp(
        self, host: str, port: int, timeout: float | None = None, *arguments: Any, **named: Any
    ) -> httpcore2.NetworkStream:
        left = seconds_left(timeout)
        return _Stream(self._sockets.connect_tcp(host, port, left, *arguments, **named))

    def connect_unix_socket(self, path: str, *_: Any, **__: Any) -> httpcore2.NetworkStream:
        raise AddressRefused("Sockets of this machine are not fetched from.")


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


def _content(answer: httpcore2.Response) -> Iterator[bytes]:
    with _in_our_words():
        yield from answer.iter_stream()


@contextmanager
def _in_our_words() -> Iterator[None]:
    """Raise httpcore2's errors as faults."""
    try:
        yield
    except tuple(_FAULTS) as error:
        fault = next(ours for kind, ours in _FAULTS.items() if isinstance(error, kind))
        raise fault(str(error)) from error
