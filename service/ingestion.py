"""Ingestion, assembled from the settings."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from importlib.metadata import version

import structlog

from ingest.fetching.client import FetchPolicy, give_memory_back, new_client, user_agent
from ingest.pipeline.ingestion import Ingestion, Pacing
from ingest.sandbox.parser_pool import ParserPool
from outbound.guard import AddressPolicy
from outbound.transport import Transport
from service.clock import clock
from service.settings import Settings, check_jail
from service.telemetry.tracing import set_up_traces
from storage.engine.database import Database
from storage.scheduling.worker_lock import hold_worker_lock

log = structlog.get_logger(__name__)
THREADS = 16
PARSERS = 2  # they parse faster than one process stores (docs/decisions/0021)


@contextmanager
def open_ingestion(
    settings: Settings, database: Database, *, transport: Transport | None = None
) -> Iterator[Ingestion]:
    """Yield ingestion with its HTTP client and its parsers, and close them afterwards.

    ``transport`` takes the requests instead of the network.
    """
    if settings.otlp_endpoint is not None:
        set_up_traces(settings.otlp_endpoint)
    check_jail(settings)
    give_memory_back()
    client = new_client(
        FetchPolicy(addresses=AddressPolicy(allow=settings.fetch_allow)),
        user_agent=user_agent(version("changewire"), settings.site_url),
        proxy=settings.fetch_proxy,
    )
    if transport is not None:
        client = replace(client, transport=transport)
    with hold_worker_lock(database) as ended, ParserPool(workers=PARSERS) as parsers:
        if ended is None:
            log.info("another process checks sources in this database, too; they share the work")
        elif ended:
            log.info("took over what a killed process was checking", sources=ended)
        try:
            yield Ingestion(
                db=database,
                client=client,
                parsers=parsers,
                now=clock,
                github_token=token.get_secret_value() if (token := settings.github_token) else None,
                github_api=settings.github_api,
                package_index=settings.package_index,
                pacing=Pacing(settings.requests_a_day),
            )
        finally:
            client.close()
