"""Part of the API as FastAPI's documentation teaches it: ORM rows into response models.

Totals are stored, and the page of several sources reads only the newest rows of each, as in the
product: what differs is the way from the rows to the bytes.
"""

import hashlib
import os
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Annotated, Any

import sqlalchemy as sa
from entries import invented
from fastapi import FastAPI, Header, HTTPException, Query
from pydantic import BaseModel, ConfigDict
from sqlalchemy import orm


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
    url: orm.Mapped[str | None]
    summary: orm.Mapped[str | None]
    tags: orm.Mapped[list[str]]
    raw: orm.Mapped[dict[str, Any]]
    of: orm.Mapped[Source] = orm.relationship()
    __table_args__ = (
        sa.Index("page", "source_id", "published_at", "external_id"),
        sa.Index("newest", "published_at", "external_id", "source_id"),
    )


class PublicEntry(BaseModel):
    """An entry without a key."""

    model_config = ConfigDict(extra="forbid")
    id: str
    source: str
    vendor: str
    published_at: datetime
    title: str
    url: str | None
    summary: str | None
    tags: list[str]


class ChangelogEntry(PublicEntry):
    """An entry with a key."""

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
            rows = [{**_fields(record.text), "source_id": source_id} for record in records]
            if rows:
                session.execute(sa.insert(Entry), rows)
        session.commit()


def _fields(text: Any) -> dict[str, Any]:
    names = ("external_id", "vendor", "title", "url", "summary", "tags", "raw")
    fields = {name: getattr(text, name) for name in names}
    return {**fields, "published_at": text.published_at.replace(tzinfo=None)}


def application() -> FastAPI:
    """Return the application over a filled database."""
    app, ready = FastAPI(), orm.sessionmaker(engine())
    limited, offset_ = Query(ge=1, le=100), Query(ge=0, le=2**53)

    @app.get("/api/v1/entries")
    def list_entries(
        sources: Annotated[str, Query(max_length=12_100)],
        key: Annotated[str, Header(alias="X-Api-Key")],
        limit: Annotated[int, limited] = 50,
        offset: Annotated[int, offset_] = 0,
    ) -> EntryPage:
        with ready() as session:
            owner = session.get(ApiKey, hashlib.sha256(key.encode()).hexdigest())
            if owner is None or (owner.expires_at and owner.expires_at < datetime.now(UTC)):
                raise HTTPException(401)
            total, rows = page_of(session, sources.split(","), limit, offset)
            items = [ChangelogEntry(**_item(row, row.summary), raw=row.raw) for row in rows]
            return EntryPage(plan=owner.plan, total=total, limit=limit, offset=offset, items=items)

    @app.get("/api/v1/latest")
    def list_latest(
        limit: Annotated[int, limited] = 50, offset: Annotated[int, offset_] = 0
    ) -> Feed:
        with ready() as session:
            total = session.scalar(sa.select(sa.func.sum(Source.entry_count))) or 0
            newest = (Entry.published_at.desc(), Entry.external_id.desc(), Entry.source_id.desc())
            query = sa.select(Entry).options(orm.joinedload(Entry.of)).order_by(*newest)
            rows = session.scalars(query.limit(limit).offset(offset)).all()
            items = [PublicEntry(**_item(row, (row.summary or "")[:500])) for row in rows]
            return Feed(total=total, limit=limit, offset=offset, items=items)

    return app


def page_of(
    session: orm.Session, slugs: Sequence[str], limit: int, offset: int
) -> tuple[int, Sequence[Entry]]:
    """Return total and entries of some sources."""
    sources = session.scalars(sa.select(Source).where(Source.slug.in_(slugs))).all()
    if len(sources) < len(slugs):
        raise HTTPException(404)
    columns = (Entry.id, Entry.published_at, Entry.external_id, Entry.source_id)
    arms = [sa.select(*columns).where(Entry.source_id == source.id) for source in sources]
    names = ("published_at", "external_id", "source_id")
    merged = sa.union_all(*arms).order_by(*(sa.literal_column(f"{name} DESC") for name in names))
    page = merged.limit(limit).offset(offset).subquery()
    newest = (Entry.published_at.desc(), Entry.external_id.desc(), Entry.source_id.desc())
    query = (
        sa.select(Entry).where(Entry.id.in_(sa.select(page.c.id))).options(orm.joinedload(Entry.of))
    )
    rows = session.scalars(query.options(orm.joinedload(Entry.of)).order_by(*newest)).all()
    return sum(source.entry_count for source in sources), rows


def _item(entry: Entry, summary: str | None) -> dict[str, Any]:
    return {
        "id": entry.external_id,
        "source": entry.of.slug,
        "vendor": entry.vendor,
        "published_at": entry.published_at.replace(tzinfo=UTC),
        "title": entry.title,
        "url": entry.url,
        "summary": summary,
        "tags": entry.tags,
    }
