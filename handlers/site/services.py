"""Services, cached figures and the caller, shared by the pages of one application."""

from dataclasses import dataclass
from datetime import datetime
from ipaddress import IPv4Address, IPv6Address

from flask import Flask, current_app, request

from handlers.context import Context
from handlers.http.client_ip import client_of
from handlers.site.ttl_cache import CachedValue
from storage.catalog.catalog_items import page_items
from storage.catalog.catalog_stats import CatalogStats, catalog_stats
from storage.catalog.source_filter import SourceFilter
from storage.engine.write_probe import WriteProbe
from storage.scheduling.api_days import ApiDayRecord, api_days
from storage.scheduling.due import first_sweep
from storage.scheduling.progress import failures_by_reason, health_of_all_days

SERVICES = "changewire"
CACHED = "changewire.cached"
PROBE = "changewire.write_probe"


@dataclass(frozen=True, slots=True)
class SourceHealth:
    """The health of a source, when it was read, and when its newest entry was published."""

    health: str
    read_at: datetime | None
    newest_at: datetime | None
    id: int = 0
    updated_at: datetime | None = None  # the newest entry that is listed and not in the future
    failure: str | None = None  # why its last check failed


@dataclass(frozen=True, slots=True)
class ServiceRecord:
    """How reading and the API went: the letters of sources, days of the API, failures by reason.

    ``unrequested`` sources were never requested; the last of them is to be at ``requested_by``.
    """

    health: list[str]
    api: list[ApiDayRecord]
    failures: list[tuple[str, int]]
    unrequested: int
    requested_by: datetime | None


@dataclass(frozen=True, slots=True)
class CachedFigures:
    """Figures over the whole catalog that public pages show."""

    catalog: CachedValue[CatalogStats]
    sources: CachedValue[list[SourceHealth]]
    record: CachedValue[ServiceRecord]


def install(site: Flask, services: Context) -> None:
    """Give an application its services."""
    site.extensions[SERVICES] = services
    site.extensions[PROBE] = WriteProbe(services.db)
    site.extensions[CACHED] = CachedFigures(
        CachedValue(lambda: _figures(services)),
        CachedValue(lambda: _sources(services)),
        CachedValue(lambda: _record(services)),
    )


def site_services() -> Context:
    """Return the services of the application that handles the request."""
    services: Context = current_app.extensions[SERVICES]
    return services


def client_address() -> IPv4Address | IPv6Address | None:
    """Return the address of the client of the request; None where it cannot be told."""
    forwarded = request.headers.getlist("X-Forwarded-For")
    return client_of(request.remote_addr, forwarded, site_services().trusted_proxies)


def cached_figures() -> CachedFigures:
    """Return the cached figures of the application that handles the request."""
    cached: CachedFigures = current_app.extensions[CACHED]
    return cached


def write_probe() -> WriteProbe:
    """Return the probe that tests whether the database takes writes."""
    probe: WriteProbe = current_app.extensions[PROBE]
    return probe


def _figures(services: Context) -> CatalogStats:
    with services.db.read() as session:
        return catalog_stats(session)


def _sources(services: Context) -> list[SourceHealth]:
    now = services.now()
    with services.db.read() as session:
        return [
            SourceHealth(
                services.judge(item, now)[0].value,
                item.last_success_at,
                item.newest_published_at,
                item.id,
                item.last_updated_at,
                item.last_failure if item.failures else None,
            )
            for item in page_items(session, SourceFilter(), now=now).items
        ]


def _record(services: Context) -> ServiceRecord:
    now = services.now()
    with services.db.read() as session:
        return ServiceRecord(
            health_of_all_days(session, now=now),
            api_days(session, now=now),
            failures_by_reason(session),
            *first_sweep(session),
        )
