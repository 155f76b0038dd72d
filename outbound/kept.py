"""Connections that are open: each for one exchange at a time, a few of them kept for the next.

A sweep asks thousands of hosts once each. A pool that looks at all its connections at every
request, to see which of them still live, costs more than the requests do; here a connection is
looked at when its own origin is asked again.
"""

import ssl
from collections.abc import Callable, Iterator
from threading import Lock

import httpcore2

KEEP_ALIVE_SECONDS = 5.0
KEPT_ALIVE = 16
Origin = tuple[bytes, bytes, int]


class Connections:
    """Opens, keeps and closes connections; shared by the threads of a process."""

    def __init__(self, *, ssl_context: ssl.SSLContext, backend: httpcore2.NetworkBackend) -> None:
        """Open connections through ``backend``, which decides where they may lead."""
        self._ssl_context = ssl_context
        self._backend = backend
        self._changing = Lock()
        self._idle: list[tuple[Origin, httpcore2.HTTPConnection]] = []  # the longest idle first
        self._busy: set[httpcore2.HTTPConnection] = set()
        self._closed = False

    def handle_request(self, request: httpcore2.Request) -> httpcore2.Response:
        """Send a request over a connection of its own. Raises what httpcore2 raises.

        The connection is kept, or closed, when the answer is closed.
        """
        origin = request.url.origin
        key = origin.scheme, origin.host, origin.port
        connection = self._kept(key) or self._new(origin)
        try:
            answer = connection.handle_request(request)
        except BaseException:
            self._drop(connection)
            raise
        body = _Body(answer, lambda: self._ended(connection, key))
        return httpcore2.Response(
            status=answer.status,
            headers=answer.headers,
            content=body,
            extensions=answer.extensions,
        )

    def close(self) -> None:
        """Close every connection, those of exchanges under way too; none is opened any more."""
        with self._changing:
            self._closed = True
            open_ones = [*(each for _, each in self._idle), *self._busy]
            self._idle.clear()
            self._busy.clear()
        for connection in open_ones:
            connection.close()

    def _kept(self, key: Origin) -> httpcore2.HTTPConnection | None:
        """Return the connection that was used last, of those that still live."""
        while True:
            with self._changing:
                places = [at for at, (origin, _) in enumerate(self._idle) if origin == key]
                if not places:
                    return None
                _, connection = self._idle.pop(places[-1])
                self._busy.add(connection)
            if not connection.has_expired():
                return connection
            self._drop(connection)

    def _new(self, origin: httpcore2.Origin) -> httpcore2.HTTPConnection:
        connection = httpcore2.HTTPConnection(
            origin=origin,
            ssl_context=self._ssl_context,
            keepalive_expiry=KEEP_ALIVE_SECONDS,
            network_backend=self._backend,
        )
        with self._changing:
            if self._closed:
                raise httpcore2.ConnectError("The connections are closed.")
            self._busy.add(connection)
        return connection

    def _ended(self, connection: httpcore2.HTTPConnection, key: Origin) -> None:
        """Keep a connection whose exchange is over, if it can be used again."""
        if not connection.is_idle():
            self._drop(connection)
            return
        surplus = None
        with self._changing:
            if connection not in self._busy:
                return  # all were closed meanwhile
            self._busy.discard(connection)
            self._idle.append((key, connection))
            if len(self._idle) > KEPT_ALIVE:
                _, surplus = self._idle.pop(0)
        if surplus is not None:
            surplus.close()

    def _drop(self, connection: httpcore2.HTTPConnection) -> None:
        with self._changing:
            self._busy.discard(connection)
        connection.close()


class _Body:
    """The bytes of an answer; ``ended`` is called once, when they are read or given up."""

    def __init__(self, answer: httpcore2.Response, ended: Callable[[], None]) -> None:
        self._answer = answer
        self._ended = ended
        self._closed = False

    def __iter__(self) -> Iterator[bytes]:
        yield from self._answer.iter_stream()

    def close(self) -> None:
        if not self._closed:
            self._closed = True
            try:
                self._answer.close()
            finally:
                self._ended()
