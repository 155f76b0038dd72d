"""A worker: checks sources, reclassifies entries, sends deliveries, and counts them.

Importing this module imports the metrics: open the metrics folder first (docs/decisions/0076).
"""

import random
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from functools import partial
from importlib.metadata import version

from prometheus_client import start_http_server

from delivery.context import DeliveryContext
from delivery.webhook_client import WebhookClient
from delivery.worker import deliver_in_background
from ingest.fetching.client import user_agent
from ingest.pipeline.ingestion import Ingestion
from ingest.workers.bulk import keep_snapshot
from ingest.workers.common import in_background
from ingest.workers.engine import check_due
from ingest.workers.package_lookups import forget_unused
from ingest.workers.reclassification import reclassify
from ingest.workers.retention import keep_history
from outbound.transport import Transport
from service.clock import clock
from service.ingestion import THREADS, open_ingestion
from service.mail import carrier_for
from service.secret_key import seal_stored_secrets, use_secret_box
from service.settings import Settings
from service.telemetry.metrics import COUNTERS, count_attempt, count_check, count_mail
from storage.engine.database import Database

METRICS_HOST = "127.0.0.1"


def run_worker(
    settings: Settings, database: Database, stop: threading.Event, *, metrics_port: int | None
) -> None:
    """Work until stopped; on PostgreSQL, share the work with other workers."""
    if metrics_port is not None:
        start_http_server(metrics_port, addr=METRICS_HOST, registry=COUNTERS)
    with _open_ingestion(settings, database, stop) as ingestion:
        check_due(ingestion, stop, threads=THREADS, on_report=count_check)


@contextmanager
def worker_thread(
    settings: Settings,
    database: Database,
    stop: threading.Event,
    *,
    transport: Transport | None = None,
) -> Iterator[None]:
    """Work in a thread while the block runs; then stop and wait for it.

    ``transport`` takes the requests to vendors instead of the network.
    """
    with _open_ingestion(settings, database, stop, transport) as ingestion:
        run = partial(check_due, ingestion, stop, threads=THREADS, on_report=count_check)
        with in_background(stop, ingest=run):
            yield


@contextmanager
def _open_ingestion(
    settings: Settings,
    database: Database,
    stop: threading.Event,
    transport: Transport | None = None,
) -> Iterator[Ingestion]:
    """Yield ingestion, with the upkeep of what is stored and delivery beside it."""
    use_secret_box(settings, database)
    seal_stored_secrets(settings, database)
    context = delivery_context(settings, database)
    with (
        open_ingestion(settings, database, transport=transport) as ingestion,
        in_background(stop, **_upkeep(settings, database, stop)),
        deliver_in_background(context, stop),
    ):
        yield ingestion


def _upkeep(
    settings: Settings, database: Database, stop: threading.Event
) -> dict[str, Callable[[], None]]:
    """Return the work over what is stored, by names of threads."""
    work: dict[str, Callable[[], None]] = {
        "reclassify": partial(reclassify, database, stop),
        "packages": partial(forget_unused, database, stop, now=clock),
        "bulk": partial(keep_snapshot, database, stop, folder=settings.bulk, now=clock),
    }
    if settings.keep_history is not None:
        kept_for = timedelta(days=settings.keep_history)
        work["history"] = partial(keep_history, database, stop, kept_for=kept_for, now=clock)
    return work


def delivery_context(settings: Settings, database: Database) -> DeliveryContext:
    """Return what delivery needs; attempts at webhooks and mails are counted."""
    return DeliveryContext(
        db=database,
        webhook_client=WebhookClient(
            user_agent=user_agent(version("changewire"), settings.site_url),
            allow=settings.webhook_allow,
            proxy=settings.fetch_proxy,
        ),
        carry=carrier_for(settings, count_mail),
        now=clock,
        draw=random.random,
        site_url=settings.site_url,
        on_attempt=count_attempt,
    )
