"""Runs of the suite: its checks on an application in process, and the command on a served one."""

import asyncio
import importlib
import inspect
import json
import pkgutil
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import pytest
import uvicorn
from specimen.serving import CHANGEWIRE
from starlette.testclient import TestClient
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol

import conformance.checks
from conformance import site as sites
from conformance.callers import find_callers
from conformance.hooks import audience
from conformance.probe import Probe
from openapi.contract import load_contract

BASE_PATH = "/api/v1"
UNFINISHED_SECONDS = 2
_MODULES = [
    importlib.import_module(f"conformance.checks.{module.name}")
    for module in pkgutil.iter_modules(conformance.checks.__path__)
    if module.name != "test_every_operation"
]
CHECKS: Mapping[str, Callable[[Probe], None]] = {
    name.removeprefix("test_"): check
    for module in _MODULES
    for name, check in vars(module).items()
    if name.startswith("test_") and name != "test_a_raw_request_is_answered"
}
"""Every named check, by its name."""


@contextmanager
def opened(app: ASGIApp) -> Iterator[sites.Site]:
    """An application in process, as the checks reach a site."""
    address = "http://localhost"
    with TestClient(app, base_url=address, raise_server_exceptions=False) as client:
        yield sites.Site(client, address, base_path=BASE_PATH)


def probes_of(opened_site, site, names, now, contract=None) -> list[Probe]:
    """The public, and the holders of some keys, on an open site."""
    callers = tuple(find_callers(opened_site, [site.keys[name] for name in names]))
    return [
        Probe(
            opened_site, caller, callers, now, contract or load_contract(),
            dead_keys=site.dead_keys, session=site.session, limited_keys=site.limited_keys,
        )
        for caller in callers
    ]  # fmt: skip


def faults_found(check: Callable[[Probe], None], probes: list[Probe]) -> list[str]:
    """Return what a check finds with the requests of all callers that it is about."""
    [about] = inspect.signature(check).parameters
    chosen = audience(about, tuple(probe.caller for probe in probes))
    found = []
    for probe in probes:
        if probe.caller in chosen:
            try:
                check(probe)
            except pytest.skip.Exception:
                continue
            except Exception as error:  # noqa: BLE001 - an answer of another shape is one too
                found.append(f"{probe.caller.name}: {error!r}")
    return found


class Impatient(H11Protocol):
    """Closes a connection whose first request is not whole in time; uvicorn itself never does."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self.loop.call_later(UNFINISHED_SECONDS, self._end_unfinished)

    def _end_unfinished(self) -> None:
        if self.cycle is None or self.cycle.more_body:
            self.transport.close()


@contextmanager
def listening(app: ASGIApp) -> Iterator[str]:
    """An application behind a server that is not the service's own; gives its address."""
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    config = uvicorn.Config(app, http=Impatient, interface="asgi3", log_level="critical")
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, args=([listener],), daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    server.should_exit = True
    thread.join()


def conformance_of(url: str, *options: str) -> dict[str, Any]:
    """Run the command on a site; return its report and its exit status."""
    command = [*CHANGEWIRE, "conformance", "--url", url, "--json", *options]
    done = subprocess.run(command, capture_output=True, text=True, timeout=550)
    assert done.stdout.startswith("{"), done.stdout + done.stderr
    return {**json.loads(done.stdout), "status": done.returncode, "text": done.stdout}
