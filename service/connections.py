"""Connections whose clients do not read their responses are ended (docs/decisions/0199).

The server waits for as long as a client likes. The kernel knows how many bytes of each connection
have been received and how many wait, so a thread looks at all of them twice a second.
"""

import fcntl
import os
import socket
import struct
import termios
import threading
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import structlog

from handlers.context import Network
from handlers.http.client_ip import bucket_of, client_of

log = structlog.get_logger(__name__)

PLACES: Final = 1024
"""Connections that a process of the server holds at a time."""
OF_ONE: Final = 100
"""Connections of an address, or a /64, from which on the shorter timeout holds."""
PATIENCE: Final = 15.0
"""Seconds in which a client has to take ``LEAST`` bytes of what waits for it."""
LITTLE_PATIENCE: Final = 2.0
"""The same while its address, or the whole server, has too many connections."""
LEAST: Final = 4096
INTERVAL: Final = 0.5
DESCRIPTORS: Final = Path("/proc/self/fd")
BYTES_ACKED: Final = struct.Struct("@120xQ")
"""Where ``struct tcp_info`` of Linux says how many bytes the client has received."""


@dataclass(frozen=True, slots=True)
class Connection:
    """A connection as the kernel sees it: bytes that were received, bytes that wait.

    ``number`` is that of its descriptor.
    """

    number: int
    peer: tuple[str, int]
    received: int
    waiting: int


@dataclass(frozen=True, slots=True)
class Progress:
    """Since when a client has received fewer than ``LEAST`` bytes, and its total at that time."""

    since: float
    received: int


def progress_of(connection: Connection, before: Progress | None, *, now: float) -> Progress:
    """Return the progress of a client; where no bytes wait, it is up to date."""
    is_moving = before is None or connection.received - before.received >= LEAST
    if is_moving or not connection.waiting:
        return Progress(now, connection.received)
    assert before is not None
    return before


def stalled(
    connections: Sequence[Connection],
    progress: Mapping[tuple[str, int], Progress],
    trusted: Collection[Network],
    *,
    now: float,
) -> list[Connection]:
    """Return the connections to end: sooner where there are too many of them."""
    is_full = len(connections) > PLACES * 3 // 4
    crowds = _crowds(connections, trusted)

    def patience(connection: Connection) -> float:
        is_crowd = connection.peer[0] in crowds
        return LITTLE_PATIENCE if is_crowd or is_full else PATIENCE

    return [
        connection
        for connection in connections
        if now - progress[connection.peer].since >= patience(connection)
    ]


def _crowds(connections: Sequence[Connection], trusted: Collection[Network]) -> set[str]:
    """Return the peers whose clients have too many connections, but for trusted proxies.

    Hundreds of connections have few addresses, so each is parsed once.
    """
    peers = Counter(connection.peer[0] for connection in connections)
    addresses = {peer: client_of(peer, (), ()) for peer in peers}
    clients = Counter[str]()
    for peer, count in peers.items():
        clients[bucket_of(addresses[peer])] += count
    return {
        peer
        for peer, address in addresses.items()
        if clients[bucket_of(address)] > OF_ONE
        and not (address is not None and any(address in network for network in trusted))
    }


class ConnectionWatch:
    """Ends stalled connections among those that this process has accepted."""

    def __init__(self, trusted: Collection[Network] = ()) -> None:
        self._trusted = trusted
        self._progress: dict[tuple[str, int], Progress] = {}

    def check(self, *, now: float) -> int:
        """End the connections of clients that do not read; return how many."""
        connections = accepted_connections()
        self._progress = {
            of.peer: progress_of(of, self._progress.get(of.peer), now=now) for of in connections
        }
        ended = stalled(connections, self._progress, self._trusted, now=now)
        for connection in ended:
            end(connection)
        return len(ended)

    def run(self, stop: threading.Event, clock: Callable[[], float] = time.monotonic) -> None:
        """Check until told to stop."""
        while not stop.wait(INTERVAL):
            ended = self.check(now=clock())
            if ended:
                log.warning("clients do not read what they asked for", connections_ended=ended)


def accepted_connections() -> list[Connection]:
    """Return the connections to the ports that this process listens at."""
    listening, connections = set(), []
    for name in os.listdir(DESCRIPTORS):  # noqa: PTH208 - a path object each takes longer
        with suppress(OSError), borrowed_socket(int(name)) as own:
            if own.family not in (socket.AF_INET, socket.AF_INET6):
                continue
            port = own.getsockname()[1]
            if own.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN):
                listening.add(port)
            else:
                peer = own.getpeername()[:2]
                accepted = Connection(int(name), peer, _received(own), _waiting(own))
                connections.append((port, accepted))
    return [connection for port, connection in connections if port in listening]


def end(connection: Connection) -> None:
    """End a connection, unless its number is another's by now."""
    with suppress(OSError), borrowed_socket(connection.number) as own:
        if own.getpeername()[:2] == connection.peer:
            own.shutdown(socket.SHUT_RDWR)


@contextmanager
def borrowed_socket(number: int) -> Iterator[socket.socket]:
    """Give a descriptor of the server's as a socket, and never close it or a copy of it.

    It may be a file of SQLite: to close any descriptor of a file ends all locks that this process
    has on it (fcntl(2)), and its readers would see nothing new, or less than whole pages.
    Raises OSError for what is no socket.
    """
    own = socket.socket(fileno=number)
    try:
        yield own
    finally:
        own.detach()


def _received(connection: socket.socket) -> int:
    info = connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, BYTES_ACKED.size)
    return int(BYTES_ACKED.unpack(info)[0])


def _waiting(connection: socket.socket) -> int:
    """Return how many bytes the client has not received (SIOCOUTQ)."""
    return int(struct.unpack("i", fcntl.ioctl(connection, termios.TIOCOUTQ, bytes(4)))[0])


def watch_connections(trusted: Collection[Network]) -> None:
    """Watch for as long as this process lives, where the kernel tells (Linux)."""
    if DESCRIPTORS.is_dir() and hasattr(socket, "TCP_INFO"):
        watch = ConnectionWatch(trusted)
        threading.Thread(
            target=watch.run, args=(threading.Event(),), name="connections", daemon=True
        ).start()
