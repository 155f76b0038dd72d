"""Services, cached figures and the caller, shared by the pages of one application."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import wraps
from ipaddress import IPv4Address, IPv6Address
from threading import Lock
from typing import Final, TypeVar

from flask import Flask, current_app, request
from sqlalchemy.orm import Session

from handlers.context import Context
from handlers.http.client_ip import client_of
from storage.catalog.catalog_items import items_of
from storage.catalog.catalog_stats import CatalogStats, catalog_stats
from storage.catalog.search.catalog_search import search_index
from storage.engine.statements import batches
from storage.engine.write_probe import WriteProbe

SERVICES: Final = "changewire"
PROBE: Final = "changewire.write_probe"
LIFETIME: Final = timedelta(seconds=60)
ValueT = TypeVar("ValueT")


@dataclass(frozen=True, slots=True)
class SourceHealth:
    """The health of a source, when it was read, and when its newest entry was published."""

    health: str
    read_at: datetime | None
    newest_at: datetime | None
    id: int = 0
    updated_at: datetime | None = None  # the newest entry that is listed and not in the future
    failure: str | None = None  # why its last check failed


def install(site: Flask, services: Context) -> None:
    """Give an application its services."""
    site.extensions[SERVICES] = services
    site.extensions[PROBE] = WriteProbe(services.db)


def site_services() -> Context:
    """Return the services of the application that handles the request."""
    services: Context = current_app.extensions[SERVICES]
    return services


def current_time() -> datetime:
    """Return the time of the request."""
    return site_services().now()


def read() -> AbstractContextManager[Session]:
    """Open a session of the database that reads."""
    return site_services().db.read()


def write() -> AbstractContextManager[Session]:
    """Open a session of the database that writes, in one transaction."""
    return site_services().db.write()


def client_address() -> IPv4Address | IPv6Address | None:
    """Return the address of the client of the request; None where it is not known."""
    forwarded = request.headers.getlist("X-Forwarded-For")
    return client_of(request.remote_addr, forwarded, site_services().trusted_proxies)


def write_probe() -> WriteProbe:
    """Return the probe that tests whether the database takes writes."""
    probe: WriteProbe = current_app.extensions[PROBE]
    return probe


def cached(make: Callable[[Context], ValueT]) -> Callable[[], ValueT]:
    """Let a function of the services answer with a result that is at most a minute old.

    It is called by one thread at a time. What it raises is raised, and nothing is cached.
    """
    name = f"changewire.cached.{make.__module__}.{make.__name__}"

    @wraps(make)
    def answer() -> ValueT:
        services = site_services()
        lock, known = current_app.extensions.setdefault(name, (Lock(), {}))
        now = services.now()
        with lock:
            if not known or abs(now - known["at"]) >= LIFETIME:
                known.update(value=make(services), at=now)
            value: ValueT = known["value"]
            return value

    return answer


@cached
def catalog_figures(services: Context) -> CatalogStats:
    """Return the figures of the catalog that public pages show."""
    with services.db.read() as session:
        return catalog_stats(session)


@cached
def source_healths(services: Context) -> list[SourceHealth]:
    """Return the health of every source."""
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
            for some in batches((each.id for each in search_index(session).sources), 500)
            for item in items_of(session, some, now=now)
        ]
