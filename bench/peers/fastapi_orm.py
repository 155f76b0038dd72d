"""The same API on FastAPI, as its documentation teaches: ORM rows into response models.

Handlers are plain functions (FastAPI runs them in threads) that open their own session, which
spares the two further thread changes of a generator dependency.
"""

import hashlib
from datetime import UTC, datetime
from typing import Annotated, Any

from fastapi import FastAPI, Header, Query, Request, Response
from fastapi.responses import JSONResponse
from peers import orm, questions
from peers.rss import rss_of
from pydantic import BaseModel, ConfigDict
from starlette.middleware import Middleware
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ingest.scheduling.health import Verdict

READY = orm.sessions()


class Shape(BaseModel):
    """No field but those of the contract."""

    model_config = ConfigDict(extra="forbid", from_attributes=True)


class PublicEntry(Shape):
    """An entry as anybody may read it."""

    id: str
    source: str
    vendor: str
    published_at: datetime
    title: str
    url: str | None
    summary: str | None
    tags: list[str]


class ImportantEntry(PublicEntry):
    """An entry and why it is important."""

    importance: dict[str, Any]


class ChangelogEntry(PublicEntry):
    """An entry as a key may read it."""

    raw: dict[str, Any]


class EntryPage(Shape):
    """GET /entries."""

    plan: str
    total: int
    limit: int
    offset: int
    items: list[ChangelogEntry]


class Feed(Shape):
    """GET /latest."""

    total: int
    limit: int
    offset: int
    items: list[PublicEntry]


class ImportantFeed(Feed):
    """GET /important."""

    items: list[ImportantEntry]  # type: ignore[assignment] - pydantic lets a subclass narrow a field


class SampleSource(Shape):
    """A source as anybody may see it."""

    slug: str
    vendor: str
    name: str
    kind: str
    homepage: str | None
    lastUpdatedAt: datetime | None  # noqa: N815 - the contract's name
    health: str


class CatalogSource(SampleSource):
    """A source as a key may see it."""

    changelogUrl: str  # noqa: N815 - the contract's name
    adapterType: str  # noqa: N815 - the contract's name
    tags: list[str]
    lastFetchedAt: datetime | None  # noqa: N815 - the contract's name
    healthMessage: str | None = None  # noqa: N815 - the contract's name


class SourcePage(Shape):
    """GET /sources with a key."""

    total: int
    limit: int
    offset: int
    items: list[CatalogSource]


class SourceSample(Shape):
    """GET /sources without a key."""

    sample: bool
    total: int
    limit: int
    offset: int
    items: list[SampleSource]
    hint: str
    agent: str


class BodyTags:
    """ETag from the body, as the usual middlewares make it."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Hold the answer until its tag is known."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        start: Message = {}
        pieces: list[bytes] = []

        async def hold(message: Message) -> None:
            nonlocal start
            if message["type"] == "http.response.start":
                start = message
                return
            pieces.append(message.get("body", b""))
            if message.get("more_body"):
                return
            body = b"".join(pieces)
            tag = b'"%b"' % hashlib.blake2b(body, digest_size=16).hexdigest().encode()
            headers = [*start["headers"], (b"etag", tag)]
            asked = dict(scope["headers"]).get(b"if-none-match")
            if asked == tag and start["status"] == 200:
                await send({"type": "http.response.start", "status": 304, "headers": headers[2:]})
                await send({"type": "http.response.body", "body": b""})
                return
            await send({**start, "headers": headers})
            await send({"type": "http.response.body", "body": body})

        await self.app(scope, receive, hold)


app = FastAPI(middleware=[Middleware(BodyTags)])
Limit = Annotated[int, Query(ge=1, le=100)]
Offset = Annotated[int, Query(ge=0, le=2**53)]
Key = Annotated[str | None, Header(alias="X-Api-Key")]


@app.exception_handler(orm.Refused)
async def refused(_request: Request, error: orm.Refused) -> JSONResponse:
    """Say no."""
    return JSONResponse(error.body, error.status)


def _core(entry: orm.Entry, summary: str | None) -> dict[str, Any]:
    return {
        "id": entry.external_id,
        "source": entry.of.slug,
        "vendor": entry.of.vendor,
        "published_at": entry.published_at,
        "title": entry.title,
        "url": entry.url,
        "summary": summary,
        "tags": entry.of.tags,
    }


@app.get("/api/v1/entries")
def list_entries(
    sources: Annotated[str, Query(max_length=12_100)],
    key: Key = None,
    since: datetime | None = None,
    limit: Limit = 50,
    offset: Offset = 0,
) -> EntryPage:
    """Answer GET /entries."""
    with READY() as session:
        caller = questions.caller_of(session, key)
        total, rows = questions.entries_page(
            session, caller, sources.split(","), since=since, limit=limit, offset=offset
        )
        items = [ChangelogEntry(**_core(row, row.summary), raw=row.raw) for row in rows]
        plan = caller.plan
    return EntryPage(plan=plan, total=total, limit=limit, offset=offset, items=items)


@app.get("/api/v1/latest")
def list_latest(limit: Limit = 50, offset: Offset = 0) -> Feed:
    """Answer GET /latest."""
    with READY() as session:
        total, rows = questions.public_page(session, limit=limit, offset=offset, important=False)
        items = [PublicEntry(**_core(row, row.short_summary)) for row in rows]
    return Feed(total=total, limit=limit, offset=offset, items=items)


@app.get("/api/v1/important")
def list_important(limit: Limit = 50, offset: Offset = 0) -> ImportantFeed:
    """Answer GET /important."""
    with READY() as session:
        total, rows = questions.public_page(session, limit=limit, offset=offset, important=True)
        items = [
            ImportantEntry(**_core(row, row.short_summary), importance=row.importance)
            for row in rows
        ]
    return ImportantFeed(total=total, limit=limit, offset=offset, items=items)


def _source(source: orm.Source, judged: Verdict) -> dict[str, Any]:
    return {
        "slug": source.slug,
        "vendor": source.vendor,
        "name": source.name,
        "kind": source.kind,
        "homepage": source.homepage,
        "lastUpdatedAt": source.facts.newest_published_at,
        "health": judged.health.value,
    }


@app.get("/api/v1/sources")
def list_sources(
    key: Key = None, limit: Limit = 50, offset: Offset = 0
) -> SourcePage | SourceSample:
    """Answer GET /sources."""
    with READY() as session:
        now = datetime.now(UTC)
        if key is None:
            total, rows = questions.sample(session)
            return SourceSample(
                sample=True,
                total=total,
                limit=5,
                offset=0,
                items=[SampleSource(**_source(row, questions.verdict(row, now))) for row in rows],
                hint="Sign up for a free key.",
                agent="This JSON is a sample and not the catalog.",
            )
        questions.caller_of(session, key)
        total, rows = questions.catalog_page(session, limit=limit, offset=offset)
        items = [
            CatalogSource(
                **_source(row, judged := questions.verdict(row, now)),
                changelogUrl=row.changelog_url,
                adapterType=row.adapter_type,
                tags=row.tags,
                lastFetchedAt=row.facts.last_success_at,
                healthMessage=judged.message,
            )
            for row in rows
        ]
    return SourcePage(total=total, limit=limit, offset=offset, items=items)


@app.get("/rss/updates.xml")
def rss() -> Response:
    """Answer the RSS feed."""
    with READY() as session:
        _, rows = questions.public_page(session, limit=50, offset=0, important=False)
        return Response(rss_of(rows), media_type="application/rss+xml")
