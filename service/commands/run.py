"""changewire up, serve and worker: commands that run until they are stopped."""

from __future__ import annotations

import errno
import os
import signal
import socket
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from functools import partial
from multiprocessing import get_context
from typing import Annotated, TypeVar

import typer

from openapi.text import counted
from service import secret_key, server, signals, worker
from service import settings as configuration
from service.clock import clock
from service.commands import catalog, inputs, tables
from service.commands.output import CommandFailed, say
from service.demo import internet as demo_internet
from service.demo import sample_data
from service.demo import vendors as demo_vendors
from storage.catalog import sources
from storage.engine import database as databases
from storage.engine import write_probe

_T = TypeVar("_T")
Host = Annotated[str, typer.Option(help="The address to listen on.")]
Port = Annotated[int, typer.Option(min=1, max=65535, help="The port to listen on.")]
OFFLINE_SECONDS, ENOUGH = 30, 5  # and how many checks have to fail
PROGRAM = "CHANGEWIRE_CALLED_AS"  # set by the script of a checkout


def up(
    host: Host = "127.0.0.1",
    port: Port = 8080,
    *,
    no_ingest: Annotated[bool, typer.Option("--no-ingest", help="Do not check sources.")] = False,
    demo: Annotated[
        bool, typer.Option("--demo", help="Show invented vendors, offline. Nothing is stored.")
    ] = False,
) -> None:
    """Run everything: the API, the site and the workers. Example: changewire up --port 8081"""
    _require_free_port(host, port)
    address = _address(host, port)
    configuration.set_default("site_url", address)
    if demo:
        _show_demo(host, port, address)
        return
    _in_child(_load_catalog_if_empty)
    with (
        signals.stop_on_signals() as stop,
        metrics_folder(),
        inputs.opened() as (settings, database),
    ):

        def work() -> None:
            welcome = _welcome(settings, address)
            if not server.say_when_ready(host, port, stop, welcome) or no_ingest:
                return
            threading.Thread(target=say_if_offline, args=(database, stop), daemon=True).start()
            with worker.worker_thread(settings, database, stop):
                stop.wait()

        server.serve(host, port, stop, work)


def say_if_offline(database: databases.Database, stop: threading.Event) -> None:
    """Report that the network is missing if every check of the first half minute failed."""
    started = clock()
    if stop.wait(OFFLINE_SECONDS):
        return
    facts = tables.FetchFacts
    attempted = tables.select(facts.last_success_at).where(facts.last_attempt_at >= started)
    with database.read() as session:
        successes = session.scalars(attempted).all()
    if len(successes) >= ENOUGH and not any(at and at >= started for at in successes):
        program = os.environ.get(PROGRAM, "changewire")
        say(f"No vendor can be reached: check the network. {program} up --demo needs none.")


def _show_demo(host: str, port: int, address: str) -> None:
    """Serve two years of invented vendors, loaded while the server starts; nothing is kept."""
    products = demo_vendors.read_products()
    with (
        signals.stop_on_signals() as stop,
        metrics_folder(),
        sample_data.temporary_data(),
        inputs.opened(make=True, quiet=True) as (settings, database),
    ):
        secret_key.secret_key(settings)
        vendors = counted(len({product.vendor for product in products}), "invented vendor")
        say(f"Loading two years of changelogs from {vendors}...")

        def work() -> None:
            now = clock()
            sample_data.fill(settings, database, products, stop, now=now)
            if stop.is_set():
                return
            with database.write() as session:
                token, api_key = sample_data.add_visitor(session, now=clock())
            welcome = _demo_welcome(settings, address, token, api_key)
            if server.say_when_ready(host, port, stop, welcome):
                internet = demo_internet.InventedInternet(products, clock=clock, now=now)
                with worker.worker_thread(settings, database, stop, transport=internet):
                    stop.wait()

        server.serve(host, port, stop, work)


def serve(
    host: Host = "127.0.0.1",
    port: Port = 8080,
    workers: Annotated[int, typer.Option(min=1, max=64, help="Server processes.")] = 1,
) -> None:
    """Run the API and the site. Example: changewire serve --workers 4"""
    _require_free_port(host, port)
    address = _address(host, port)
    defaults = {"site_url": address, "server_processes": str(workers)}
    site, variables = _in_child(partial(_prepare, defaults))
    os.environ.update(variables)
    line = f"Serving {_site_and_address(site, address)}; press Ctrl+C to stop."
    os.environ["PYTHONPATH"] = os.pathsep.join(sys.path)
    program = sys.executable, "-Pm", "service.server", host, str(port), str(workers), line
    os.execv(program[0], program)  # noqa: S606 - no shell; it has half of the memory of this


