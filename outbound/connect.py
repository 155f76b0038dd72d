"""Connections to addresses that were checked just before.

A name is resolved once, every address it leads to is checked, and the connection is made to one
of those very addresses: there is no second resolution that could answer differently. Whom we
are talking to is looked at once more. TLS is verified against the name.
"""

import select
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from typing import TYPE_CHECKING, Final

from outbound.faults import Disconnected, TimedOut, TlsFailed
from outbound.guard import AddressPolicy, AddressRefused, Resolver, as_address, checked_addresses
from outbound.networks import Address

if TYPE_CHECKING:
    import ssl  # loaded by whoever has a context, once there is an https address

MOST_ADDRESSES: Final = 4  # of one name that are tried
LONGEST_SECONDS: Final = 3600.0  # of one operation that nobody has limited
READ_AT_ONCE: Final = 64 * 1024  # bytes

_ends_at: ContextVar[float] = ContextVar("ends_at", default=float("inf"))


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """Let all network operations of this thread end after this many seconds altogether."""
    token = _ends_at.set(time.monotonic() + seconds)
    try:
        yield
    finally:
        _ends_at.reset(token)


def seconds_left(timeout: float | None) -> float:
    """Return the seconds one operation may take. Raises TimedOut when there are none."""
    left = _ends_at.get() - time.monotonic()
    if left <= 0:
        raise TimedOut("The exchange took too long.")
    return min(left, LONGEST_SECONDS if timeout is None else timeout)


class Stream:
    """A connected socket whose operations end with the exchange, and whose faults are ours."""

    def __init__(self, connected: socket.socket) -> None:
        self._socket = connected
        self._limit = connected.gettimeout()
        self._interrupted = False

    def read(self, timeout: float | None) -> bytes:
        """Return the next bytes, none at the end. Raises TimedOut and Disconnected."""
        try:
            self._limit_to(seconds_left(timeout))
            return self._socket.recv(READ_AT_ONCE)
        except TimeoutError as error:
            raise TimedOut("The answer did not go on.") from error
        except OSError as error:
            raise Disconnected("The connection was lost.") from error

    def write(self, buffer: bytes, timeout: float | None) -> None:
        """Send bytes. Raises TimedOut and Disconnected."""
        try:
            self._limit_to(seconds_left(timeout))
            self._socket.sendall(buffer)
        except TimeoutError as error:
            raise TimedOut("The request was not taken.") from error
        except OSError as error:
            raise Disconnected("The connection was lost.") from error

    def start_tls(self, context: "ssl.SSLContext", host: str, timeout: float | None) -> None:
        """Go on over TLS with the server of this name. Raises TlsFailed and as write does."""
        import ssl

        try:
            self._limit_to(seconds_left(timeout))
            tls = context.wrap_socket(
                self._socket, server_hostname=host, do_handshake_on_connect=False
            )
            self._socket = tls
            if self._interrupted:  # maybe before it was this socket
                self.interrupt()
            tls.do_handshake()
        except ssl.SSLError as error:
            raise TlsFailed(reason_of(error)) from error
        except TimeoutError as error:
            raise TimedOut("TLS did not begin.") from error
        except (OSError, ValueError) as error:  # ValueError: no name that TLS knows
            raise Disconnected("The connection was lost.") from error

    def interrupt(self) -> None:
        """End what another thread waits for, and all that it begins; it closes the connection."""
        self._interrupted = True
        with suppress(OSError):  # TLS's own shutdown would let that thread go on without TLS
            socket.socket.shutdown(self._socket, socket.SHUT_RDWR)

    def close(self) -> None:
        """Close the connection."""
        self._socket.close()

    def peer(self) -> str:
        """Return the address at the other end."""
        return str(self._socket.getpeername()[0])

    @property
    def has_something_to_say(self) -> bool:
        """Whether bytes or the end have come that nobody asked for."""
        poll = select.poll()
        poll.register(self._socket, select.POLLIN)
        return bool(poll.poll(0))

    def _limit_to(self, seconds: float) -> None:
        if seconds != self._limit:  # each change is a call of the system
            self._limit = seconds
            self._socket.settimeout(seconds)


def reason_of(error: "ssl.SSLError") -> str:
    """Return in a sentence why TLS failed."""
    code = getattr(error, "verify_code", None)
    if code is not None:
        return f"The certificate is not trusted (X.509 error {code})."
    return f"TLS failed ({error.reason or 'no reason given'})."


class Connector:
    """Connects to checked addresses only."""

    def __init__(self, policy: AddressPolicy, resolver: Resolver) -> None:
        self._policy = policy
        self._resolver = resolver

    def connect(self, host: str, port: int, timeout: float | None) -> Stream:
        """Return a connection to one of the host's addresses within ``timeout`` seconds.

        Raises AddressRefused, NameUnresolved, TimedOut and Disconnected.
        """
        with within(seconds_left(timeout)):
            addresses = checked_addresses(
                host,
                port,
                policy=self._policy,
                resolver=self._resolver,
                timeout=seconds_left(None),
            )
            return self._connected_to_one(addresses[:MOST_ADDRESSES], port)

    def _connected_to_one(self, addresses: list[Address], port: int) -> Stream:
        """Try the addresses in turn, each with its share of the time that is left."""
        for untried in range(len(addresses), 1, -1):
            address = addresses[-untried]
            try:
                return self._connected(address, port, seconds_left(None) / untried)
            except (Disconnected, TimedOut):
                continue
        return self._connected(addresses[-1], port, seconds_left(None))

    def _connected(self, address: Address, port: int, seconds: float) -> Stream:
        stream = self._opened(address, port, seconds)
        try:
            same = as_address(stream.peer()) == address
        except OSError as error:
            stream.close()
            raise Disconnected("The connection was lost.") from error
        if not same:
            stream.close()
            raise AddressRefused("The connection led to another address than the one checked.")
        return stream

    def _opened(self, address: Address, port: int, seconds: float) -> Stream:
        family = socket.AF_INET if address.version == 4 else socket.AF_INET6
        opened = socket.socket(family, socket.SOCK_STREAM)
        try:
            opened.settimeout(seconds)
            opened.connect((str(address), port))
        except OSError as error:
            opened.close()
            if isinstance(error, TimeoutError):
                raise TimedOut("No connection in time.") from error
            raise Disconnected("The connection was refused.") from error
        return Stream(opened)
