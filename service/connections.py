"""Connections of a server process: those that stall are ended, and at its end all are answered.

A thread looks twice a second at what the kernel knows of each: bytes received, bytes that wait
(docs/decisions/0199).
"""

import asyncio
import ctypes
import fcntl
import os
import signal
import socket
import struct
import termios
import threading
import time
from collections import Counter
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from itertools import chain
from pathlib import Path
from typing import Final, NamedTuple

import structlog
from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from handlers.context import Network
from handlers.http.client_ip import bucket_of, client_of
from handlers.waiters import Waiters
from service.signals import call_on_stop_signals

log = structlog.get_logger(__name__)

OF_ONE: Final = 100  # connections of an address, or a /64, from which on it has less patience
PATIENCE_SECONDS: Final = 15.0  # in which a client takes LEAST bytes of what waits for it
LITTLE_PATIENCE_SECONDS: Final = 2.0
LEAST: Final = 4096
DESCRIPTORS: Final = Path("/proc/self/fd")
DRAIN_SECONDS: Final = 1.0
"""How long a connection that was accepted may take to send a request once the process ends."""
INTERVAL_SECONDS: Final = 0.05
ATTACH_FILTER: Final = 26  # SO_ATTACH_FILTER
DROP_ALL: Final = ctypes.create_string_buffer(struct.pack("HBBI", 6, 0, 0, 0))
"""A packet filter of one instruction: return 0 bytes."""
BYTES_ACKED: Final = struct.Struct("@120xQ")  # in Linux' struct tcp_info


class Connection(NamedTuple):
    """A connection by its descriptor, with the bytes that were received and that wait."""

    number: int
    peer: tuple[str, int]
    received: int
    waiting: int


class ConnectionWatch:
    """Ends stalled connections among those that this process has accepted."""

    def __init__(self, trusted: Collection[Network] = ()) -> None:
        self._trusted = trusted
        self._progress: dict[tuple[str, int], tuple[float, int]] = {}  # since, received

    def check(self, *, now: float) -> int:
        """End the connections of clients that do not read; return how many."""
        for connection in (ended := self.stalled(accepted_connections(), now=now)):
            with suppress(OSError), borrowed_socket(connection.number) as own:
                if own.getpeername()[:2] == connection.peer:  # else its number is another's now
                    own.shutdown(socket.SHUT_RDWR)
        return len(ended)

    def stalled(self, connections: Collection[Connection], *, now: float) -> list[Connection]:
        """Return the connections to end: sooner where an address has too many of them."""
        before, self._progress = self._progress, {}
        for it in connections:
            since, received = before.get(it.peer, (now, it.received))
            if not it.waiting or it.received - received >= LEAST:
                since, received = now, it.received
            self._progress[it.peer] = since, received
        ended, counts = [], Counter(map(self._bucket, connections))
        for it in connections:
            is_crowd = counts[self._bucket(it)] > OF_ONE and not self._is_trusted(it)
            patience = LITTLE_PATIENCE_SECONDS if is_crowd else PATIENCE_SECONDS
            if now >= self._progress[it.peer][0] + patience:
                ended.append(it)
        return ended

    def _bucket(self, connection: Connection) -> str:
        return bucket_of(client_of(connection.peer[0], (), ()))

    def _is_trusted(self, connection: Connection) -> bool:
        client = client_of(connection.peer[0], (), ())
        return client is not None and any(client in network for network in self._trusted)

    def run(self) -> None:
        """Check for as long as this process lives."""
        while True:
            time.sleep(0.5)
            if ended := self.check(now=time.monotonic()):
                log.warning("clients do not read what they asked for", connections_ended=ended)


def accepted_connections() -> list[Connection]:
    """Return the connections to the ports that this process listens at."""
    listening: set[int] = set()
    connections: dict[int, list[Connection]] = {}  # by port
    for name in os.listdir(DESCRIPTORS):  # noqa: PTH208 - a path object each takes longer
        with suppress(OSError), borrowed_socket(int(name)) as own:
            if own.family not in (socket.AF_INET, socket.AF_INET6):
                continue
            if own.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN):
                listening.add(own.getsockname()[1])
                continue
            info = own.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, BYTES_ACKED.size)
            (waiting,) = struct.unpack("i", fcntl.ioctl(own, termios.TIOCOUTQ, bytes(4)))
            peer, (received,) = own.getpeername()[:2], BYTES_ACKED.unpack(info)
            connection = Connection(int(name), peer, received, waiting)
            connections.setdefault(own.getsockname()[1], []).append(connection)
    return list(chain.from_iterable(map(connections.__getitem__, listening & connections.keys())))


@contextmanager
def borrowed_socket(number: int) -> Iterator[socket.socket]:
    """Yield a descriptor as a socket and never close it, which would end SQLite's locks on a file.

    Raises OSError for what is not a socket.
    """
    own = socket.socket(fileno=number)
    try:
        yield own
    finally:
        own.detach()


def watch_connections(trusted: Collection[Network]) -> None:
    """Watch for as long as this process lives, where the kernel reports them (Linux)."""
    if DESCRIPTORS.is_dir() and hasattr(socket, "TCP_INFO"):
        run = ConnectionWatch(trusted).run
        threading.Thread(target=run, name="connections", daemon=True).start()


def draining(app: ASGIApp, waiters: Waiters) -> ASGIApp:
    """Return an application that ends well: at SIGTERM its process takes no more connections.

    Requests on those that it has are answered, and each is closed after its answer. Requests that
    wait for something new wait no longer. The lifespan begins once the server's loop has its
    signals.
    """

    async def pass_on(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            if DESCRIPTORS.is_dir():
                _drain_at_sigterm(asyncio.get_running_loop())
            call_on_stop_signals(waiters.stop)

        async def send_last(message: Message) -> None:
            if waiters.stopping and message["type"] == "http.response.start":
                MutableHeaders(scope=message)["Connection"] = "close"
            await send(message)

        await app(scope, receive, send_last)

    return pass_on


def _drain_at_sigterm(loop: asyncio.AbstractEventLoop) -> None:
    """Take the place of the server's handler of SIGTERM; its handler of SIGINT ends it at last."""
    tasks: list[asyncio.Task[None]] = []

    def begin() -> None:
        if not tasks:
            tasks.append(loop.create_task(_drain()))

    loop.add_signal_handler(signal.SIGTERM, begin)


async def _drain() -> None:
    refuse_connections()
    until = time.monotonic() + DRAIN_SECONDS
    while time.monotonic() < until and accepted_connections():
        await asyncio.sleep(INTERVAL_SECONDS)
    signal.raise_signal(signal.SIGINT)


def refuse_connections() -> None:
    """Take no more connections at the sockets that this process listens at.

    To close or shut down such a socket would reset connections that the kernel has accepted and the
    server has not. So the socket stays, and the kernel drops what arrives at it.
    """
    program = struct.pack("HP", 1, ctypes.addressof(DROP_ALL))
    for name in os.listdir(DESCRIPTORS):  # noqa: PTH208 - as above
        with suppress(OSError), borrowed_socket(int(name)) as own:
            if own.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN):
                own.setsockopt(socket.SOL_SOCKET, ATTACH_FILTER, program)
