"""Part of the API as FastAPI's documentation teaches it: ORM rows into response models.

Its bodies are those of the product, of fields with the same bounds, and have ETags. Totals are
stored, and of several sources only the newest rows are read: what differs is the way from the rows
to the bytes. There are no Link headers, rate limits, logs or counters of requests.
"""

import hashlib
import json
import os
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any

import sqlalchemy as sa
from entries import invented
from fastapi import FastAPI, Header, HTTPException, Query
from pydantic import AfterValidator, AliasPath, BaseModel, ConfigDict, Field, StringConstraints
from sqlalchemy import orm
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from storage.entries.entry_writes import EntryRecord

NEWEST = ("published_at", "external_id", "source_id")
Text = Annotated[str, StringConstraints(max_length=200_000, pattern=r"^[^\x00]*$")]
Limit = Annotated[int, Query(ge=1, le=100)]
Offset = Annotated[int, Query(ge=0, le=2**53)]
Line = Annotated[str, StringConstraints(max_length=500, pattern=r"^[^\x00]*$")]


class Base(orm.DeclarativeBase):
    """The tables."""

    type_annotation_map = {dict[str, Any]: sa.JSON, list[str]: sa.JSON}  # noqa: RUF012 - constant


class ApiKey(Base):
    """A key, as its hash."""

    __tablename__ = "api_keys"
    digest: orm.Mapped[str] = orm.mapped_column(primary_key=True)
    plan: orm.Mapped[str]
    expires_at: orm.Mapped[datetime | None]


class Source(Base):
    """A source."""

    __tablename__ = "sources"
    id: orm.Mapped[int] = orm.mapped_column(primary_key=True)
    slug: orm.Mapped[str] = orm.mapped_column(unique=True)
    entry_count: orm.Mapped[int]


class Entry(Base):
    """An entry, with a column for each field."""

    __tablename__ = "entries"
    id: orm.Mapped[int] = orm.mapped_column(primary_key=True)
    source_id: orm.Mapped[int] = orm.mapped_column(sa.ForeignKey("sources.id"))
    external_id: orm.Mapped[str]
    published_at: orm.Mapped[datetime]
    vendor: orm.Mapped[str]
    title: orm.Mapped[str]
    headline: orm.Mapped[str]
    version: orm.Mapped[str | None]
    prerelease: orm.Mapped[bool | None]
    listed: orm.Mapped[bool]
    url: orm.Mapped[str | None]
    summary: orm.Mapped[str | None]
    short: orm.Mapped[str | None]
    tags: orm.Mapped[list[str]]
    raw: orm.Mapped[dict[str, Any]]
    of: orm.Mapped[Source] = orm.relationship()
    __table_args__ = (
        sa.Index("page", "source_id", *NEWEST[:2]),
        sa.Index("newest", *NEWEST, sqlite_where=sa.text("listed = 1")),
        sa.Index("unlisted", "id", sqlite_where=sa.text("listed = 0")),
    )


BY_NEWEST = [getattr(Entry, name).desc() for name in NEWEST]


class Published(BaseModel):
    """What every entry has, read from its row."""

    model_config = ConfigDict(from_attributes=True)
    id: Line = Field(validation_alias="external_id")
    source: Line = Field(validation_alias=AliasPath("of", "slug"))
    vendor: Line
    published_at: Annotated[datetime, AfterValidator(lambda at: at.replace(tzinfo=UTC))]
    title: Line
    version: Line | None
    prerelease: bool | None
    url: Text | None
    tags: list[Line]


class PublicEntry(Published):
    """An entry without a key."""

    summary: Line | None = Field(validation_alias="short")
    headline: Line


class ChangelogEntry(Published):
    """An entry with a key."""

    summary: Text | None
    raw: dict[str, Any]


class Feed(BaseModel):
    """GET /latest."""

    total: int
    limit: int
    offset: int
    items: list[PublicEntry]


class EntryPage(Feed):
    """GET /entries."""

    plan: str
    items: list[ChangelogEntry]  # type: ignore[assignment] - pydantic lets a subclass narrow it


def engine() -> sa.Engine:
    """Return the engine of the database that PEER_DATABASE names."""
    return sa.create_engine(f"sqlite:///{os.environ['PEER_DATABASE']}")


