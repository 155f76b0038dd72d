"""A database of the demo's own, filled with what the invented vendors announced in two years."""

import os
import re
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from shutil import rmtree
from tempfile import TemporaryDirectory
from typing import Final

from sqlalchemy import select
from sqlalchemy.orm import Session

from ingest.workers.engine import sweep
from openapi.vocabulary import AdapterType, AddressStatus, Plan, Scope
from service.addresses import OFF
from service.demo.internet import InventedInternet
from service.demo.vendors import Product
from service.ingestion import open_ingestion
from service.settings import PREFIX, Settings
from storage.catalog.packages import save_packages
from storage.catalog.rows import CatalogRow, SeenPackage
from storage.catalog.sources import save_sources
from storage.engine.database import Database
from storage.entries.entry_filter import filter_text
from storage.models import FetchFacts
from storage.people.accounts import add_account
from storage.people.keys import add_key
from storage.people.saved_filters import add_filter
from storage.people.sign_in import add_link
from storage.people.stacks import SavedPart, save_parts
from storage.scheduling.due import not_attempted_since
from storage.scheduling.health_days import MISSING

DAYS_AGO: Final = (*range(300, 120, -30), *range(120, -1, -10))
"""When the sources were read; what was announced before the first time is their history."""
VISITOR: Final = "visitor@demo.example"
SCOPES: Final = (Scope.READ_ENTRIES, Scope.READ_DIFFS)
FILTERS: Final = {"What breaks": {"category": "breaking"}, "Databases": {"tag": "database"}}
STACK: Final = (
    SavedPart("pkg:generic/herondb", "15.5.0"),
    SavedPart("pkg:npm/wren-cms", "5.3.0"),
    SavedPart("pkg:pypi/brasspay", "7.1.0"),
)
"""What the visitor runs: behind the newest versions, so that there is something to read."""
MEMORY: Final = "/dev/shm"  # noqa: S108 - a folder with a random name is made in it


@contextmanager
def temporary_data() -> Iterator[None]:
    """Let this process and its children keep their data in a folder that is removed afterwards.

    Nothing that the user has is read or changed. The folder is in memory where that is possible:
    what need not last need not wait for a disk.
    """
    place = MEMORY if os.access(MEMORY, os.W_OK) else None
    for left in Path(MEMORY).glob("changewire-demo-*-*"):  # by demos that were killed
        if not Path("/proc", left.name.split("-")[2]).exists():
            rmtree(left, ignore_errors=True)
    with TemporaryDirectory(prefix=f"changewire-demo-{os.getpid()}-", dir=place) as folder:
        os.environ[f"{PREFIX}DATABASE_URL"] = f"sqlite:///{folder}/demo.db"
        os.environ[f"{PREFIX}PACKAGE_INDEX_URL"] = OFF
        os.environ[f"{PREFIX}OUTBOX"] = f"{folder}/outbox"
        yield


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
    packages = [SeenPackage(it.slug, it.purl, it.changelog_url) for it in products if it.purl]
    with database.write() as session:
        save_sources(session, [_row(product) for product in products])
        save_packages(session, packages)
    moment = now
    internet = InventedInternet(products, clock=lambda: moment, now=now)
    with open_ingestion(settings, database, transport=internet) as opened:
        ingestion = replace(opened, now=lambda: moment)
        for days in DAYS_AGO:
            moment = now - timedelta(days=days)
            if not stop.is_set():
                due = [not_attempted_since(moment)]
                sweep(ingestion, due, threads=4, on_report=lambda _: None)
    with database.write() as session:
        for facts in session.scalars(select(FetchFacts)):
            facts.health_days = _without_missing(facts.health_days)


def _without_missing(days: str) -> str:
    """Return a record of health in which days without a reading are as the day before them.

    Those at its beginning are as the first day with one.
    """
    days = re.sub(f"^{MISSING}+(.)", lambda match: match[1] * len(match[0]), days)
    return re.sub(f"(.){MISSING}+", lambda match: match[1] * len(match[0]), days)


def _row(product: Product) -> CatalogRow:
    return CatalogRow(
        slug=product.slug,
        vendor=product.vendor,
        name=product.name,
        kind=product.kind,
        homepage=product.homepage,
        changelog_url=product.changelog_url,
        adapter_type=AdapterType.RSS,
        feed_url=product.feed_url,
        tags=product.tags,
        tier=product.tier,
        status=AddressStatus.CONFIRMED,
    )


def add_visitor(session: Session, *, now: datetime) -> tuple[str, str]:
    """Add the visitor's account on the largest plan; return a sign-in token and an API key."""
    visitor = add_account(session, VISITOR, now=now, plan=Plan.ALL, diffs_addon=True)
    _, api_key = add_key(session, visitor, name="demo", scopes=SCOPES, now=now)
    for name, parameters in FILTERS.items():
        add_filter(session, visitor.id, name=name, query=filter_text(parameters), now=now)
    save_parts(session, visitor.id, STACK)
    return add_link(session, VISITOR, next_path="/latest", now=now), api_key