def work(
    metrics_port: Annotated[
        int | None, typer.Option(min=1, max=65535, help="Serve metrics on this port of 127.0.0.1.")
    ] = None,
) -> None:
    """Check sources and send webhooks and digests. Example: changewire worker --metrics-port 9464

    On PostgreSQL any number of workers, on any number of machines, share the work.
    """
    if metrics_port is not None:
        _require_free_port(worker.METRICS_HOST, metrics_port)
    with signals.stop_on_signals() as stop, inputs.opened(working=True) as (settings, database):
        say("Checking sources and sending webhooks and digests; press Ctrl+C to stop.")
        worker.run_worker(settings, database, stop, metrics_port=metrics_port)


@contextmanager
def metrics_folder() -> Iterator[None]:
    """Give this process and its children one folder for their counters, before they are imported.

    One that the operator has named is kept, any other is removed (docs/decisions/0076).
    """
    configuration.use_temporary_folder(configuration.load_settings())
    with server.metrics_folder():
        yield


def _in_child(work: Callable[[], _T]) -> _T:
    """Return what a function returns; what it loads does not stay in this process.

    Ctrl+C ends both at once: an executor that is interrupted twice waits for its child for ever.
    """
    before, fork = signal.signal(signal.SIGINT, signal.SIG_DFL), get_context("fork")
    try:
        with ProcessPoolExecutor(1, fork, initializer=signals.exit_with_parent) as child:
            return child.submit(work).result()
    finally:
        signal.signal(signal.SIGINT, before)


def _prepare(defaults: Mapping[str, str]) -> tuple[str, dict[str, str]]:
    """Return the address of the site, and the variables that server processes are to have."""
    for name, text in defaults.items():
        configuration.set_default(name, text)
    with inputs.opened(make=True) as (settings, _):
        secret_key.secret_key(settings)  # fails here, not in a server process, if it cannot be kept
        return settings.site_url, dict(os.environ)


def _load_catalog_if_empty() -> None:
    with inputs.opened(migrate=True) as (settings, database):
        secret_key.secret_key(settings)
        if fault := write_probe.write_fault(database):
            raise CommandFailed(fault)
        with database.read() as session:
            if sources.count_sources(session):
                return
        say(f"Loaded {counted(catalog.load_shipped(database, settings).added, 'source')}.")


def _require_free_port(host: str, port: int) -> None:
    """Raise CommandFailed when the address cannot be bound."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            taken = error.errno == errno.EADDRINUSE
            advice = "stop what listens there, or choose another --port" if taken else "see --host"
            message = f"Port {port} on {host} cannot be used ({error.strerror}); {advice}."
            raise CommandFailed(message) from error


def _address(host: str, port: int) -> str:
    if host in {"0.0.0.0", "::"}:  # noqa: S104 - compared with an address, not bound to it
        host = "127.0.0.1"
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def _site_and_address(site: str, address: str) -> str:
    """Name the site, and the address that the server listens at if that is another one."""
    return site if site == address else f"{site}, listening at {address}"


def _welcome(settings: configuration.Settings, address: str) -> str:
    site, program = settings.site_url, os.environ.get(PROGRAM, "changewire")
    elsewhere = "" if site.endswith(":8080") else f"\n  commands  export CHANGEWIRE_SITE_URL={site}"
    return f"""Changewire runs at {_site_and_address(site, address)}. Press Ctrl+C to stop.
  pages     {site}/
  guide     {site}/guide/getting-started
  API       {site}/api/v1/sources
  contract  {site}/openapi.json
  sign in   {site}/auth/login
            (until CHANGEWIRE_SMTP_URL is set, mails are files in {settings.outbox})
  a key     {program} account create you@example.org --plan all
            {program} key create you@example.org --name mine{elsewhere}"""


def _demo_welcome(settings: configuration.Settings, address: str, token: str, api_key: str) -> str:
    site = settings.site_url
    return f"""The demo runs at {_site_and_address(site, address)}. Press Ctrl+C to stop.
The vendors are invented. All data is deleted when the demo stops.
  pages     {site}/
  sign in   {site}/auth/confirm?token={token}
            (once, within 15 minutes)
  a key     {api_key}
            (scopes {", ".join(sample_data.SCOPES)})
  API       curl -H 'X-Api-Key: {api_key}' '{site}/api/v1/deadlines'"""
