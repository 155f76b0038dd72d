"""changewire up, serve and worker: what runs until it is stopped."""

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import Annotated

import typer

from ingest.workers.local import run_local
from ingest.workers.reclassification import background_reclassification
from openapi.counts import counted
from service.commands.catalog import load_rows, rows_of
from service.commands.shared import opened, say
from service.counting import counting_together
from service.delivery import delivering
from service.ingestion import THREADS, ingestion_of
from service.secret_key import secret_key
from service.server import require_free_port
from service.server import serve as serve_until_stopped
from service.settings import Settings, set_default
from service.stopping import told_to_stop
from storage.catalog.sources import count_sources
from storage.engine.database import Database, on_postgresql

Host = Annotated[str, typer.Option(help="The address to listen on.")]
Port = Annotated[int, typer.Option(min=1, max=65535, help="The port to listen on.")]
METRICS_HOST = "127.0.0.1"
CALLED_AS = "CHANGEWIRE_CALLED_AS"  # set by the script of a checkout


def up(
    host: Host = "127.0.0.1",
    port: Port = 8080,
    *,
    no_ingest: Annotated[bool, typer.Option("--no-ingest", help="Only serve.")] = False,
) -> None:
    """Run the whole service on the embedded default. Example: changewire up --port 8081"""
    require_free_port(host, port)
    here = _address(host, port)
    set_default("site_url", here)
    with counting_together(), opened(make=True) as (settings, database):
        secret_key(settings)  # say it here if it cannot be kept
        _fill(database)
        with told_to_stop() as stop:
            say(_welcome(settings, here))
            with nullcontext() if no_ingest else _ingesting(settings, database, stop):
                serve_until_stopped(host, port, stop)


def serve(
    host: Host = "127.0.0.1",
    port: Port = 8080,
    workers: Annotated[int, typer.Option(min=1, max=64, help="Server processes.")] = 1,
) -> None:
    """Serve the API and the pages. Example: changewire serve --workers 4"""
    require_free_port(host, port)
    here = _address(host, port)
    set_default("site_url", here)
    with opened(make=True) as (settings, _):
        secret_key(settings)
        say(f"Serving {_told(settings, here)}; stop with Ctrl+C.")
    with counting_together(), told_to_stop() as stop:
        serve_until_stopped(host, port, stop, workers=workers)


def work(
    metrics_port: Annotated[
        int | None,
        typer.Option(min=1, max=65535, help="Answer Prometheus at this port of 127.0.0.1."),
    ] = None,
) -> None:
    """Ingest and deliver until stopped. Example: changewire worker --metrics-port 9464

    On PostgreSQL any number of workers, on any number of machines, share the work.
    """
    if metrics_port is not None:
        require_free_port(METRICS_HOST, metrics_port)
    from ingest.workers.shared_queue import run_shared  # takes half a second, and PostgreSQL
    from service import metrics  # counts in this process alone

    with (
        told_to_stop() as stop,
        opened(make=True) as (settings, database),
        ingestion_of(settings, database) as ingestion,
        background_reclassification(database, stop),
        delivering(settings, database, stop),
    ):
        if metrics_port is not None:
            metrics.serve_here(METRICS_HOST, metrics_port)
        say("Ingesting and delivering what is due; stop with Ctrl+C.")
        run = run_shared if on_postgresql(database.engine) else run_local
        run(ingestion, stop, threads=THREADS, on_report=metrics.count_look)


@contextmanager
def _ingesting(settings: Settings, database: Database, stop: threading.Event) -> Iterator[None]:
    from service.metrics import count_look  # after counting_together

    with (
        ingestion_of(settings, database) as ingestion,
        background_reclassification(database, stop),
        delivering(settings, database, stop),
    ):
        working = {"threads": THREADS, "on_report": count_look}
        thread = threading.Thread(target=run_local, args=(ingestion, stop), kwargs=working)
        thread.start()
        try:
            yield
        finally:
            stop.set()
            thread.join()


def _fill(database: Database) -> None:
    with database.read() as session:
        if count_sources(session):
            return
    change = load_rows(database, rows_of(None))
    say(f"Loaded the catalog: {counted(change.added, 'source')}.")


def _address(host: str, port: int) -> str:
    if host in {"0.0.0.0", "::"}:  # noqa: S104 - said of an address, not bound to it
        host = "127.0.0.1"
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def _told(settings: Settings, here: str) -> str:
    """Say where the site is, and where this program listens if that is somewhere else."""
    site = settings.site_url
    return site if site == here else f"{site}, listening at {here}"


def _welcome(settings: Settings, here: str) -> str:
    site, called = settings.site_url, os.environ.get(CALLED_AS, "changewire")
    return f"""Changewire runs at {_told(settings, here)}; stop with Ctrl+C.
  pages     {site}/
  guide     {site}/guide/getting-started
  API       {site}/api/v1/sources
  contract  {site}/openapi.json
  sign in   {site}/auth/login
            (until CHANGEWIRE_SMTP_URL is set, mails are files in {settings.outbox})
  a key     {called} account create you@example.org --plan all
            {called} key create you@example.org --name mine"""
