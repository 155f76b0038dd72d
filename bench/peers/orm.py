"""The data as an application without stored answers keeps it.

Every field of an entry has a column. The indexes and the shape of the page query are ours, so
that the peers are not measured on a slower plan: what differs is the road from rows to bytes.
"""

import os
from datetime import UTC, datetime
from typing import Any

import orjson
import pysqlite3.dbapi2 as driver
from sqlalchemy import JSON, DateTime, ForeignKey, create_engine, event
from sqlalchemy.orm import (
    DeclarativeBase,
    Mapped,
    Session,
    mapped_column,
    relationship,
    sessionmaker,
)
from sqlalchemy.types import TypeDecorator

DATABASE = "BENCH_DATABASE"
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
"""
STATISTICS = ("sqlite_stat1", "sqlite_stat4")


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

    type_annotation_map = {datetime: Utc, dict[str, Any]: JSON, list[str]: JSON}  # noqa: RUF012 - SQLAlchemy reads it, never changed


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


class Refused(Exception):
    """A no."""

    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.body = {"error": message, "code": code, "message": message}


def prepare(file: str) -> None:
    """Give a database the peers' table, and leave it without statistics, as programs leave theirs.

    With them a SQLite that was built with STAT4 plans every statement anew at every execution.
    """
    connection = driver.connect(file)
    names = connection.execute("SELECT name FROM sqlite_master WHERE name = 'peer_important'")
    if names.fetchone() is None:
        connection.execute("PRAGMA cache_size = -200000")
        connection.executescript(TABLE)
    for table in STATISTICS:
        connection.execute(f"DROP TABLE IF EXISTS {table}")
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
