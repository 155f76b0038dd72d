"""The whole API in process, on a small catalog, and callers of every kind."""

from collections.abc import Callable, Iterator, Mapping
from contextvars import ContextVar
from copy import deepcopy
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

import pytest
from connexion.middleware.request_validation import RequestValidationOperation
from connexion.middleware.response_validation import ResponseValidationOperation
from connexion.middleware.routing import RoutingMiddleware
from connexion.middleware.security import SecurityOperation
from connexion.spec import OpenAPISpecification, Specification
from starlette.testclient import TestClient
from starlette.types import ASGIApp, Message, Receive, Send

from handlers.api.application import create_api
from handlers.context import Context
from handlers.http.answer_headers import AnswerHeaders
from handlers.http.routing import operation_of
from openapi.validation import ContractValidator
from openapi.vocabulary import AdapterType, Health, Kind, Plan, Scope
from storage.catalog.sources import ids_of, save_sources
from storage.engine.database import Database
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


@dataclass
class Passage:
    """Which parts of Connexion one request to the API met."""

    routed: bool = False
    operation: str | None = None
    secured: bool = False
    request_validated: bool = False
    response_validated: bool = False
    checked_as: list[str | None] = field(default_factory=list)
    status: int | None = None

    @property
    def goes_around(self) -> bool:
        """Whether the request or its answer was spared something that it has to meet."""
        allowed = self.operation is not None and self.status not in (401, 429, 503)
        answered = allowed and self.status is not None and self.status < 400
        preflight = self.operation is None and self.status == 204
        return (
            not self.routed
            or (self.operation is not None and not self.secured)
            or (allowed and not self.request_validated)
            or (answered and not self.response_validated)
            or (not preflight and self.operation not in self.checked_as)
        )


_passage: ContextVar[Passage] = ContextVar("passage")


def _noted(monkeypatch: pytest.MonkeyPatch, owner: Any, name: str, note: Any) -> None:
    """Let a method of Connexion, or of the contract's validator, note that it was called."""
    original = getattr(owner, name)

    def noting(*arguments: Any, **options: Any) -> Any:
        if (passage := _passage.get(None)) is not None:
            note(passage, arguments)
        return original(*arguments, **options)

    monkeypatch.setattr(owner, name, noting)


@pytest.fixture(autouse=True)
def passages(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Passage]]:
    """Every request of a test to the API, and whether Connexion saw it: none may go around it."""
    found: list[Passage] = []
    whole = AnswerHeaders.__call__

    async def observed(self: AnswerHeaders, scope: Any, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await whole(self, scope, receive, send)
            return
        passage = Passage()
        found.append(passage)
        token = _passage.set(passage)

        async def send_noted(message: Message) -> None:
            passage.status = message.get("status", passage.status)
            await send(message)

        try:
            await whole(self, scope, receive, send_noted)
        finally:
            _passage.reset(token)

    def routed(passage: Passage, _: Any) -> None:
        passage.routed = True

    def secured(passage: Passage, arguments: Any) -> None:
        passage.secured, passage.operation = True, operation_of(arguments[1])

    def request_validated(passage: Passage, _: Any) -> None:
        passage.request_validated = True

    def response_validated(passage: Passage, _: Any) -> None:
        passage.response_validated = True

    def checked(passage: Passage, arguments: Any) -> None:
        passage.checked_as.append(arguments[1])

    monkeypatch.setattr(AnswerHeaders, "__call__", observed)
    _noted(monkeypatch, RoutingMiddleware, "__call__", routed)
    _noted(monkeypatch, SecurityOperation, "__call__", secured)
    _noted(monkeypatch, RequestValidationOperation, "__call__", request_validated)
    _noted(monkeypatch, ResponseValidationOperation, "__call__", response_validated)
    _noted(monkeypatch, ContractValidator, "response", checked)
    yield found
    assert [passage for passage in found if passage.goes_around] == []


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
    """Store entries of a source as ingestion would: ``publish(slug, title=age, …)``."""

    def publish(slug: str, *, important: bytes | None = None, **ages: timedelta) -> None:
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
                        summary=f"All about {title}. " * 60,
                        raw={"guid": title},
                        tags=["cloud"],
                    ),
                    content_hash="0" * 64,
                    importance=important,
                    importance_version=1,
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
