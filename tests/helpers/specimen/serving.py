"""Programs that listen on loopback: the service as an operator starts it, and others."""

import os
import random
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.error import HTTPError, URLError
from urllib.request import urlopen

LONGEST = 240
"""Seconds until a program has to answer."""
PROGRAM = "from service.cli import main; main()"
"""What Python runs for ``changewire``."""
CHANGEWIRE = (sys.executable, "-c", PROGRAM)
"""The command ``changewire``, run by this Python."""


@contextmanager
def serve(
    database_url: str, folder: Path, settings: Mapping[str, str] | None = None
) -> Iterator[str]:
    """The service over a database, as a process of its own; gives the site's address.

    ``settings`` are further ones. What it says is in ``service.log`` of the folder.
    """
    environment = {
        "CHANGEWIRE_DATABASE_URL": database_url,
        "CHANGEWIRE_SECRET_KEY": "x" * 32,
        "CHANGEWIRE_LOG_LEVEL": "warning",
        **(settings or {}),
    }
    port = free_port()
    command = [*CHANGEWIRE, "serve", "--port", str(port)]
    log = folder / "service.log"
    with listening(command, port, "/api/v1/sources", log, environment) as url:
        yield url


@contextmanager
def listening(
    command: Sequence[str],
    port: int,
    path: str,
    log: Path,
    environment: Mapping[str, str] | None = None,
) -> Iterator[str]:
    """Run a program until the block ends, once it answers; what it says is written to a file."""
    with log.open("wb") as written:
        program = subprocess.Popen(
            command,
            env={**os.environ, **(environment or {})},
            stdout=written,
            stderr=subprocess.STDOUT,
            cwd=log.parent,
            start_new_session=True,
        )
    try:
        wait_for(f"http://127.0.0.1:{port}{path}", program, log)
        yield f"http://127.0.0.1:{port}"
    finally:
        program.terminate()
        try:
            program.wait(timeout=15)
        except subprocess.TimeoutExpired:
            os.killpg(program.pid, signal.SIGKILL)
            program.wait()


def free_port() -> int:
    """Return a loopback port that nothing listens on.

    It lies below those that the system gives to connections, so that no other program gets it
    between this call and the start of the server.
    """
    while True:
        port = random.randint(15_000, 31_000)
        with socket.socket() as probe, suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port


def wait_for(url: str, program: subprocess.Popen[bytes], log: Path) -> None:
    """Return as soon as anything is answered."""
    until = time.monotonic() + LONGEST
    while time.monotonic() < until and program.poll() is None:
        try:
            urlopen(url, timeout=5).close()
        except HTTPError as answer:
            answer.close()
        except (URLError, OSError):
            time.sleep(0.2)
            continue
        return
    raise AssertionError(f"nothing answers at {url}:\n{log.read_text(errors='replace')[-3000:]}")
