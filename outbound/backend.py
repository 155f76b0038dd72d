"""Network backends of the HTTP client that connect to checked addresses only.

A name is resolved once, each of its addresses is checked, and the connection is made to one of
those: there is no second resolution that could return another address. The address of the peer is
checked once more. The library does TLS and verifies the certificate against the name.
All network operations of a request together have one time limit.
"""

import socket
import ssl
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from threading import Lock
from typing import Any, Final
from weakref import WeakSet

import httpcore2

from outbound.guard import (
    Address,
    AddressPolicy,
    AddressRefused,
    ExchangeFailed,
    Resolver,
    as_address,
    checked_addresses,
)

LONGEST_OPERATION_SECONDS: Final = 3600.0  # where no other limit is set

_ends_at: ContextVar[float] = ContextVar("ends_at", default=float("inf"))
MOST_ADDRESSES: Final = 4  # of one name to try
_CERTIFICATE_FAULTS: Final = {  # by the numbers of OpenSSL
    9: "is not valid yet",
    10: "has expired",
    18: "is self-signed",
    **dict.fromkeys((19, 20, 21), "is not signed by a trusted authority"),
    **dict.fromkeys((62, 64), "is for another host"),
}


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """Limit the time of all network operations of this thread inside the block together."""
    token = _ends_at.set(min(time.monotonic() + seconds, _ends_at.get()))
    try:
        yield
    finally:
        _ends_at.reset(token)


def seconds_left(timeout: float | None) -> float:
    """Return the timeout of one operation. Raises httpcore2.TimeoutException after the limit."""
    remaining = _ends_at.get() - time.monotonic()
    if remaining <= 0:
        raise httpcore2.TimeoutException("The exchange took too long.")
    return min(remaining, LONGEST_OPERATION_SECONDS if timeout is None else timeout)


class Backend(httpcore2.NetworkBackend):
    """Connects to addresses that a policy allows, until it is closed.

    Without a policy it connects to any, such as the operator's proxy.
    """

    def __init__(self, policy: AddressPolicy | None, resolver: Resolver) -> None:
        self._policy = policy
        self._resolver = resolver
        self._sockets = httpcore2.SyncBackend()
        self._lock = Lock()
        self._streams: WeakSet[Stream] = WeakSet()
        self._closed = False

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Any = None,
    ) -> httpcore2.NetworkStream:
        """Connect to one of the host's addresses within ``timeout`` seconds.

        Raises httpcore2's ConnectError and TimeoutException; with a policy also AddressRefused
        and ExchangeFailed.
        """
        if self._policy is None:
            return self._open(host, port, seconds_left(timeout))
        with within(seconds_left(timeout)):
            addresses = checked_addresses(
                host, port, policy=self._policy, resolver=self._resolver, timeout=seconds_left(None)
            )[:MOST_ADDRESSES]
            for untried in range(len(addresses), 1, -1):  # each has its share of the time left
                with suppress(httpcore2.ConnectError, httpcore2.ConnectTimeout):
                    return self._connect_to(addresses[-untried], port, seconds_left(None) / untried)
            return self._connect_to(addresses[-1], port, seconds_left(None))

    def connect_unix_socket(
        self, path: str, timeout: float | None = None, socket_options: Any = None
    ) -> httpcore2.NetworkStream:
        """Refuse Unix sockets."""
        raise AddressRefused("Unix sockets are not fetched from.")

    def close(self) -> None:
        """Interrupt every operation under way and refuse new connections."""
        with self._lock:
            self._closed = True
            streams = list(self._streams)
        for stream in streams:
            stream.interrupt()

    def _connect_to(self, address: Address, port: int, seconds: float) -> "Stream":
        stream = self._open(str(address), port, seconds)
        try:
            is_checked = as_address(stream.get_extra_info("server_addr")[0]) == address
        except OSError as error:
            stream.close()
            raise httpcore2.ConnectError("The connection was lost.") from error
        if not is_checked:
            stream.close()
            raise AddressRefused("The connection led to another address than the one checked.")
        return stream

    def _open(self, host: str, port: int, seconds: float) -> "Stream":
        stream = Stream(self._sockets.connect_tcp(host, port, seconds))
        with self._lock:
            self._streams.add(stream)
            closed = self._closed
        if closed:
            stream.close()
            raise httpcore2.ConnectError("The client is closed.")
        return stream


class Stream(httpcore2.NetworkStream):
    """A connection that keeps the exchange's time limit and that another thread can close."""

    def __init__(self, inner: httpcore2.NetworkStream) -> None:
        self._inner = inner
        self._in_use = Lock()
        # TLS takes the socket away from its object; a duplicate can be shut down all the same.
        self._duplicate: socket.socket = inner.get_extra_info("socket").dup()

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        """Return the next bytes, none at the end."""
        with self._in_use:
            return self._inner.read(max_bytes, seconds_left(timeout))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        """Send bytes."""
        with self._in_use:
            self._inner.write(buffer, seconds_left(timeout))

    def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> httpcore2.NetworkStream:
        """Start TLS with the server of this name. Raises ExchangeFailed."""
        try:
            with self._in_use:
                self._inner = self._inner.start_tls(
                    ssl_context, server_hostname, seconds_left(timeout)
                )
        except Exception as error:
            self.close()
            if isinstance(error.__cause__, ssl.SSLError):
                raise ExchangeFailed("tls", _reason(error.__cause__, server_hostname)) from error
            if isinstance(error, ValueError):  # no name that TLS knows
                raise httpcore2.ConnectError("TLS cannot be used with this name.") from error
            raise
        return self

    def get_extra_info(self, info: str) -> Any:
        """Return a property of the socket by httpcore2's name for it."""
        return self._inner.get_extra_info(info)

    def interrupt(self) -> None:
        """Shut the socket down, which ends operations of other threads too."""
        with suppress(OSError):
            self._duplicate.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """Close the connection; an operation of another thread ends first."""
        self.interrupt()
        with self._in_use:  # a descriptor must not be closed under a thread that reads from it
            self._inner.close()
        self._duplicate.close()


def _reason(error: ssl.SSLError, host: str | None) -> str:
    """Return a sentence that says why TLS failed."""
    code = getattr(error, "verify_code", None)
    if code is not None:
        fault = _CERTIFICATE_FAULTS.get(code, f"is not valid (X.509 error {code})")
        return f"The certificate of {host} {fault}."
    reason = (error.reason or "no reason given").lower().replace("_", " ")
    return f"No TLS connection to {host} could be made ({reason})."
