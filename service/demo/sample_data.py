"""Fills an empty database with what the invented vendors announced in two years."""

import re
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import takewhile
from typing import Final

from sqlalchemy import select

from ingest.workers.local import sweep
from openapi.vocabulary import AddressStatus
from service.demo.internet import InventedInternet
from service.demo.vendors import Product
from service.ingestion import open_ingestion
from service.settings import Settings
from storage.catalog.packages import save_packages
from storage.catalog.rows import CatalogRow, SeenPackage
from storage.catalog.sources import save_sources
from storage.engine.database import Database
from storage.models import FetchFacts
from storage.scheduling.due import not_attempted_since
from storage.scheduling.health_days import MISSING

FIRST_READING: Final = timedelta(days=300)
"""How long ago the sources were read first; what was announced before is their history."""
PACES: Final = (
    (timedelta(days=6), timedelta(days=1)),
    (timedelta(days=120), timedelta(days=10)),
    (FIRST_READING, timedelta(days=30)),
)
"""How often they have been read since: every day of the last six, rarely before that."""
_THREADS: Final = 4


@dataclass
class MovingClock:
    """A clock that stands until it is moved."""

    at: datetime

    def __call__(self) -> datetime:
        """Return the time it was moved to."""
        return self.at


def fill(
    settings: Settings,
    database: Database,
    products: Sequence[Product],
    stop: threading.Event,
    *,
    now: datetime,
) -> None:
    """Read the invented vendors as an installation would have done that began long ago.

    What is left when ``stop`` is set is not read.
    """
    with database.write() as session:
        save_sources(session, [_row(product) for product in products])
        save_packages(session, _packages(products))
    clock = MovingClock(now)
    internet = InventedInternet(products, clock=clock, now=now)
    with open_ingestion(settings, database, transport=internet) as opened:
        ingestion = replace(opened, now=clock)
        for moment in takewhile(lambda _: not stop.is_set(), _moments(now)):
            clock.at = moment
            sweep(
                ingestion,
                [not_attempted_since(moment)],
                threads=_THREADS,
                on_report=lambda _: None,
            )
    with database.write() as session:
        for facts in session.scalars(select(FetchFacts)):
            facts.health_days = _without_missing(facts.health_days)


def _packages(products: Sequence[Product]) -> Iterator[SeenPackage]:
    for product in products:
        if product.purl is not None:
            yield SeenPackage(product.slug, product.purl, product.changelog_url)


def _without_missing(days: str) -> str:
    """Return a record of health in which days without a reading are as the day before them.

    Those at its beginning are as the first day with one.
    """
    days = re.sub(f"^{MISSING}+(.)", lambda match: match[1] * len(match[0]), days)
    return re.sub(f"(.){MISSING}+", lambda match: match[1] * len(match[0]), days)


def _moments(now: datetime) -> Iterator[datetime]:
    at = now - FIRST_READING
    while at < now:
        yield at
        at += next(pace for span, pace in PACES if now - at <= span)
    yield now


def _row(product: Product) -> CatalogRow:
    return CatalogRow(
        slug=product.slug,
        vendor=product.vendor,
        name=product.name,
        kind=product.kind,
        homepage=product.homepage,
        changelog_url=product.changelog_url,
        adapter_type=product.format,
        feed_url=product.feed_url,
        tags=product.tags,
        tier=product.tier,
        status=AddressStatus.CONFIRMED,
    )
