"""The server: granian in front of the application; run by itself, HOST PORT WORKERS serve."""

import multiprocessing
import os
import resource
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from tempfile import TemporaryDirectory

from granian import Granian
from granian.constants import HTTPModes, Interfaces, Loops
from granian.http import HTTP1Settings

from service.signals import ignore_stop_signals, stop_on_signals

PLACES = 1024  # connections that a process of the server holds at a time
HEADER_DEADLINE_MS = 5_000
KILL_AFTER_SECONDS = 8  # a half-open client must not keep a server from stopping


def serve(host: str, port: int, stop: threading.Event, *, workers: int = 1) -> None:
    """Serve until told to stop; the application is built in each worker process.

    Workers are spawned, not forked: a fork while other threads write would inherit locks of SQLite
    that are never released.
    """
    multiprocessing.set_start_method("spawn", force=True)
    _allow_descriptors()
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
        backpressure=PLACES,
        workers_kill_timeout=KILL_AFTER_SECONDS,
        respawn_failed_workers=True,
        log_enabled=False,
    )
    server.on_startup(ignore_stop_signals)  # in place of the handlers it has just set

    interrupt: Callable[[], None] = server.signal_handler_interrupt

    def interrupt_on_stop() -> None:
        stop.wait()
        interrupt()

    interrupter = threading.Thread(target=interrupt_on_stop, name="interrupter")
    interrupter.start()
    try:
        server.serve()
    finally:
        stop.set()
        interrupter.join()


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
    with metrics_folder(), stop_on_signals() as stop_event:
        serve(sys.argv[1], int(sys.argv[2]), stop_event, workers=int(sys.argv[3]))
