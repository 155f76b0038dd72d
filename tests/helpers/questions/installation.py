"""The service that is asked: the demo's vendors among those of the specimen, at a fixed time."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from unittest.mock import patch

import httpx2
from anyio.from_thread import BlockingPortal, start_blocking_portal
from pydantic import SecretStr
from specimen.site import fill_site, quiet
from starlette.types import ASGIApp

from client import Client
from service.app import create_app
from service.demo.people import add_visitor
from service.demo.sample_data import fill
from service.demo.vendors import read_products
from service.settings import Settings
from storage.engine.database import open_database, upgrade

NOW = datetime(2026, 11, 24, 12, tzinfo=UTC)
SITE = "http://localhost"
LAST_ASKED = "2026-11-22T00:00:00Z"


@dataclass(frozen=True)
class Installation:
    """The client of somebody on the All plan, and the cursor before the newest changes."""

    client: Client
    cursor: str


class InProcess(httpx2.BaseTransport):
    """Gives requests to an application that runs on the event loop of another thread."""

    def __init__(self, portal: BlockingPortal, app: ASGIApp) -> None:
        self._portal, self._transport = portal, httpx2.ASGITransport(app)

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        return self._portal.call(self._answer, request)

    async def _answer(self, request: httpx2.Request) -> httpx2.Response:
        response = await self._transport.handle_async_request(request)
        body = await response.aread()  # not compressed any more
        response.headers.pop("Content-Encoding", None)
        return httpx2.Response(response.status_code, headers=response.headers, content=body)


@contextmanager
def installation(folder: Path, *, alone: bool) -> Iterator[Installation]:
    """Make the installation in a folder; ``alone``: without the vendors of the specimen."""
    quiet()
    url = f"sqlite:///{folder}/questions.db"
    settings = Settings(database_url=url, site_url=SITE, secret_key=SecretStr("x" * 32))
    database = open_database(url)
    upgrade(database)
    fill(settings, database, read_products(), threading.Event(), now=NOW)
    with database.write() as session:
        key = add_visitor(session, now=NOW).api_key
    if not alone:
        fill_site(url, now=NOW, large=True)
    with patch("service.app.clock", lambda: NOW):
        app = create_app(settings, database)
    with start_blocking_portal() as portal:
        client = Client(SITE, key, transport=InProcess(portal, app), trust_env=False)
        yield Installation(client, _cursor(client))
    database.close()


def _cursor(client: Client) -> str:
    """Return the cursor before the first change of the last days."""
    cursor = "start"
    for news in client.follow(limit=1):
        if any(entry["published_at"] > LAST_ASKED for entry in news.entries):
            return cursor
        cursor = news.cursor
    raise AssertionError("nothing is that new")
