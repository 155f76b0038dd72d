"""changewire up, serve and worker: commands that run until they are stopped."""

import errno
import os
import socket
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager, nullcontext
from tempfile import TemporaryDirectory
from typing import Annotated

import typer
from sqlalchemy import select

from openapi.text import counted
from service.clock import clock
from service.commands.catalog import load_shipped
from service.commands.inputs import opened
from service.commands.output import CommandFailed, say
from service.demo.internet import InventedInternet
from service.demo.sample_data import add_visitor, fill, temporary_data
from service.demo.vendors import Product, read_products
from service.secret_key import secret_key
from service.server import serve as serve_until_stopped
from service.settings import Settings, load_settings, set_default, use_temporary_folder
from service.signals import stop_on_signals
from storage.catalog.sources import count_sources
from storage.engine.database import Database
from storage.models import FetchFacts

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
        bool, typer.Option("--demo", help="Use invented vendors; no network, nothing is kept.")
    ] = False,
) -> None:
    """Run everything: the API, the site and the workers. Example: changewire up --port 8081"""
    _require_free_port(host, port)
    address = _address(host, port)
    set_default("site_url", address)
    if demo:
        _show_demo(host, port, address)
        return
    with metrics_folder(), opened(make=True, migrate=True) as (settings, database):
        secret_key(settings)  # fails here, not in a server process, if it cannot be kept
        _load_catalog_if_empty(settings, database)
        with stop_on_signals() as stop:
            say(_welcome(settings, address))
            if not no_ingest:
                offline = threading.Thread(target=say_if_offline, args=(database, stop))
                offline.daemon = True
                offline.start()
            with nullcontext() if no_ingest else _worker_thread(settings, database, stop):
                serve_until_stopped(host, port, stop)


def say_if_offline(database: Database, stop: threading.Event) -> None:
    """Say that the network is missing if every check of the first half minute failed."""
    started = clock()
    if stop.wait(OFFLINE_SECONDS):
        return
    attempted = select(FetchFacts.last_success_at).where(FetchFacts.last_attempt_at >= started)
    with database.read() as session:
        successes = session.scalars(attempted).all()
    if len(successes) >= ENOUGH and not any(at and at >= started for at in successes):
        program = os.environ.get(PROGRAM, "changewire")
        say(f"No vendor can be reached: check the network. {program} up --demo needs none.")


def _show_demo(host: str, port: int, address: str) -> None:
    """Serve two years of invented vendors from data that is removed at the end.

    They are read while the server starts.
    """
    products = read_products()
    with metrics_folder(), temporary_data(), opened(make=True) as (settings, database):
        secret_key(settings)
        vendors = counted(len({product.vendor for product in products}), "invented vendor")
        with stop_on_signals() as stop, ThreadPoolExecutor(1, "demo") as pool:
            say(f"Reading two years of {vendors}; this takes some seconds ...")
            reading = pool.submit(_read_demo, settings, database, stop, products, address)
            serve_until_stopped(host, port, stop)
        reading.result()


def _read_demo(
    settings: Settings,
    database: Database,
    stop: threading.Event,
    products: Sequence[Product],
    address: str,
) -> None:
    """Check sources until told to stop."""
    now = clock()
    try:
        fill(settings, database, products, stop, now=now)
        if stop.is_set():
            return
        with database.write() as session:
            token, api_key = add_visitor(session, now=clock())
        say(_demo_welcome(settings, address, token, api_key))
        internet = InventedInternet(products, clock=clock, now=now)
        with _worker_thread(settings, database, stop, transport=internet):
            stop.wait()
    finally:
        stop.set()


def _worker_thread(
    settings: Settings,
    database: Database,
    stop: threading.Event,
    *,
    transport: InventedInternet | None = None,
) -> AbstractContextManager[None]:
    from service.worker import worker_thread  # after metrics_folder, docs/decisions/0076

    return worker_thread(settings, database, stop, transport=transport)


def serve(
    host: Host = "127.0.0.1",
    port: Port = 8080,
    workers: Annotated[int, typer.Option(min=1, max=64, help="Server processes.")] = 1,
) -> None:
    """Run the API and the site. Example: changewire serve --workers 4"""
    _require_free_port(host, port)
    address = _address(host, port)
    set_default("site_url", address)
    set_default("server_processes", str(workers))
    with opened(make=True) as (settings, _):
        secret_key(settings)
        say(f"Serving {_site_and_address(settings, address)}; stop with Ctrl+C.")
    with metrics_folder(), stop_on_signals() as stop:
        serve_until_stopped(host, port, stop, workers=workers)


def work(
    metrics_port: Annotated[
        int | None,
        typer.Option(min=1, max=65535, help="Serve metrics on this port of 127.0.0.1."),
    ] = None,
) -> None:
    """Check sources and send webhooks and digests. Example: changewire worker --metrics-port 9464

    On PostgreSQL any number of workers, on any number of machines, share the work.
    """
    # not when up is loaded, docs/decisions/0076
    from service.worker import METRICS_HOST, run_worker

    if metrics_port is not None:
        _require_free_port(METRICS_HOST, metrics_port)
    with (
        stop_on_signals() as stop,
        opened(make=True, working=True) as (settings, database),
    ):
        say("Checking sources and sending webhooks and digests; stop with Ctrl+C.")
        run_worker(settings, database, stop, metrics_port=metrics_port)


@contextmanager
def metrics_folder() -> Iterator[None]:
    """Give this process and its children one folder for their counters, before they are imported.

    One that the operator has named is kept, any other is removed (docs/decisions/0076).
    """
    use_temporary_folder(load_settings())
    with TemporaryDirectory(prefix="changewire-metrics-") as folder:
        os.environ.setdefault("PROMETHEUS_MULTIPROC_DIR", folder)
        yield


def _load_catalog_if_empty(settings: Settings, database: Database) -> None:
    with database.read() as session:
        if count_sources(session):
            return
    change = load_shipped(database, settings)
    say(f"Loaded the catalog: {counted(change.added, 'source')}.")


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
            raise CommandFailed(
                f"Port {port} on {host} cannot be used ({error.strerror}); {advice}."
            ) from error


def _address(host: str, port: int) -> str:
    if host in {"0.0.0.0", "::"}:  # noqa: S104 - compared with an address, not bound to it
        host = "127.0.0.1"
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def _site_and_address(settings: Settings, address: str) -> str:
    """Name the site, and the address that the server listens at if that is another one."""
    site = settings.site_url
    return site if site == address else f"{site}, listening at {address}"


def _welcome(settings: Settings, address: str) -> str:
    site, program = settings.site_url, os.environ.get(PROGRAM, "changewire")
    return f"""Changewire runs at {_site_and_address(settings, address)}; stop with Ctrl+C.
  pages     {site}/
  guide     {site}/guide/getting-started
  API       {site}/api/v1/sources
  contract  {site}/openapi.json
  sign in   {site}/auth/login
            (until CHANGEWIRE_SMTP_URL is set, mails are files in {settings.outbox})
  a key     {program} account create you@example.org --plan all
            {program} key create you@example.org --name mine"""


def _demo_welcome(settings: Settings, address: str, token: str, api_key: str) -> str:
    site = settings.site_url
    return f"""The demo runs at {_site_and_address(settings, address)}; stop with Ctrl+C.
Its vendors are invented, and all of it is gone when it stops.
  pages     {site}/
  sign in   {site}/auth/confirm?token={token}
            (once, within 15 minutes)
  a key     {api_key}
  API       curl -H 'X-Api-Key: {api_key}' '{site}/api/v1/deadlines'"""
