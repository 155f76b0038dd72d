"""Part of the API as FastAPI's documentation teaches it: ORM rows into response models.

Totals are stored, and the page of several sources reads only the newest rows of each, as in the
product: what differs is the way from the rows to the bytes.
"""

import hashlib
import os
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Annotated, Any

from entries import invented
from fastapi import FastAPI, Header, HTTPException, Query
from pydantic import BaseModel, ConfigDict
from sqlalchemy import (
    JSON,
    Engine,
    ForeignKey,
    Index,
    create_engine,
    func,
    insert,
    literal_column,
    select,
    union_all,
)
from sqlalchemy.orm import (
    DeclarativeBase,
    Mapped,
    Session,
    joinedload,
    mapped_column,
    relationship,
    sessionmaker,
)


class Base(DeclarativeBase):
    """The tables."""

    type_annotation_map = {dict[str, Any]: JSON, list[str]: JSON}  # noqa: RUF012 - never changed


class ApiKey(Base):
    """A key, as its hash."""

    __tablename__ = "api_keys"
    digest: Mapped[str] = mapped_column(primary_key=True)
    plan: Mapped[str]
    expires_at: Mapped[datetime | None]


class Source(Base):
    """A source."""

    __tablename__ = "sources"
    id: Mapped[int] = mapped_column(primary_key=True)
    slug: Mapped[str] = mapped_column(unique=True)
    entry_count: Mapped[int]


class Entry(Base):
    """An entry, with a column for each field."""

    __tablename__ = "entries"
    id: Mapped[int] = mapped_column(primary_key=True)
    source_id: Mapped[int] = mapped_column(ForeignKey("sources.id"))
    external_id: Mapped[str]
    published_at: Mapped[datetime]
    vendor: Mapped[str]
    title: Mapped[str]
    url: Mapped[str | None]
    summary: Mapped[str | None]
    tags: Mapped[list[str]]
    raw: Mapped[dict[str, Any]]
    of: Mapped[Source] = relationship()
    __table_args__ = (
        Index("page", "source_id", "published_at", "external_id"),
        Index("newest", "published_at", "external_id", "source_id"),
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


def engine() -> Engine:
    """Return the engine of the database that PEER_DATABASE names."""
    return create_engine(f"sqlite:///{os.environ['PEER_DATABASE']}")


def fill(entries: int, key: str) -> None:
    """Fill an empty database with the entries that the product has."""
    made = engine()
    Base.metadata.create_all(made)
    with Session(made) as session:
        digest = hashlib.sha256(key.encode()).hexdigest()
        session.add(ApiKey(digest=digest, plan="all", expires_at=None))
        for source_id, (slug, records) in enumerate(invented(entries), 1):
            session.add(Source(id=source_id, slug=slug, entry_count=len(records)))
            session.flush()
            rows = [{**_fields(record.text), "source_id": source_id} for record in records]
            if rows:
                session.execute(insert(Entry), rows)
        session.commit()


def _fields(text: Any) -> dict[str, Any]:
    names = ("external_id", "vendor", "title", "url", "summary", "tags", "raw")
    fields = {name: getattr(text, name) for name in names}
    return {**fields, "published_at": text.published_at.replace(tzinfo=None)}


def application() -> FastAPI:
    """Return the application over a filled database."""
    app, ready = FastAPI(), sessionmaker(engine())
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
            total = session.scalar(select(func.sum(Source.entry_count))) or 0
            newest = (Entry.published_at.desc(), Entry.external_id.desc(), Entry.source_id.desc())
            query = select(Entry).options(joinedload(Entry.of)).order_by(*newest)
            rows = session.scalars(query.limit(limit).offset(offset)).all()
            items = [PublicEntry(**_item(row, (row.summary or "")[:500])) for row in rows]
            return Feed(total=total, limit=limit, offset=offset, items=items)

    return app


def page_of(
    session: Session, slugs: Sequence[str], limit: int, offset: int
) -> tuple[int, Sequence[Entry]]:
    """Return total and entries of some sources."""
    sources = session.scalars(select(Source).where(Source.slug.in_(slugs))).all()
    if len(sources) < len(slugs):
        raise HTTPException(404)
    columns = (Entry.id, Entry.published_at, Entry.external_id, Entry.source_id)
    arms = [select(*columns).where(Entry.source_id == source.id) for source in sources]
    names = ("published_at", "external_id", "source_id")
    merged = union_all(*arms).order_by(*(literal_column(f"{name} DESC") for name in names))
    page = merged.limit(limit).offset(offset).subquery()
    newest = (Entry.published_at.desc(), Entry.external_id.desc(), Entry.source_id.desc())
    query = select(Entry).where(Entry.id.in_(select(page.c.id))).options(joinedload(Entry.of))
    rows = session.scalars(query.order_by(*newest)).all()
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
