"""Every table, in the order of the story: sources, what was read from them, who may read it."""

from datetime import date, datetime, timedelta

from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    ForeignKey,
    Index,
    LargeBinary,
    MetaData,
    String,
    Text,
    UniqueConstraint,
    text,
)
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column, relationship

from openapi.vocabulary import (
    AdapterType,
    DeadlineKind,
    Health,
    Json,
    Kind,
    Plan,
    RequestStatus,
)
from storage.types import (
    Address,
    Digest,
    ExternalId,
    Id,
    JsonBytes,
    Seconds,
    ShortText,
    Slug,
    UtcDateTime,
    Vendor,
    Word,
    ordered_text,
)


class Base(DeclarativeBase):
    """Names every constraint, so that migrations can speak of it."""

    metadata = MetaData(
        naming_convention={
            "ix": "ix_%(column_0_N_label)s",
            "uq": "uq_%(table_name)s_%(column_0_N_name)s",
            "ck": "ck_%(table_name)s_%(constraint_name)s",
            "fk": "fk_%(table_name)s_%(column_0_N_name)s_%(referred_table_name)s",
            "pk": "pk_%(table_name)s",
        }
    )
    type_annotation_map = {  # noqa: RUF012 - SQLAlchemy reads it from the class
        datetime: UtcDateTime,
        timedelta: Seconds,
        bytes: LargeBinary,
        AdapterType: Word(AdapterType),
        Kind: Word(Kind),
        DeadlineKind: Word(DeadlineKind),
        Health: Word(Health),
        Plan: Word(Plan),
        RequestStatus: Word(RequestStatus),
    }


class Source(Base):
    """One vendor changelog of the catalog (specification 2.1).

    Its feed address is not here but in FetchFacts, which nothing that answers a customer reads.
    """

    __tablename__ = "sources"

    id: Mapped[Id]
    slug: Mapped[Slug]
    vendor: Mapped[Vendor] = mapped_column(index=True)
    name: Mapped[ShortText]
    name_folded: Mapped[str] = mapped_column(Text)  # SQLite folds the case of ASCII only
    kind: Mapped[Kind] = mapped_column(index=True)
    homepage: Mapped[str | None] = mapped_column(String(4096))
    changelog_url: Mapped[Address]
    adapter_type: Mapped[AdapterType] = mapped_column(index=True)
    tags: Mapped[Json] = mapped_column(JsonBytes)
    prominence: Mapped[int] = mapped_column(default=0)  # sources of the same vendor
    health: Mapped[Health] = mapped_column(default=Health.UNKNOWN)  # when last judged
    entry_count: Mapped[int] = mapped_column(default=0)  # kept, so that no page counts
    important_count: Mapped[int] = mapped_column(default=0)

    facts: Mapped["FetchFacts"] = relationship(back_populates="source", lazy="raise")

    __table_args__ = (
        Index("ix_sources_sample", "health", "prominence", "slug", "vendor"),
        Index("ix_sources_counts", "entry_count", "important_count"),
    )


class FetchFacts(Base):
    """What is known about fetching a source; pace and health are computed from it."""

    __tablename__ = "fetch_facts"

    source_id: Mapped[int] = mapped_column(
        ForeignKey("sources.id", ondelete="CASCADE"), primary_key=True
    )
    feed_url: Mapped[Address]  # the page itself where there is no feed
    host: Mapped[str] = mapped_column(String(255), index=True)
    redirect_url: Mapped[str | None] = mapped_column(String(4096))
    redirect_seen_at: Mapped[datetime | None]
    etag: Mapped[str | None] = mapped_column(Text)  # byte for byte as the vendor sent it
    last_modified: Mapped[str | None] = mapped_column(Text)
    validators_url: Mapped[str | None] = mapped_column(String(4096))  # whose they are
    body_hash: Mapped[str | None] = mapped_column(String(64))
    parser_version: Mapped[str | None] = mapped_column(String(20))
    fail_score: Mapped[float] = mapped_column(default=0.0)
    failures: Mapped[int] = mapped_column(default=0)  # in a row
    first_failed_at: Mapped[datetime | None]
    first_attempt_at: Mapped[datetime | None]
    last_attempt_at: Mapped[datetime | None]
    last_success_at: Mapped[datetime | None]
    last_failure: Mapped[str | None] = mapped_column(String(40))
    last_status: Mapped[int | None]
    last_message: Mapped[str | None] = mapped_column(Text)  # for the operator, not for customers
    empty_streak: Mapped[int] = mapped_column(default=0)
    interval: Mapped[timedelta | None]
    median_gap: Mapped[timedelta | None]
    newest_published_at: Mapped[datetime | None]
    entries_180d: Mapped[int] = mapped_column(default=0)
    ttl: Mapped[timedelta | None]
    open_gap: Mapped[bool] = mapped_column(default=False)
    retry_after_at: Mapped[datetime | None]
    next_check_at: Mapped[datetime | None] = mapped_column(index=True)
    leased_until: Mapped[datetime | None]
    recipe: Mapped[str | None] = mapped_column(Text)  # JSON: where a page keeps its entries
    recipe_made_at: Mapped[datetime | None]  # when a redesign was understood

    source: Mapped[Source] = relationship(back_populates="facts", lazy="raise")


