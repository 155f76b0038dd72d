"""The server: granian in front of the application; run by itself, HOST PORT WORKERS LINE serve."""

import multiprocessing
import os
import resource
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from functools import partial
from tempfile import TemporaryDirectory
from typing import Any

from granian import Granian
from granian.constants import HTTPModes, Interfaces, Loops
from granian.http import HTTP1Settings

from service.signals import ignore_stop_signals, stop_on_signals

PLACES = 1024  # connections that a process of the server holds at a time
HEADER_DEADLINE_MS = 5_000
KILL_AFTER_SECONDS = 8  # a half-open client must not keep a server from stopping


def say_when_ready(host: str, port: int, stop: threading.Event, line: str) -> bool:
    """Print a line on stderr once the server responds; return False if it is stopped first."""
    answer = b""
    while not (answer or stop.wait(0.1)):
        with suppress(OSError), socket.create_connection((host, port), timeout=5) as asking:
            asking.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            answer = asking.recv(1)
    if answer:
        sys.stderr.write(f"{line}\n")
    return bool(answer)


def serve(
    host: str, port: int, stop: threading.Event, work: Callable[[], object], *, workers: int = 1
) -> None:
    """Serve, and work in a thread, until stopped or the work fails."""
    server = _granian(host, port, workers)
    server.on_startup(ignore_stop_signals)  # in place of the handlers it has just set
    interrupt: Callable[[], None] = server.signal_handler_interrupt

    def interrupt_on_stop() -> None:
        stop.wait()
        interrupt()

    def run() -> None:
        try:
            work()
            stop.wait()
        finally:
            stop.set()

    with ThreadPoolExecutor(2, "beside the server") as pool:
        pool.submit(interrupt_on_stop)
        done = pool.submit(run)
        try:
            server.serve()
        finally:
            stop.set()
    done.result()


def _granian(host: str, port: int, workers: int) -> Any:
    """Return a server whose processes are spawned, not forked.

    A fork while other threads write would inherit locks of SQLite that are never released.
    """
    multiprocessing.set_start_method("spawn", force=True)
    _allow_descriptors()
    return Granian(
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
        backpressure=PLACES,
        workers_kill_timeout=KILL_AFTER_SECONDS,
        respawn_failed_workers=True,
        log_enabled=False,
    )


@contextmanager
def metrics_folder() -> Iterator[None]:
    """Give this process and its children one folder for their counters, unless one is named."""
    with TemporaryDirectory(prefix="changewire-metrics-") as folder:
        os.environ.setdefault("PROMETHEUS_MULTIPROC_DIR", folder)
        yield


def _allow_descriptors() -> None:
    """Raise the limit of open files: one for each connection, and as many for everything else."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = 2 * PLACES if hard == resource.RLIM_INFINITY else min(2 * PLACES, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


if __name__ == "__main__":
    with stop_on_signals() as stop_event, metrics_folder():
        at = sys.argv[1], int(sys.argv[2]), stop_event
        serve(*at, partial(say_when_ready, *at, sys.argv[4]), workers=int(sys.argv[3]))
