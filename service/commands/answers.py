"""What the service answers over two databases: the same, if one is a copy of the other."""

import asyncio
from collections.abc import Iterator
from typing import Final
from urllib.parse import quote

from httpx2 import ASGITransport, AsyncClient
from pydantic import SecretStr
from sqlalchemy import select
from sqlalchemy.orm import Session
from starlette.types import ASGIApp

from service.app import create_app
from service.settings import Settings
from storage.engine.database import Database
from storage.models import Entry, Source, SourcePackage

TRIES: Final = 3  # what is told of now may change between two requests
SAMPLE: Final = 20
LISTS: Final = (
    "/api/v1/sources?limit=100",
    "/api/v1/latest?limit=100",
    "/api/v1/important?limit=100",
    "/api/v1/deadlines?limit=100",
    "/rss/updates.xml",
    "/status",
)


def paths_to_compare(session: Session) -> list[str]:
    """Return public addresses: lists, searches, feeds of the sources with most entries, plans."""
    return [*LISTS, *_of_sources(session), *_of_words(session), *_of_packages(session)]


def other_answers(one: Database, other: Database) -> tuple[int, list[str]]:
    """Ask the same of both; return how many answers there were, and which were not the same."""
    with one.read() as session:
        paths = paths_to_compare(session)
    settings = Settings(site_url="http://localhost", secret_key=SecretStr("x" * 32))
    apps = [create_app(settings, database) for database in (one, other)]
    return len(paths), asyncio.run(_differing(apps, paths))


async def _differing(apps: list[ASGIApp], paths: list[str]) -> list[str]:
    clients = [
        AsyncClient(transport=ASGITransport(app=app), base_url="http://localhost") for app in apps
    ]
    return [path for path in paths if not await _same(clients, path)]


async def _same(clients: list[AsyncClient], path: str) -> bool:
    for _ in range(TRIES):
        answers = [await client.get(path) for client in clients]
        first, second = ((a.status_code, a.headers.get("etag"), a.content) for a in answers)
        if first == second and first[0] < 500:
            return True
    return False


def _of_sources(session: Session) -> Iterator[str]:
    most = select(Source.slug).order_by(Source.entry_count.desc(), Source.slug).limit(SAMPLE)
    for slug in session.scalars(most):
        yield f"/feeds/{slug}.atom"
        yield f"/api/v1/sources?q={quote(slug)}"


def _of_words(session: Session) -> Iterator[str]:
    titles = session.scalars(select(Entry.title).order_by(Entry.id.desc()).limit(SAMPLE))
    for word in sorted({word for title in titles for word in title.split()[:1]}):
        yield f"/api/v1/latest?q={quote(word)}&limit=100"


def _of_packages(session: Session) -> Iterator[str]:
    packages = select(SourcePackage.purl).order_by(SourcePackage.purl).limit(SAMPLE)
    for purl in session.scalars(packages):
        yield f"/api/v1/upgrades?purl={quote(purl)}&from=0"
