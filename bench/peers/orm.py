"""The data as an application without stored answers keeps it, and the questions peers ask.

Every field of an entry has a column. The indexes and the shape of the page query are ours, so
that the peers are not measured on a slower plan: what differs is the road from rows to bytes.
"""

import hashlib
import os
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import orjson
import pysqlite3.dbapi2 as driver
from sqlalchemy import JSON, DateTime, ForeignKey, create_engine, event, func, select, union_all
from sqlalchemy.orm import (
    DeclarativeBase,
    Mapped,
    Session,
    joinedload,
    mapped_column,
    relationship,
    sessionmaker,
)
from sqlalchemy.types import TypeDecorator

from ingest import health
from ingest.facts import start_interval
from ingest.outcomes import Failure
from openapi.vocabulary import AdapterType

DATABASE = "BENCH_DATABASE"
FUTURE = timedelta(minutes=10)
SLOTS = {"free": 3, "starter": 10, "all": None}
TABLE = """
CREATE TABLE IF NOT EXISTS peer_entries (
    id INTEGER PRIMARY KEY, source_id INTEGER NOT NULL REFERENCES sources(id),
    external_id VARCHAR NOT NULL, published_at DATETIME NOT NULL, title TEXT NOT NULL, url TEXT,
    summary TEXT, short_summary TEXT, raw JSON NOT NULL, important BOOLEAN NOT NULL,
    importance JSON
);
INSERT INTO peer_entries SELECT id, source_id, external_id, published_at, title, url,
    document ->> 'summary', public_document ->> 'summary', document -> 'raw', important,
    CAST(importance AS TEXT) FROM entries;
CREATE INDEX peer_page ON peer_entries (source_id, published_at, external_id);
CREATE INDEX peer_latest ON peer_entries (published_at, external_id, source_id);
CREATE INDEX peer_important ON peer_entries (published_at, external_id, source_id)
    WHERE important = 1;
ANALYZE;
"""


class Utc(TypeDecorator[datetime]):
    """SQLite keeps no zone."""

    impl = DateTime
    cache_ok = True

    def process_result_value(self, value: datetime | None, dialect: Any) -> datetime | None:
        """Say that it is UTC."""
        return None if value is None else value.replace(tzinfo=UTC)

    def process_bind_param(self, value: datetime | None, dialect: Any) -> datetime | None:
        """Write UTC."""
        return None if value is None else value.astimezone(UTC).replace(tzinfo=None)


class Base(DeclarativeBase):
    """The peers' tables."""

    type_annotation_map = {datetime: Utc, dict[str, Any]: JSON, list[str]: JSON}  # noqa: RUF012


class Account(Base):
    """Somebody with a plan."""

    __tablename__ = "accounts"
    id: Mapped[int] = mapped_column(primary_key=True)
    plan: Mapped[str]


class ApiKey(Base):
    """A key."""

    __tablename__ = "api_keys"
    id: Mapped[int] = mapped_column(primary_key=True)
    account_id: Mapped[int] = mapped_column(ForeignKey("accounts.id"))
    public_id: Mapped[str]
    digest: Mapped[str]
    scopes: Mapped[list[str]]
    expires_at: Mapped[datetime | None]
    revoked_at: Mapped[datetime | None]
    account: Mapped[Account] = relationship()


class Source(Base):
    """A source."""

    __tablename__ = "sources"
    id: Mapped[int] = mapped_column(primary_key=True)
    slug: Mapped[str]
    vendor: Mapped[str]
    name: Mapped[str]
    kind: Mapped[str]
    homepage: Mapped[str | None]
    changelog_url: Mapped[str]
    adapter_type: Mapped[str]
    tags: Mapped[list[str]]
    health: Mapped[str]
    prominence: Mapped[int]
    entry_count: Mapped[int]
    important_count: Mapped[int]
    facts: Mapped["Facts"] = relationship(back_populates="source")


