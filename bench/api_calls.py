"""Calling an application: in a process of its own without a server, or behind one.

Either way a round is the CPU time, user and system, that the answering side spent on a number of
requests; what the asking side spends is not counted.
"""

import asyncio
import gc
import http.client
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from specimen.serving import free_port

HERE = Path(__file__).parent
SERVER = """
from granian import Granian
from granian.constants import HTTPModes, Interfaces, Loops
import sys
Granian("peers.applications:application", address="127.0.0.1", port=int(sys.argv[1]),
        interface=Interfaces.ASGI, factory=True, workers=1, loop=Loops.asyncio,
        http=HTTPModes.http1, websockets=False, log_enabled=False).serve()
"""


@dataclass(frozen=True)
class Call:
    """A request."""

    target: str
    headers: Mapping[str, str]


@dataclass(frozen=True)
class Round:
    """What a number of requests cost: CPU seconds for each, and their last answer."""

    seconds: float
    status: int
    body: bytes
    etag: str | None


class InProcess:
    """An application in a child process, called as a server would call it."""

    def __init__(self, name: str, file: Path) -> None:
        parent_end, child_end = get_context("spawn").Pipe()
        self.name = name
        self._pipe = parent_end
        self._child = get_context("spawn").Process(target=_child, args=(child_end, name, str(file)))
        self._child.start()

    def round(self, call: Call, times: int) -> Round:
        """Call a number of times."""
        return self.many([call], times)

    def many(self, calls: list[Call], times: int) -> Round:
        """Call one after the other, all of them in turn."""
        self._pipe.send((calls, times))
        result = self._pipe.recv()
        assert isinstance(result, Round)
        return result

    def close(self) -> None:
        """End the child."""
        self._pipe.send(None)
        self._child.join(10)


def _child(pipe: Connection, name: str, file: str) -> None:
    os.environ["BENCH_APPLICATION"], os.environ["BENCH_DATABASE"] = name, file
    sys.path.insert(0, str(HERE))
    from peers.applications import application

    app = application()
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # logs are written, and read by nobody
    with asyncio.Runner() as runner:
        while (request := pipe.recv()) is not None:
            pipe.send(runner.run(_times(app, *request)))


async def _times(app: Any, calls: list[Call], times: int) -> Round:
    messages: list[Any] = []
    gc.collect()
    began = time.process_time()
    for turn in range(times):
        messages = await _once(app, calls[turn % len(calls)])
    seconds = (time.process_time() - began) / times
    headers = {name.lower(): value for name, value in messages[0]["headers"]}
    body = b"".join(answer.get("body", b"") for answer in messages[1:])
    etag = headers.get(b"etag")
    return Round(seconds, messages[0]["status"], body, None if etag is None else etag.decode())


async def _once(app: Any, call: Call) -> list[Any]:
    path, _, query = call.target.partition("?")
    headers = [(name.lower().encode(), value.encode()) for name, value in call.headers.items()]
    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": "GET",
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "query_string": query.encode(),
        "root_path": "",
        "headers": [(b"host", b"127.0.0.1"), *headers],
        "client": ("127.0.0.1", 40_000),
        "server": ("127.0.0.1", 80),
        "extensions": {},
        "state": {},
    }
    sent: list[Any] = []
    pending = [{"type": "http.request", "body": b"", "more_body": False}]

    async def receive() -> Any:
        if pending:
            return pending.pop()
        return await asyncio.Future()  # a client that stays

    async def send(message: Any) -> None:
        sent.append(message)

    await app(scope, receive, send)
    return sent


class Served:
    """An application behind granian with one worker, asked over one kept connection."""

    def __init__(self, name: str, file: Path) -> None:
        self.name = name
        self.port = free_port()
        self._server = subprocess.Popen(
            [sys.executable, "-c", SERVER, str(self.port)],
            cwd=HERE,
            env={
                **os.environ,
                "BENCH_APPLICATION": name,
                "BENCH_DATABASE": str(file),
                "PYTHONPATH": os.pathsep.join([str(HERE), str(HERE.parent)]),
            },
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        self._connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        self._wait()

    def _wait(self) -> None:
        for _ in range(300):
            try:
                self._connection.connect()
            except OSError:
                assert self._server.poll() is None, f"{self.name} did not start"
                time.sleep(0.1)
            else:
                return
        raise AssertionError(f"{self.name} does not listen")

    def round(self, call: Call, times: int) -> Round:
        """Ask a number of times."""
        return self.many([call], times)

    def many(self, calls: list[Call], times: int) -> Round:
        """Ask one after the other, all of them in turn."""
        began = self._cpu_seconds()
        for turn in range(times):
            call = calls[turn % len(calls)]
            self._connection.request("GET", call.target, headers=dict(call.headers))
            response = self._connection.getresponse()
            body = response.read()
        seconds = (self._cpu_seconds() - began) / times
        return Round(seconds, response.status, body, response.getheader("etag"))

    def _cpu_seconds(self) -> float:
        """Read nanoseconds of every thread where Linux has them; ticks of 10 ms are too coarse."""
        pids = [self._server.pid, *children(self._server.pid)]
        total = 0
        for pid in pids:
            for task in Path(f"/proc/{pid}/task").iterdir():
                total += int((task / "schedstat").read_text().split()[0])
        return total / 1e9

    def close(self) -> None:
        """Stop the server."""
        self._connection.close()
        self._server.terminate()
        self._server.wait(20)


def children(pid: int) -> list[int]:
    """Return the processes that a process started, and those that these started."""
    pids = []
    for task in Path(f"/proc/{pid}/task").iterdir():
        for child in (task / "children").read_text().split():
            pids += [int(child), *children(int(child))]
    return pids


@contextmanager
def callers(kind: type[InProcess] | type[Served], names: list[str], file: Path) -> Iterator[dict]:
    """Start applications side by side; stop them all."""
    applications = {name: kind(name, file) for name in names}
    try:
        yield applications
    finally:
        for application in applications.values():
            application.close()