class Entry(Base):
    """One published item (specification 2.3).

    ``document`` and ``public_document`` are the JSON objects that answers are joined from,
    written and checked against the contract when the entry was stored.
    """

    __tablename__ = "entries"

    id: Mapped[Id]
    source_id: Mapped[int] = mapped_column(ForeignKey("sources.id", ondelete="CASCADE"))
    external_id: Mapped[ExternalId]
    published_at: Mapped[datetime]
    title: Mapped[str] = mapped_column(Text)
    url: Mapped[str | None] = mapped_column(Text)
    url_key: Mapped[int | None] = mapped_column(BigInteger)  # an index holds no long texts
    content_hash: Mapped[Digest]
    revision: Mapped[int] = mapped_column(default=1)
    first_seen_at: Mapped[datetime]
    changed_at: Mapped[datetime]
    important: Mapped[bool] = mapped_column(default=False)
    importance: Mapped[bytes | None]
    importance_version: Mapped[int] = mapped_column(default=0)
    document: Mapped[bytes]
    public_document: Mapped[bytes]

    __table_args__ = (
        UniqueConstraint("source_id", "external_id"),
        Index("ix_entries_page", "source_id", "published_at", "external_id"),
        Index("ix_entries_latest", "published_at", "external_id", "source_id"),
        Index(
            "ix_entries_important",
            "published_at",
            "external_id",
            "source_id",
            sqlite_where=text("important = 1"),  # word for word as queries say it
            postgresql_where=text("important"),
        ),
        Index("ix_entries_url", "source_id", "url_key"),
        Index("ix_entries_importance_version", "importance_version"),
    )


class EntryDeadline(Base):
    """A day by which readers of an entry have to act, in the order the entry has them.

    ``first_day`` and ``last_day`` are what the vendor's words can mean, both included.
    """

    __tablename__ = "entry_deadlines"

    entry_id: Mapped[int] = mapped_column(
        ForeignKey("entries.id", ondelete="CASCADE"), primary_key=True
    )
    place: Mapped[int] = mapped_column(primary_key=True)
    kind: Mapped[DeadlineKind]
    first_day: Mapped[date]
    last_day: Mapped[date]
    evidence: Mapped[str] = mapped_column(Text)  # the vendor's words

    __table_args__ = (Index("ix_entry_deadlines_last_day", "last_day", "entry_id", "place"),)


class EntryRevision(Base):
    """What an entry said before the vendor edited it."""

    __tablename__ = "entry_revisions"

    entry_id: Mapped[int] = mapped_column(
        ForeignKey("entries.id", ondelete="CASCADE"), primary_key=True
    )
    revision: Mapped[int] = mapped_column(primary_key=True)
    replaced_at: Mapped[datetime]
    document: Mapped[bytes]


class Gap(Base):
    """Entries may have been missed between two: a document showed none that was known.

    ``after`` is the newest entry known before the gap, ``before`` the oldest new one that the
    document showed. ``known`` holds the ids of the newest entries known before the gap, newest
    first: a document that joins them to ``before`` closes it.
    """

    __tablename__ = "gaps"

    id: Mapped[Id]
    source_id: Mapped[int] = mapped_column(ForeignKey("sources.id", ondelete="CASCADE"))
    after_id: Mapped[ExternalId]
    after_at: Mapped[datetime]
    before_id: Mapped[ExternalId]
    before_at: Mapped[datetime]
    known: Mapped[Json] = mapped_column(JsonBytes)
    declared_at: Mapped[datetime]
    closed_at: Mapped[datetime | None]

    __table_args__ = (Index("ix_gaps_source", "source_id", "closed_at"),)


class SnapshotBody(Base):
    """A published state, compressed; equal states are kept once."""

    __tablename__ = "snapshot_bodies"

    digest: Mapped[Digest] = mapped_column(primary_key=True)
    body: Mapped[bytes]


class Snapshot(Base):
    """When a source was seen to publish which state."""

    __tablename__ = "snapshots"

    id: Mapped[Id]
    source_id: Mapped[int] = mapped_column(ForeignKey("sources.id", ondelete="CASCADE"))
    fetched_at: Mapped[datetime]
    content_hash: Mapped[Digest] = mapped_column(ForeignKey("snapshot_bodies.digest"), index=True)
    parser_version: Mapped[str] = mapped_column(String(40))
    entry_count: Mapped[int]

    __table_args__ = (Index("ix_snapshots_source", "source_id", "id"),)


