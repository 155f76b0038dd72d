"""The server: granian in front of the application."""

import multiprocessing
import socket
from collections.abc import Callable

from granian import Granian
from granian.constants import HTTPModes, Interfaces, Loops
from granian.http import HTTP1Settings

HEADER_DEADLINE_MS = 5_000
KILL_AFTER_SECONDS = 8  # a half-open client must not keep a server from stopping
BACKPRESSURE = 256


class PortTaken(Exception):
    """Something else listens on the port."""


def require_free_port(host: str, port: int) -> None:
    """Raise PortTaken when the address cannot be bound."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            raise PortTaken(
                f"Port {port} on {host} cannot be used ({error.strerror}); "
                "stop what listens there or name another with --port."
            ) from error


def serve(
    host: str, port: int, *, workers: int = 1, on_startup: Callable[[], None] | None = None
) -> None:
    """Serve until a signal comes; the application is built in each worker process.

    Workers are begun anew, not forked: beside threads that write, a fork would take over locks of
    SQLite that nobody ever gives back.
    """
    multiprocessing.set_start_method("spawn", force=True)
    server = Granian(
        "service.app:from_environment",
        address=host,
        port=port,
        interface=Interfaces.ASGI,
        factory=True,
        workers=workers,
        loop=Loops.asyncio,
        http=HTTPModes.http1,
        http1_settings=HTTP1Settings(header_read_timeout=HEADER_DEADLINE_MS),
        websockets=False,
        backpressure=BACKPRESSURE,
        workers_kill_timeout=KILL_AFTER_SECONDS,
        respawn_failed_workers=True,
        log_enabled=False,
    )
    if on_startup is not None:
        server.on_startup(on_startup)
    server.serve()