class Facts(Base):
    """What is known about fetching a source, by which its health is judged."""

    __tablename__ = "fetch_facts"
    source_id: Mapped[int] = mapped_column(ForeignKey("sources.id"), primary_key=True)
    interval: Mapped[int | None]  # seconds
    fail_score: Mapped[float]
    failures: Mapped[int]
    empty_streak: Mapped[int]
    first_attempt_at: Mapped[datetime | None]
    last_attempt_at: Mapped[datetime | None]
    last_success_at: Mapped[datetime | None]
    last_failure: Mapped[str | None]
    last_status: Mapped[int | None]
    entries_180d: Mapped[int]
    median_gap: Mapped[int | None]  # seconds
    newest_published_at: Mapped[datetime | None]
    open_gap: Mapped[bool]
    source: Mapped[Source] = relationship(back_populates="facts")


class Selection(Base):
    """A source chosen for a key."""

    __tablename__ = "selections"
    key_id: Mapped[int] = mapped_column(primary_key=True)
    source_id: Mapped[int] = mapped_column(primary_key=True)


class Entry(Base):
    """An entry, a column a field."""

    __tablename__ = "peer_entries"
    id: Mapped[int] = mapped_column(primary_key=True)
    source_id: Mapped[int] = mapped_column(ForeignKey("sources.id"))
    external_id: Mapped[str]
    published_at: Mapped[datetime]
    title: Mapped[str]
    url: Mapped[str | None]
    summary: Mapped[str | None]
    short_summary: Mapped[str | None]
    raw: Mapped[dict[str, Any]]
    important: Mapped[bool]
    importance: Mapped[dict[str, Any] | None]
    of: Mapped[Source] = relationship()


NEWEST_FIRST = (Entry.published_at.desc(), Entry.external_id.desc(), Entry.source_id.desc())


class Refused(Exception):
    """A no."""

    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.body = {"error": message, "code": code, "message": message}


def prepare(file: str) -> None:
    """Give a database the peers' table."""
    connection = driver.connect(file)
    names = connection.execute("SELECT name FROM sqlite_master WHERE name = 'peer_important'")
    if names.fetchone() is None:
        connection.execute("PRAGMA cache_size = -200000")
        connection.executescript(TABLE)
    connection.close()


def sessions() -> sessionmaker[Session]:
    """Return sessions on the database that BENCH_DATABASE names."""
    engine = create_engine(
        f"sqlite:///{os.environ[DATABASE]}",
        module=driver,
        json_serializer=lambda value: orjson.dumps(value).decode(),
        json_deserializer=orjson.loads,
    )

    @event.listens_for(engine, "connect")
    def _wal(connection: Any, _record: object) -> None:
        connection.execute("PRAGMA journal_mode = WAL")

    return sessionmaker(engine)


@dataclass(frozen=True)
class Caller:
    """Whose key it is."""

    key_id: int
    plan: str
    scopes: list[str]


def caller_of(session: Session, text: str | None) -> Caller:
    """Return whose key it is, checked by its SHA-256; raise Refused for any other text."""
    parts = (text or "").split("_")
    if len(parts) == 3:
        query = select(ApiKey).where(ApiKey.public_id == parts[1])
        key = session.scalar(query.options(joinedload(ApiKey.account)))
        fits = key is not None and key.digest == hashlib.sha256(text.encode()).hexdigest()
        if fits and key.revoked_at is None and (key.expires_at or FAR) > datetime.now(UTC):
            return Caller(key.id, key.account.plan, key.scopes)
    raise Refused(401, "unauthorized", "The API key is missing or not valid.")


FAR = datetime.max.replace(tzinfo=UTC)


