"""Ingestion of feeds on loopback, as a worker has it."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from datetime import UTC, datetime, timedelta
from ipaddress import ip_network
from pathlib import Path

from ingest.fetching.client import Client, FetchPolicy, new_client
from ingest.pipeline.ingestion import Ingestion
from ingest.sandbox.parser_pool import ParserPool
from openapi.vocabulary import AdapterType, Kind
from outbound.guard import AddressPolicy, Resolver, system_resolver
from storage.catalog.rows import CatalogRow
from storage.catalog.sources import save_sources
from storage.engine.database import open_database, upgrade

LOOPBACK = (ip_network("127.0.0.0/8"),)
DEADLINE = timedelta(seconds=30)


def feed_rows(
    addresses: Sequence[str], formats: Sequence[AdapterType] = (AdapterType.RSS,)
) -> list[CatalogRow]:
    """Return a catalog of feeds, whose formats come in turn."""
    return [
        CatalogRow(
            slug=f"vendor{number}.changelog",
            vendor=f"vendor{number}",
            name=f"Vendor {number}",
            kind=Kind.CHANGELOG,
            homepage=None,
            changelog_url=f"https://vendor{number}.example/",
            adapter_type=formats[number % len(formats)],
            feed_url=address,
            tags=("networking",),
        )
        for number, address in enumerate(addresses)
    ]


def loopback_client(
    *, resolver: Resolver = system_resolver, deadline: timedelta = DEADLINE
) -> Client:
    """Return a client that may ask the servers of this machine."""
    return new_client(
        FetchPolicy(addresses=AddressPolicy(LOOPBACK), deadline=deadline),
        user_agent="Changewire/bench (+https://changewire.example)",
        resolver=resolver,
    )


@contextmanager
def open_ingestion(
    folder: Path,
    rows: Sequence[CatalogRow],
    client: Client,
    *,
    parsers: int = 2,
    now: Callable[[], datetime] = lambda: datetime.now(UTC),
) -> Iterator[Ingestion]:
    """Give an ingestion of these sources over a new database; close it with its client."""
    fill(folder, rows)
    with open_filled(folder, client, parsers=parsers, now=now) as ingestion:
        yield ingestion


def fill(folder: Path, rows: Sequence[CatalogRow]) -> None:
    """Make a database of these sources."""
    with closing(open_database(_address(folder))) as database:
        upgrade(database)
        with database.write() as session:
            save_sources(session, rows)


@contextmanager
def open_filled(
    folder: Path,
    client: Client,
    *,
    parsers: int = 2,
    now: Callable[[], datetime] = lambda: datetime.now(UTC),
) -> Iterator[Ingestion]:
    """Give an ingestion of the sources that are stored in a folder; close it with its client."""
    with (
        closing(client),
        closing(open_database(_address(folder))) as database,
        ParserPool(workers=parsers) as pool,
    ):
        yield Ingestion(database, client, pool, now=now)


def _address(folder: Path) -> str:
    return f"sqlite:///{folder / 'bench.db'}"
