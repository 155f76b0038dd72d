"""Connections that are open: each for one exchange at a time, a few of them kept for the next.

A sweep asks thousands of hosts once each. A pool that looks at all its connections at every
request, to see which of them still live, costs more than the requests do; here a connection is
looked at when its own origin is asked again.
"""

import time
from collections.abc import Callable
from functools import partial
from threading import Lock
from typing import TYPE_CHECKING, Final

from outbound.connect import Connector, Stream
from outbound.exchange import Answered, Exchange, Timeouts, exchanged
from outbound.faults import Disconnected

if TYPE_CHECKING:
    import ssl

KEEP_ALIVE_SECONDS: Final = 5.0
KEPT_ALIVE: Final = 16
Origin = tuple[str, str, int]


class Connection:
    """A connection to an origin, opened by its first exchange."""

    def __init__(self, origin: Origin) -> None:
        self.origin = origin
        self._stream: Stream | None = None
        self._interrupted = False
        self._idle_until = 0.0

    def exchange(
        self,
        request: bytes,
        timeouts: Timeouts,
        *,
        connector: Connector,
        tls: Callable[[], "ssl.SSLContext"],
    ) -> Exchange:
        """Send a request. Raises a Fault, AddressRefused and NameUnresolved."""
        scheme, host, port = self.origin
        if self._stream is None:
            self._stream = connector.connect(host, port, timeouts.get("connect"))
            if self._interrupted:  # while there was none
                raise Disconnected("The connections are closed.")
            if scheme == "https":
                self._stream.start_tls(tls(), host, timeouts.get("connect"))
        return exchanged(self._stream, request, timeouts)

    def rest(self) -> None:
        """Begin to wait for the next exchange."""
        self._idle_until = time.monotonic() + KEEP_ALIVE_SECONDS

    @property
    def is_alive(self) -> bool:
        """Whether an idle connection can be used again."""
        waited = time.monotonic() > self._idle_until
        return not waited and self._stream is not None and not self._stream.has_something_to_say

    def interrupt(self) -> None:
        """End the exchange that another thread is in the middle of; it closes the connection."""
        self._interrupted = True
        if self._stream is not None:
            self._stream.interrupt()

    def close(self) -> None:
        """Close the connection."""
        if self._stream is not None:
            self._stream.close()


class Connections:
    """Opens, keeps and closes connections; shared by the threads of a process."""

    def __init__(self, *, tls: Callable[[], "ssl.SSLContext"], connector: Connector) -> None:
        """Open connections through ``connector``, which decides where they may lead.

        ``tls`` is asked for its context when there is an https address.
        """
        self._tls = tls
        self._connector = connector
        self._changing = Lock()
        self._idle: list[Connection] = []  # the longest idle first
        self._busy: set[Connection] = set()
        self._closed = False

    def ask(self, origin: Origin, request: bytes, timeouts: Timeouts) -> Answered:
        """Send a request over a connection of its own, which is kept or closed after the answer.

        Raises a Fault, AddressRefused and NameUnresolved.
        """
        connection = self._kept(origin) or self._new(origin)
        try:
            exchange = connection.exchange(
                request, timeouts, connector=self._connector, tls=self._tls
            )
        except BaseException:
            self._drop(connection)
            raise
        ended = partial(self._ended, connection, exchange)
        return Answered(exchange.status, exchange.fields, iter(exchange), ended)

    def close(self) -> None:
        """Close every connection, those of exchanges under way too; none is opened any more."""
        with self._changing:
            self._closed = True
            idle, busy = [*self._idle], [*self._busy]
            self._idle.clear()
            self._busy.clear()
        for connection in idle:
            connection.close()
        for connection in busy:
            connection.interrupt()

    def _kept(self, origin: Origin) -> Connection | None:
        """Return the connection that was used last, of those that still live."""
        while True:
            with self._changing:
                places = [at for at, each in enumerate(self._idle) if each.origin == origin]
                if not places:
                    return None
                connection = self._idle.pop(places[-1])
                self._busy.add(connection)
            if connection.is_alive:
                return connection
            self._drop(connection)

    def _new(self, origin: Origin) -> Connection:
        connection = Connection(origin)
        with self._changing:
            if self._closed:
                raise Disconnected("The connections are closed.")
            self._busy.add(connection)
        return connection

    def _ended(self, connection: Connection, exchange: Exchange) -> None:
        """Keep a connection whose exchange is over, if it can be used again."""
        if not (exchange.ended and exchange.may_be_kept):
            self._drop(connection)
            return
        connection.rest()
        surplus = None
        with self._changing:
            if self._closed:
                surplus = connection
            else:
                self._busy.discard(connection)
                self._idle.append(connection)
                if len(self._idle) > KEPT_ALIVE:
                    surplus = self._idle.pop(0)
        if surplus is not None:
            surplus.close()

    def _drop(self, connection: Connection) -> None:
        with self._changing:
            self._busy.discard(connection)
        connection.close()
