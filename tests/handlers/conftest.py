"""The whole API in process, on a small catalog, and callers of every kind."""

from collections.abc import Callable, Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import pytest
from connexion.spec import OpenAPISpecification, Specification
from connexion_passages import passages  # noqa: F401 - a fixture for every test here
from starlette.testclient import TestClient
from starlette.types import ASGIApp, Message

from handlers.api.application import create_api
from handlers.context import Context
from openapi.vocabulary import AdapterType, AddressStatus, Health, Kind, Plan, Scope, Tier
from storage.catalog.sources import ids_of, save_sources
from storage.engine.database import Database
from storage.entries.deadlines import DeadlineRecord
from storage.entries.documents import EntryText
from storage.entries.entry_writes import EntryRecord, save_entries
from storage.people.accounts import add_account
from storage.people.keys import add_key, select_sources


@dataclass(frozen=True)
class Row:
    """A row of a catalog."""

    slug: str
    vendor: str = ""
    name: str = ""
    kind: Kind = Kind.CHANGELOG
    homepage: str | None = "https://acme.example/"
    changelog_url: str = ""
    adapter_type: AdapterType = AdapterType.RSS
    feed_url: str | None = None
    tags: tuple[str, ...] = ("cloud",)
    tier: Tier | None = None
    aliases: tuple[str, ...] = ()
    basis: str | None = None
    status: AddressStatus | None = None

    def __post_init__(self):
        vendor, _, product = self.slug.partition(".")
        for name, value in {
            "vendor": vendor,
            "name": f"{vendor.title()} {product.title()}",
            "changelog_url": f"https://{vendor}.example/{product}",
            "feed_url": f"https://feeds.{vendor}.example/secret-{product}.xml",
        }.items():
            object.__setattr__(self, name, getattr(self, name) or value)


SLUGS = [
    f"{vendor}.{product}"
    for vendor in ("acme", "globex", "initech", "umbrella", "hooli", "wonka")
    for product in ("compute", "storage", "mail")
]


@pytest.fixture
def row() -> type[Row]:
    """Make rows of a catalog."""
    return Row


@pytest.fixture
def call_asgi() -> Callable[..., Any]:
    """Call an application as a server does: ``await call_asgi(app, target, headers)``.

    Gives status, headers and body. What else is in the scope is given by name.
    """

    async def call(
        app: ASGIApp, target: str, headers: Mapping[str, str], **more: Any
    ) -> tuple[int, dict[bytes, bytes], bytes]:
        path, _, query = target.partition("?")
        sent: list[Any] = []

        async def receive() -> Message:
            return {"type": "http.request", "body": b"", "more_body": False}

        async def send(message: Message) -> None:
            sent.append(message)

        scope = {
            "type": "http",
            "method": "GET",
            "path": path,
            "query_string": query.encode(),
            "headers": [(name.lower().encode(), text.encode()) for name, text in headers.items()],
            **more,
        }
        await app(scope, receive, send)
        found = {name.lower(): value for name, value in sent[0]["headers"]}
        return sent[0]["status"], found, sent[1]["body"]

    return call


@pytest.fixture
def catalog(database: Database) -> list[str]:
    """Eighteen sources of six vendors."""
    with database.write() as session:
        save_sources(session, [Row(slug) for slug in SLUGS])
    return SLUGS


@pytest.fixture
def publish(database: Database, now: datetime) -> Callable[..., None]:
    """Store entries as ingestion would: ``publish(slug, title=age, …)``; ``told`` in texts."""

    def publish(
        slug: str,
        *,
        important: bytes | None = None,
        deadlines: tuple[DeadlineRecord, ...] = (),
        told: str = "",
        **ages: timedelta,
    ) -> None:
        with database.write() as session:
            source_id = ids_of(session, [slug])[slug]
            new = [
                EntryRecord(
                    EntryText(
                        external_id=f"{slug}/{title}",
                        source=slug,
                        vendor=slug.partition(".")[0],
                        published_at=now - age,
                        title=title,
                        url=f"https://{slug}.example/{title}",
                        summary=told + f"All about {title}. " * 60,
                        raw={"guid": title},
                        tags=["cloud"],
                    ),
                    content_hash="0" * 64,
                    importance=important,
                    importance_version=1,
                    deadlines=deadlines,
                )
                for title, age in ages.items()
            ]
            save_entries(session, source_id, new=new, edited=[], now=now)

    return publish


@pytest.fixture
def services(database: Database, now: datetime, catalog: list[str]) -> Context:
    """The services of an application whose clock stands still."""
    return Context(
        db=database,
        now=lambda: now,
        judge=lambda item, at: (Health.HEALTHY, None),
        site_url="https://changewire.example",
    )


@pytest.fixture(scope="session", autouse=True)
def validated_once() -> Iterator[None]:
    """Have Connexion validate the contract once: it does so for every application, 0.1 s each."""
    validate, validated = Specification._validate_spec.__func__, []

    def validate_if_new(cls: type[OpenAPISpecification], spec: dict[str, Any]) -> None:
        if spec not in validated:
            validate(cls, spec)
            validated.append(deepcopy(spec))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(OpenAPISpecification, "_validate_spec", classmethod(validate_if_new))
        yield


@pytest.fixture
def client(services: Context) -> Iterator[TestClient]:
    """A client of the API."""
    with TestClient(
        create_api(services), base_url="http://127.0.0.1:8080", raise_server_exceptions=False
    ) as client:
        yield client


@pytest.fixture
def new_key(database: Database, now: datetime) -> Callable[..., dict[str, str]]:
    """Make a key of an account of its own; returns the headers that carry it."""
    count = iter(range(1000))

    def new_key(
        plan: Plan = Plan.ALL,
        *,
        sources: list[str] = [],
        scopes: list[Scope] = list(Scope),
        diffs_addon: bool = False,
        expires_at: datetime | None = None,
    ) -> dict[str, str]:
        with database.write() as session:
            account = add_account(
                session,
                f"person{next(count)}@acme.example",
                now=now,
                plan=plan,
                diffs_addon=diffs_addon,
            )
            key, text = add_key(
                session, account, name="test", scopes=scopes, now=now, expires_at=expires_at
            )
            select_sources(session, key, ids_of(session, sources).values(), now=now)
        return {"X-Api-Key": text}

    return new_key
