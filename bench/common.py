"""Shared by the programs of this folder: options, a server on trial, usage of processes.

Importing it puts the product and tests/helpers on the path, so it comes before both.
"""

import argparse
import http.client
import os
import subprocess
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parent
PATHS = (str(HERE), str(ROOT), str(ROOT / "libraries"), str(ROOT / "tests/helpers"))
sys.path += PATHS[1:]
SERVER = """
import sys
from granian import Granian
from granian.constants import Interfaces
Granian(sys.argv[1], port=int(sys.argv[2]), interface=Interfaces.ASGI, factory=True, workers=1,
        websockets=False, log_enabled=False).serve()
"""


def parser_of(doc: str | None, **numbers: float) -> argparse.ArgumentParser:
    """Return a parser described by a docstring, with an option for each number and its default."""
    parser = argparse.ArgumentParser(
        description=doc, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    for name, default in numbers.items():
        parser.add_argument(f"--{name}", type=type(default), default=default)
    return parser


class Application:
    """An ASGI application behind one granian worker, called over one connection.

    ``factory`` is the MODULE:FUNCTION that makes it. ``beside`` is a process that works for it.
    """

    def __init__(
        self, factory: str, port: int, settings: Mapping[str, str], beside: int | None = None
    ) -> None:
        self._server = subprocess.Popen(
            [sys.executable, "-c", SERVER, factory, str(port)],
            env={**os.environ, **settings, "PYTHONPATH": os.pathsep.join(PATHS)},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        self._beside = beside
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
        for _ in range(600):
            try:
                self._connection.connect()
            except OSError:
                assert self._server.poll() is None, f"{factory} did not start"
                time.sleep(0.1)
            else:
                return
        raise AssertionError(f"{factory} does not listen")

    def get(self, target: str, headers: Mapping[str, str]) -> bytes:
        """Return the body of a response of 200."""
        self._connection.request("GET", target, headers=dict(headers))
        response = self._connection.getresponse()
        body = response.read()
        assert response.status == 200, f"{target}: {response.status} {body[:300]!r}"
        return body

    def each(
        self, targets: Sequence[str], headers: Mapping[str, str], times: int
    ) -> list[tuple[float, float]]:
        """Return the CPU seconds and the seconds of each of so many requests for the targets."""
        figures = []
        for turn in range(times):
            used, began = self._used(), time.perf_counter()
            self.get(targets[turn % len(targets)], headers)
            passed = time.perf_counter() - began
            figures.append((self._used() - used, passed))
        return figures

    def _used(self) -> float:
        used = seconds_of_tree(self._server.pid)
        return used + (seconds_of_tree(self._beside) if self._beside else 0)

    def resident_bytes(self) -> int:
        """Return the resident memory of all its processes."""
        pids = [self._server.pid, *descendants(self._server.pid)]
        pages = sum(int(Path(f"/proc/{pid}/statm").read_text().split()[1]) for pid in pids)
        return pages * os.sysconf("SC_PAGE_SIZE")

    def close(self) -> None:
        """Stop the server."""
        self._connection.close()
        self._server.terminate()
        self._server.wait(30)


def seconds_of_tree(pid: int) -> float:
    """Return the CPU seconds of a process and its descendants, to the microsecond."""
    total = 0
    for each in (pid, *descendants(pid)):
        for task in Path(f"/proc/{each}/task").iterdir():
            total += int((task / "schedstat").read_text().split()[0])
    return total / 1e9


def quantile(values: Iterable[float], part: float) -> float:
    """Return the value that a part of the values do not exceed."""
    ordered = sorted(values)
    return ordered[min(int(len(ordered) * part), len(ordered) - 1)]


def descendants(pid: int) -> list[int]:
    """Return the processes that a process started, and those that these started."""
    pids = []
    for task in Path(f"/proc/{pid}/task").iterdir():
        for child in (task / "children").read_text().split():
            pids += [int(child), *descendants(int(child))]
    return pids