def entries_page(
    session: Session, caller: Caller, slugs: Sequence[str], *, since: datetime | None, limit, offset
) -> tuple[int, Sequence[Entry]]:
    """Return total and entries of the sources that the key may read."""
    if "read:entries" not in caller.scopes:
        raise Refused(403, "insufficient_scope", "The key lacks the scope read:entries.")
    slots = SLOTS[caller.plan]
    if slots is not None and len(slugs) > slots:
        raise Refused(403, "plan_limit_exceeded", "Too many sources.")
    sources = session.scalars(select(Source).where(Source.slug.in_(slugs))).all()
    allowed = {each.id for each in sources}
    if slots is not None:
        chosen = select(Selection.source_id).where(Selection.key_id == caller.key_id)
        allowed &= set(session.scalars(chosen))
    if len(allowed) < len(set(slugs)):
        raise Refused(403, "source_not_selected", "A source is not selected.")
    newest = []
    for each in sources:
        query = select(Entry.id, Entry.published_at, Entry.external_id, Entry.source_id)
        query = query.where(Entry.source_id == each.id)
        if since is not None:
            query = query.where(Entry.published_at > since)
        order = (Entry.published_at.desc(), Entry.external_id.desc())
        newest.append(select(query.order_by(*order).limit(limit + offset).subquery()))
    found = union_all(*newest).subquery()
    order = (found.c.published_at.desc(), found.c.external_id.desc(), found.c.source_id.desc())
    ids = session.scalars(select(found.c.id).order_by(*order).limit(limit).offset(offset)).all()
    rows = session.scalars(
        select(Entry).where(Entry.id.in_(ids)).options(joinedload(Entry.of)).order_by(*NEWEST_FIRST)
    ).all()
    return sum(each.entry_count for each in sources), rows


def public_page(
    session: Session, *, limit: int, offset: int, important: bool
) -> tuple[int, Sequence[Entry]]:
    """Return total and entries of a public feed."""
    until = datetime.now(UTC) + FUTURE
    ahead = select(func.count()).select_from(Entry).where(Entry.published_at > until)
    query = select(Entry).where(Entry.published_at <= until)
    column = Source.entry_count
    if important:
        query, ahead = query.where(Entry.important == 1), ahead.where(Entry.important == 1)
        column = Source.important_count
    total = (session.scalar(select(func.sum(column))) or 0) - (session.scalar(ahead) or 0)
    query = query.options(joinedload(Entry.of)).order_by(*NEWEST_FIRST)
    return total, session.scalars(query.limit(limit).offset(offset)).all()


def catalog_page(session: Session, *, limit: int, offset: int) -> tuple[int, Sequence[Source]]:
    """Return total and sources by slug."""
    total = session.scalar(select(func.count()).select_from(Source)) or 0
    query = select(Source).options(joinedload(Source.facts)).order_by(Source.slug)
    return total, session.scalars(query.limit(limit).offset(offset)).all()


def sample(session: Session) -> tuple[int, Sequence[Source]]:
    """Return total and five sources of distinct vendors."""
    total = session.scalar(select(func.count()).select_from(Source)) or 0
    best = select(func.min(Source.slug)).where(Source.health == "healthy").group_by(Source.vendor)
    best = best.order_by(func.max(Source.prominence).desc(), func.min(Source.slug)).limit(5)
    query = select(Source).options(joinedload(Source.facts)).where(Source.slug.in_(best))
    return total, session.scalars(query).all()


def verdict(source: Source, now: datetime) -> health.Verdict:
    """Judge a source by our rules: its health changes with time, so nobody can store it."""
    facts, adapter_type = source.facts, AdapterType(source.adapter_type)
    interval, gap = facts.interval, facts.median_gap
    return health.judge(
        health.HealthFacts(
            adapter_type=adapter_type,
            interval=timedelta(seconds=interval) if interval else start_interval(adapter_type),
            fail_score=facts.fail_score,
            failures=facts.failures,
            empty_streak=facts.empty_streak,
            first_attempt_at=facts.first_attempt_at,
            last_attempt_at=facts.last_attempt_at,
            last_success_at=facts.last_success_at,
            last_failure=None if facts.last_failure is None else Failure(facts.last_failure),
            last_status=facts.last_status,
            entries_180d=facts.entries_180d,
            median_gap=None if gap is None else timedelta(seconds=gap),
            newest_published_at=facts.newest_published_at,
            open_gap=facts.open_gap,
        ),
        now=now,
    )
