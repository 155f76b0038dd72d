"""Connections to addresses that were checked just before.

A name is resolved once, every address it leads to is checked, and the connection is made to one
of those very addresses: there is no second resolution that could answer differently. Whom we
are talking to is looked at once more. TLS is verified against the name, as httpcore2 does.
"""

import socket
import ssl
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from typing import Any

import httpcore2

from outbound.guard import AddressPolicy, AddressRefused, Resolver, as_address, checked_addresses
from outbound.networks import Address

MOST_ADDRESSES = 4  # of one name that are tried
LONGEST_SECONDS = 3600.0  # of one operation that nobody has limited
SocketOptions = Iterable[httpcore2.SOCKET_OPTION]

_ends_at: ContextVar[float] = ContextVar("ends_at", default=float("inf"))


class TlsFailed(Exception):
    """No trusted connection: certificate, name or protocol. The message is OpenSSL's reason."""


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """Let all network operations of this thread end after this many seconds altogether."""
    token = _ends_at.set(time.monotonic() + seconds)
    try:
        yield
    finally:
        _ends_at.reset(token)


def seconds_left(timeout: float | None) -> float:
    """Return the seconds one operation may take. Raises ReadTimeout when there are none."""
    left = _ends_at.get() - time.monotonic()
    if left <= 0:
        raise httpcore2.ReadTimeout("The exchange took too long.")
    return min(left, LONGEST_SECONDS if timeout is None else timeout)


class _Stream(httpcore2.NetworkStream):
    """A socket whose operations end with the exchange, and whose TLS faults have a name."""

    def __init__(self, inner: httpcore2.NetworkStream) -> None:
        self._inner = inner

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self._inner.read(max_bytes, seconds_left(timeout))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._inner.write(buffer, seconds_left(timeout))

    def close(self) -> None:
        connection = self._inner.get_extra_info("socket")
        with suppress(OSError):  # wakes a thread that waits for an answer; close alone does not
            connection.shutdown(socket.SHUT_RDWR)
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
                raise TlsFailed(_reason(error.__cause__)) from error
            raise

    def get_extra_info(self, info: str) -> Any:
        return self._inner.get_extra_info(info)


def _reason(error: ssl.SSLError) -> str:
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"The certificate is not trusted (X.509 error {error.verify_code})."
    return f"TLS failed ({error.reason or 'no reason given'})."


class ProxyBackend(httpcore2.NetworkBackend):
    """Connects to what the operator named, as it is: used towards a proxy."""

    def __init__(self) -> None:
        self._sockets = httpcore2.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: SocketOptions | None = None,
    ) -> httpcore2.NetworkStream:
        left = seconds_left(timeout)
        return _Stream(self._sockets.connect_tcp(host, port, left, local_address, socket_options))

    def connect_unix_socket(
        self,
        path: str,
        timeout: float | None = None,
        socket_options: SocketOptions | None = None,
    ) -> httpcore2.NetworkStream:
        raise AddressRefused("Sockets of this machine are not fetched from.")


class GuardedBackend(ProxyBackend):
    """Connects to checked addresses only."""

    def __init__(self, policy: AddressPolicy, resolver: Resolver) -> None:
        super().__init__()
        self._policy = policy
        self._resolver = resolver

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: SocketOptions | None = None,
    ) -> httpcore2.NetworkStream:
        with within(seconds_left(timeout)):
            addresses = checked_addresses(
                host,
                port,
                policy=self._policy,
                resolver=self._resolver,
                timeout=seconds_left(None),
            )
            return self._connect_to_one(addresses[:MOST_ADDRESSES], port, socket_options)

    def _connect_to_one(
        self, addresses: list[Address], port: int, options: SocketOptions | None
    ) -> httpcore2.NetworkStream:
        """Try the addresses in turn, each with its share of the time that is left."""
        for untried in range(len(addresses), 1, -1):
            address = addresses[-untried]
            try:
                return self._connect(address, port, seconds_left(None) / untried, options)
            except (httpcore2.ConnectError, httpcore2.ConnectTimeout):
                continue
        return self._connect(addresses[-1], port, seconds_left(None), options)

    def _connect(
        self, address: Address, port: int, timeout: float, options: SocketOptions | None
    ) -> httpcore2.NetworkStream:
        stream = super().connect_tcp(str(address), port, timeout, socket_options=options)
        peer = stream.get_extra_info("server_addr")
        if peer is None or as_address(str(peer[0])) != address:
            stream.close()
            raise AddressRefused("The connection led to another address than the one checked.")
        return stream