def fill(entries: int, key: str) -> None:
    """Fill an empty database with the entries that the product has."""
    made = engine()
    Base.metadata.create_all(made)
    with orm.Session(made) as session:
        digest = hashlib.sha256(key.encode()).hexdigest()
        session.add(ApiKey(digest=digest, plan="all", expires_at=None))
        for source_id, (slug, records) in enumerate(invented(entries), 1):
            session.add(Source(id=source_id, slug=slug, entry_count=len(records)))
            session.flush()
            rows = [{**_fields(record), "source_id": source_id} for record in records]
            if rows:
                session.execute(sa.insert(Entry), rows)
        session.commit()


def _fields(record: EntryRecord) -> dict[str, Any]:
    whole, public = map(json.loads, record.documents or ())
    fields = {"headline": public["headline"], "short": public["summary"], "listed": True}
    own = {"external_id": whole.pop("id"), "published_at": record.text.published_at}
    del whole["source"]
    return {**whole, **fields, **own}


def with_etags(app: ASGIApp) -> ASGIApp:
    """Return an application whose responses, each of one piece, have the ETag of their body."""

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        started: list[Message] = []

        async def send_with_etag(message: Message) -> None:
            if message["type"] == "http.response.start":
                started.append(message)
                return
            etag = f'"{hashlib.sha256(message["body"]).hexdigest()[:32]}"'
            started[0]["headers"].append((b"etag", etag.encode()))
            await send(started[0])
            await send(message)

        await app(scope, receive, send_with_etag if scope["type"] == "http" else send)

    return answer


def application() -> ASGIApp:
    """Return the application over a filled database."""
    app, ready = FastAPI(), orm.sessionmaker(engine())

    @app.get("/api/v1/entries", response_model=EntryPage)
    def list_entries(
        sources: Annotated[str, Query(max_length=12_100)],
        key: Annotated[str, Header(alias="X-Api-Key")],
        limit: Limit = 50,
        offset: Offset = 0,
    ) -> Any:
        with ready() as session:
            owner = session.get(ApiKey, hashlib.sha256(key.encode()).hexdigest())
            if owner is None or (owner.expires_at and owner.expires_at < datetime.now(UTC)):
                raise HTTPException(401)
            total, items = page_of(session, sources.split(","), limit, offset)
        place = {"plan": owner.plan, "total": total, "limit": limit, "offset": offset}
        return {**place, "items": items}

    @app.get("/api/v1/latest", response_model=Feed)
    def list_latest(limit: Limit = 50, offset: Offset = 0) -> Any:
        latest = datetime.now(UTC).replace(tzinfo=None) + timedelta(minutes=10)
        with ready() as session:
            total = session.scalar(sa.select(sa.func.sum(Source.entry_count))) or 0
            for hidden in (~Entry.listed, Entry.listed & (Entry.published_at > latest)):
                total -= session.scalar(sa.select(sa.func.count(Entry.id)).where(hidden)) or 0
            query = sa.select(Entry).where(Entry.listed, Entry.published_at <= latest)
            query = query.options(orm.joinedload(Entry.of)).order_by(*BY_NEWEST)
            items = session.scalars(query.limit(limit).offset(offset)).all()
        return {"total": total, "limit": limit, "offset": offset, "items": items}

    return with_etags(app)


def page_of(
    session: orm.Session, slugs: Sequence[str], limit: int, offset: int
) -> tuple[int, Sequence[Entry]]:
    """Return total and entries of some sources."""
    sources = session.scalars(sa.select(Source).where(Source.slug.in_(slugs))).all()
    if len(sources) < len(slugs):
        raise HTTPException(404)
    columns = (Entry.id, Entry.published_at, Entry.external_id, Entry.source_id)
    arms = [sa.select(*columns).where(Entry.source_id == source.id) for source in sources]
    merged = sa.union_all(*arms).order_by(*(sa.literal_column(f"{name} DESC") for name in NEWEST))
    page = merged.limit(limit).offset(offset).subquery()
    query = sa.select(Entry).where(Entry.id.in_(sa.select(page.c.id)))
    rows = session.scalars(query.options(orm.joinedload(Entry.of)).order_by(*BY_NEWEST)).all()
    return sum(source.entry_count for source in sources), rows
