"""Connections whose clients do not read their responses are ended (docs/decisions/0199).

A thread looks twice a second at what the kernel knows of each: bytes received, bytes that wait.
"""

import fcntl
import os
import socket
import struct
import termios
import threading
import time
from collections import Counter
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final, NamedTuple

import structlog

from handlers.context import Network
from handlers.http.client_ip import bucket_of, client_of

log = structlog.get_logger(__name__)

PLACES: Final = 1024  # connections that a process of the server holds at a time
OF_ONE: Final = 100  # connections of an address, or a /64, from which on it has less patience
PATIENCE_SECONDS: Final = 15.0  # in which a client takes LEAST bytes of what waits for it
LITTLE_PATIENCE_SECONDS: Final = 2.0
LEAST: Final = 4096
DESCRIPTORS: Final = Path("/proc/self/fd")
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
        clients = {peer: client_of(peer, (), ()) for peer in {it.peer[0] for it in connections}}
        counts = Counter(bucket_of(clients[it.peer[0]]) for it in connections)
        patience = dict.fromkeys(clients, PATIENCE_SECONDS)
        for peer, client in clients.items():
            is_trusted = client is not None and any(client in each for each in self._trusted)
            if counts[bucket_of(client)] > OF_ONE and not is_trusted:
                patience[peer] = LITTLE_PATIENCE_SECONDS
        ends = {peer: since + patience[peer[0]] for peer, (since, _) in self._progress.items()}
        return [it for it in connections if now >= ends[it.peer]]

    def run(self) -> None:
        """Check for as long as this process lives."""
        while True:
            time.sleep(0.5)
            if ended := self.check(now=time.monotonic()):
                log.warning("clients do not read what they asked for", connections_ended=ended)


def accepted_connections() -> list[Connection]:
    """Return the connections to the ports that this process listens at."""
    listening, connections = set(), []
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
            connections.append((own.getsockname()[1], connection))
    return [connection for port, connection in connections if port in listening]


@contextmanager
def borrowed_socket(number: int) -> Iterator[socket.socket]:
    """Give a descriptor as a socket and never close it, which would end SQLite's locks on a file.

    Raises OSError for what is no socket.
    """
    own = socket.socket(fileno=number)
    try:
        yield own
    finally:
        own.detach()


def watch_connections(trusted: Collection[Network]) -> None:
    """Watch for as long as this process lives, where the kernel tells (Linux)."""
    if DESCRIPTORS.is_dir() and hasattr(socket, "TCP_INFO"):
        run = ConnectionWatch(trusted).run
        threading.Thread(target=run, name="connections", daemon=True).start()