class Diff(Base):
    """What changed between two snapshots, as the JSON object that /diffs serves.

    It names its snapshots inside and refers to no row of theirs: it may outlive them.
    """

    __tablename__ = "diffs"

    id: Mapped[Id]
    source_id: Mapped[int] = mapped_column(ForeignKey("sources.id", ondelete="CASCADE"))
    fetched_at: Mapped[datetime]  # of the newer snapshot
    document: Mapped[bytes]

    __table_args__ = (Index("ix_diffs_source", "source_id", "id"),)


class Account(Base):
    """Somebody with a plan."""

    __tablename__ = "accounts"

    id: Mapped[Id]
    email: Mapped[str] = mapped_column(ordered_text(320), unique=True)
    plan: Mapped[Plan] = mapped_column(default=Plan.FREE)
    diffs_addon: Mapped[bool] = mapped_column(default=False)
    created_at: Mapped[datetime]


class ApiKey(Base):
    """A key, of which only the SHA-256 is kept (specification 5.2)."""

    __tablename__ = "api_keys"

    id: Mapped[Id]
    account_id: Mapped[int] = mapped_column(
        ForeignKey("accounts.id", ondelete="CASCADE"), index=True
    )
    public_id: Mapped[str] = mapped_column(String(12), unique=True)
    digest: Mapped[Digest]
    name: Mapped[ShortText]
    scopes: Mapped[Json] = mapped_column(JsonBytes)
    created_at: Mapped[datetime]
    expires_at: Mapped[datetime | None]
    revoked_at: Mapped[datetime | None]
    last_used_at: Mapped[datetime | None]

    account: Mapped[Account] = relationship(lazy="raise")


class Selection(Base):
    """A source chosen for a key."""

    __tablename__ = "selections"

    key_id: Mapped[int] = mapped_column(
        ForeignKey("api_keys.id", ondelete="CASCADE"), primary_key=True
    )
    source_id: Mapped[int] = mapped_column(
        ForeignKey("sources.id", ondelete="CASCADE"), primary_key=True
    )


class SignInLink(Base):
    """A one-time link that was mailed; only its SHA-256 is kept."""

    __tablename__ = "sign_in_links"

    digest: Mapped[Digest] = mapped_column(primary_key=True)
    email: Mapped[str] = mapped_column(String(320))
    next_path: Mapped[str] = mapped_column(String(2048))
    created_at: Mapped[datetime]
    expires_at: Mapped[datetime] = mapped_column(index=True)
    used_at: Mapped[datetime | None]


class WebSession(Base):
    """Somebody signed in with a browser; only the SHA-256 of the cookie is kept."""

    __tablename__ = "web_sessions"

    digest: Mapped[Digest] = mapped_column(primary_key=True)
    account_id: Mapped[int] = mapped_column(
        ForeignKey("accounts.id", ondelete="CASCADE"), index=True
    )
    created_at: Mapped[datetime]
    last_seen_at: Mapped[datetime]
    expires_at: Mapped[datetime] = mapped_column(index=True)

    account: Mapped[Account] = relationship(lazy="raise")


class SourceRequest(Base):
    """A wish for a new source: its address and a note, nothing about who asked."""

    __tablename__ = "source_requests"

    id: Mapped[str] = mapped_column(ordered_text(40), primary_key=True)
    url: Mapped[Address]
    url_key: Mapped[Digest]  # of the normalised address
    note: Mapped[str | None] = mapped_column(Text)
    status: Mapped[RequestStatus] = mapped_column(default=RequestStatus.PENDING)
    created_at: Mapped[datetime]
    decided_at: Mapped[datetime | None]
    reason: Mapped[str | None] = mapped_column(Text)
    findings: Mapped[Json] = mapped_column(JsonBytes, default=None)  # of the last check
    slug: Mapped[str | None] = mapped_column(String(120))  # of the source it became or is

    __table_args__ = (
        Index(
            "uq_source_requests_pending",
            "url_key",
            unique=True,
            sqlite_where=text("status = 'pending'"),
            postgresql_where=text("status = 'pending'"),
        ),
    )


class RequestStep(Base):
    """A move of a request from one status to another."""

    __tablename__ = "request_steps"

    id: Mapped[Id]
    request_id: Mapped[str] = mapped_column(
        ForeignKey("source_requests.id", ondelete="CASCADE"), index=True
    )
    before: Mapped[RequestStatus]
    after: Mapped[RequestStatus]
    at: Mapped[datetime]
    reason: Mapped[str | None] = mapped_column(Text)


class RateWindow(Base):
    """How often somebody did something since a window opened."""

    __tablename__ = "rate_windows"

    name: Mapped[str] = mapped_column(String(200), primary_key=True)
    hits: Mapped[int]
    closes_at: Mapped[datetime] = mapped_column(index=True)

    __table_args__ = (CheckConstraint("hits >= 0", name="hits"),)
