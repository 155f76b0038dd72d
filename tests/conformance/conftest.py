"""The whole service in process, with a small catalog, entries and keys; and broken copies of it."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any

import pytest
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from openapi.vocabulary import AdapterType, Kind, Plan
from openapi.vocabulary import Scope as KeyScope
from service.app import create_app
from service.settings import Settings
from storage.accounts import add_account
from storage.archive import WrittenEntry, save_entries
from storage.database import open_database
from storage.documents import EntryText
from storage.keys import add_key, select_sources
from storage.sources import ids_of, save_sources

PRODUCTS = ("compute", "storage", "mail")
VENDORS = ("acme", "globex", "initech", "umbrella", "hooli", "wonka")
EVIDENCE = {
    "categories": ["breaking"],
    "evidence": [
        {"category": "breaking", "field": "title", "text": "removed", "start": 0, "end": 7}
    ],
}


def _source(slug: str) -> SimpleNamespace:
    vendor, _, product = slug.partition(".")
    return SimpleNamespace(
        slug=slug,
        vendor=vendor,
        name=f"{vendor.title()} {product.title()}",
        kind=Kind.CHANGELOG if product == "mail" else Kind.RELEASE_NOTES,
        homepage=f"https://{vendor}.example/",
        changelog_url=f"https://{vendor}.example/{product}",
        adapter_type=AdapterType.ATOM if product == "mail" else AdapterType.RSS,
        feed_url=f"https://feeds.{vendor}.example/{product}.xml",
        tags=("cloud", product),
    )


def _entry(slug: str, number: int, at: datetime) -> WrittenEntry:
    text = EntryText(
        external_id=f"{slug}/{number:03}",
        source=slug,
        vendor=slug.partition(".")[0],
        published_at=at,
        title=f"removed version {number}",
        url=f"https://{slug}.example/{number}",
        summary="All about it. " * 60,
        raw={"guid": f"{slug}/{number:03}"},
        tags=["cloud", slug.partition(".")[2]],
    )
    importance = json.dumps(EVIDENCE).encode() if number % 3 == 0 else None
    return WrittenEntry(text, content_hash="0" * 64, importance=importance, importance_version=1)


@pytest.fixture(scope="session")
def started_at() -> datetime:
    """When the tests began; entries are as old as they were then."""
    return datetime.now(UTC).replace(microsecond=0)


@dataclass(frozen=True)
class Running:
    """The service and keys to it."""

    app: ASGIApp
    keys: dict[str, str] = field(repr=False)


@pytest.fixture(scope="session")
def running(new_database_url: Callable[..., str], started_at: datetime) -> Iterator[Running]:
    """The service as it is, for reading only."""
    url = new_database_url()
    database = open_database(url)
    slugs = [f"{vendor}.{product}" for vendor in VENDORS for product in PRODUCTS]
    keys = {}
    with database.write() as session:
        save_sources(session, [_source(slug) for slug in slugs])
        for slug, source_id in ids_of(session, slugs[:6]).items():
            ages = [timedelta(hours=5 * number) for number in range(40)]
            ages[0] = -timedelta(days=2)  # one entry lies ahead
            new = [_entry(slug, n, started_at - age) for n, age in enumerate(ages)]
            save_entries(session, source_id, new=new, edited=[], now=started_at)
        for plan, addon in ((Plan.FREE, False), (Plan.STARTER, False), (Plan.ALL, True)):
            email = f"{plan}@acme.example"
            account = add_account(session, email, now=started_at, plan=plan, diffs_addon=addon)
            key, keys[plan.value] = add_key(
                session, account, name="test", scopes=list(KeyScope), now=started_at
            )
            if plan is not Plan.ALL:
                chosen = ids_of(session, slugs[:3]).values()
                select_sources(session, key, chosen, now=started_at)
    settings = Settings(
        database_url=url,
        site_url="http://localhost",
        secret_key="x" * 32,
        _env_file=None,
    )
    yield Running(create_app(settings, database), keys)
    database.close()


@dataclass
class Reply:
    """An answer on its way out, to be changed."""

    path: str
    query: str
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @json.setter
    def json(self, value: Any) -> None:
        self.body = json.dumps(value).encode()


@pytest.fixture
def broken(running: Running) -> Callable[..., ASGIApp]:
    """Make a service with one fault: of what it is asked, or of what it answers."""

    def make(
        *,
        asked: Callable[[Scope], None] = lambda _: None,
        answered: Callable[[Reply], None] = lambda _: None,
    ) -> ASGIApp:
        async def app(scope: Scope, receive: Receive, send: Send) -> None:
            if scope["type"] != "http":
                await running.app(scope, receive, send)
                return
            scope = {**scope, "headers": list(scope["headers"])}
            asked(scope)
            messages: list[Message] = []

            async def keep(message: Message) -> None:
                messages.append(message)

            await running.app(scope, receive, keep)
            start = messages[0]
            reply = Reply(
                path=scope["path"],
                query=scope["query_string"].decode(),
                status=start["status"],
                headers={name.decode(): value.decode() for name, value in start["headers"]},
                body=b"".join(each.get("body", b"") for each in messages[1:]),
            )
            answered(reply)
            reply.headers.pop("content-length", None)
            headers = [(name.encode(), value.encode()) for name, value in reply.headers.items()]
            await send({"type": "http.response.start", "status": reply.status, "headers": headers})
            await send({"type": "http.response.body", "body": reply.body})

        return app

    return make
