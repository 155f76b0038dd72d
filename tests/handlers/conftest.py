"""The whole API in process, on a small catalog, and callers of every kind."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from copy import deepcopy
from datetime import datetime
from functools import partial
from typing import Any

import filling
import pytest
from connexion.spec import Specification
from connexion_passages import passages  # noqa: F401 - a fixture for every test here
from filling import catalog_row
from flask import Flask
from jinja2 import FileSystemBytecodeCache
from starlette.testclient import TestClient
from starlette.types import ASGIApp, Message
from werkzeug.routing import Rule

from handlers.api.application import create_api
from handlers.context import Context
from openapi.vocabulary import Health
from storage.catalog.rows import CatalogRow
from storage.catalog.sources import save_sources
from storage.engine.database import Database, open_database

SLUGS = [
    f"{vendor}.{product}"
    for vendor in ("acme", "globex", "initech", "umbrella", "hooli", "wonka")
    for product in ("compute", "storage", "mail")
]


@pytest.fixture
def row() -> Callable[..., CatalogRow]:
    """Make rows of a catalog."""
    return catalog_row


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


@pytest.fixture(scope="session")
def database_with_catalog(new_database_url: Callable[..., str]) -> str:
    """The address of a database with the catalog, made once and copied for every test."""
    url = new_database_url()
    with closing(open_database(url)) as database, database.write() as session:
        save_sources(session, [catalog_row(slug) for slug in SLUGS])
    return url


@pytest.fixture
def database_to_copy(request: pytest.FixtureRequest) -> str | None:
    """The one with the catalog for tests that have it."""
    if "catalog" not in request.fixturenames:
        return None
    url: str = request.getfixturevalue("database_with_catalog")
    return url


@pytest.fixture
def catalog(database: Database) -> list[str]:
    """Eighteen sources of six vendors."""
    return SLUGS


@pytest.fixture
def publish(database: Database, now: datetime) -> Callable[..., None]:
    """Store entries as ingestion would: ``publish(slug, title=age, …)``; ``told`` in texts."""
    return partial(filling.publish, database, now)


@pytest.fixture(scope="session")
def services_of(now: datetime) -> Callable[[Database], Context]:
    """Make the services of an application whose clock stands still: ``services_of(database)``."""
    return lambda database: Context(
        db=database,
        now=lambda: now,
        judge=lambda item, at: (Health.HEALTHY, None),
        site_url="https://changewire.example",
    )


@pytest.fixture
def services(
    database: Database, catalog: list[str], services_of: Callable[[Database], Context]
) -> Context:
    """The services of an application that has the catalog."""
    return services_of(database)


@pytest.fixture(scope="session", autouse=True)
def made_once(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Do once what is the same for every application that is made, 0.2 s each.

    Connexion validates and resolves the contract, Werkzeug compiles what builds the address of each
    rule, and Jinja compiles the templates.
    """
    load, loaded = Specification.from_dict.__func__, []
    compile_builder, builders = Rule._compile_builder, {}

    def load_if_new(cls: type[Specification], spec: dict[str, Any], **options: str) -> object:
        for known, made in loaded:
            if known == spec:
                return made
        loaded.append((deepcopy(spec), load(cls, spec, **options)))
        return loaded[-1][1]

    def builder_of(rule: Rule, append_unknown: bool = True) -> Callable[..., tuple[str, str]]:
        key = (rule.rule, str(rule.defaults), *rule._trace, append_unknown)
        if key not in builders:
            builders[key] = compile_builder(rule, append_unknown)
        return builders[key]

    templates = FileSystemBytecodeCache(str(tmp_path_factory.mktemp("templates")))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Specification, "from_dict", classmethod(load_if_new))
        patch.setattr(Rule, "_compile_builder", builder_of)
        patch.setitem(Flask.jinja_options, "bytecode_cache", templates)
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
    return filling.NewKeys(database, now)
