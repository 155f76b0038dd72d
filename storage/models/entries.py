"""Entries of sources, current and former."""

from datetime import date, datetime

from sqlalchemy import BigInteger, Index, String, Text, UniqueConstraint, text
from sqlalchemy.orm import Mapped, mapped_column

from openapi.vocabulary import DeadlineKind
from package_versions.general import MAX_VERSION_LENGTH
from package_versions.parsing import MAX_PACKAGE_LENGTH
from storage.engine.types import Digest, EntryAddress, ExternalId, Flag, Id, SourceSlug
from storage.models.base import Base, EntryId, SourceId


class Entry(Base):
    """One published item (specification 2.3).

    ``document`` and ``public_document`` are the JSON objects that answers are joined from,
    written and checked against the contract when the entry was stored.

    ``listed``: in public lists and feeds; not so the undated history that the first reading of a
    source brings. ``announced``: webhooks, digests and private feeds tell of it when it is new
    (docs/decisions/0016). ``version`` and ``prerelease`` are those of the documents; ``package``
    is the part of a monorepo that the tag names, None where it names none. ``address`` is the last
    part of the address of its page, which stays when the title is edited.
    """

    __tablename__ = "entries"

    id: Mapped[Id]
    source_id: Mapped[SourceId]
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
    listed: Mapped[Flag]
    announced: Mapped[Flag]
    categories: Mapped[int] = mapped_column(default=0, server_default=text("0"))  # bits of why
    importance: Mapped[bytes | None]
    importance_version: Mapped[int] = mapped_column(default=0)
    document: Mapped[bytes]
    public_document: Mapped[bytes]
    version: Mapped[str | None] = mapped_column(String(MAX_VERSION_LENGTH))
    prerelease: Mapped[bool | None]
    package: Mapped[str | None] = mapped_column(String(MAX_PACKAGE_LENGTH))
    address: Mapped[EntryAddress]

    __table_args__ = (
        UniqueConstraint("source_id", "external_id"),
        Index(  # with the key, by which pages of some sources are merged: no row is read for it
            *("ix_entries_page", "source_id", "published_at", "external_id", "listed"),
            postgresql_include=["id"],  # on SQLite every index has it
        ),
        Index(
            *("ix_entries_listed", "published_at", "external_id", "source_id", "prerelease"),
            sqlite_where=text("listed = 1"),  # word for word as queries say it
            postgresql_where=text("listed"),
        ),
        Index(
            "ix_entries_listed_important",
            *("published_at", "external_id", "source_id", "categories", "prerelease"),
            sqlite_where=text("listed = 1 AND important = 1"),
            postgresql_where=text("listed AND important"),
        ),
        Index(  # to count them where they are left out
            "ix_entries_listed_prereleases",
            "categories",  # first: SQLite would take it for pages of important ones, and sort them
            "important",
            sqlite_where=text("listed = 1 AND prerelease IS 1"),
            postgresql_where=text("listed AND prerelease IS true"),
        ),
        Index(
            "ix_entries_important_of_source",
            *("source_id", "published_at", "external_id", "listed", "categories"),
            sqlite_where=text("important = 1"),
            postgresql_where=text("important"),
            postgresql_include=["id"],
        ),
        Index(  # to count them, and for deadlines: in the order of the rows few blocks are read
            *("ix_entries_categories", "id", "categories", "listed", "source_id"),
            sqlite_where=text("important = 1"),
            postgresql_where=text("important"),
        ),
        Index(
            *("ix_entries_unlisted", "source_id", "important"),
            sqlite_where=text("listed = 0"),
            postgresql_where=text("NOT listed"),
        ),
        Index(  # what plans of upgrades read of the newest entries of a source
            "ix_entries_versions",
            *("source_id", "published_at", "version", "prerelease", "package", "categories"),
            postgresql_include=["id"],
        ),
        Index(
            *("ix_entries_without_notes", "source_id"),
            sqlite_where=text("instr(public_document, '\"summary\"\\:null') > 0"),
            postgresql_where=text("position('\"summary\"\\:null' in public_document) > 0"),
        ),
        Index(
            *("ix_entries_with_cves", "source_id"),
            sqlite_where=text("instr(public_document, '\"cves\":[') > 0"),
            postgresql_where=text("position('\"cves\":[' in public_document) > 0"),
        ),
        Index("ix_entries_address", "source_id", "address"),
        Index("ix_entries_url", "source_id", "url_key"),
        Index("ix_entries_importance_version", "importance_version"),
    )


class EntryDeadline(Base):
    """A day by which readers of an entry have to act; ``place`` counts those of the entry.

    ``first_day`` and ``last_day`` are what the vendor's words can mean, both included.
    ``replaced_at``: the vendor edited the entry, and what it says at this place is another row.

    Entries of a source repeat and move deadlines. The first row that states a day of a deadline
    says from when until when this day held, and when it was last repeated. ``set_by_id`` is the row
    that announced the deadline; without a foreign key, as rows are copied in any order.
    """

    __tablename__ = "entry_deadlines"

    id: Mapped[Id]
    entry_id: Mapped[EntryId] = mapped_column(index=True)
    place: Mapped[int]
    kind: Mapped[DeadlineKind]
    first_day: Mapped[date]
    last_day: Mapped[date]
    evidence: Mapped[str] = mapped_column(Text)  # the vendor's words
    subject: Mapped[str | None] = mapped_column(Text)  # what ends; None where it is not known
    versions: Mapped[str | None] = mapped_column(Text)
    successor: Mapped[str | None] = mapped_column(Text)
    replaced_at: Mapped[datetime | None]
    set_by_id: Mapped[int | None] = mapped_column(BigInteger, index=True)
    held_from: Mapped[datetime | None]
    held_until: Mapped[datetime | None]
    repeated_at: Mapped[datetime | None]
    source_id: Mapped[int | None] = mapped_column(BigInteger)  # that of the entry, by a trigger

    __table_args__ = (
        Index(
            *("ix_entry_deadlines_last_day", "last_day", "entry_id", "place", "held_from"),
            *("held_until", "repeated_at", "first_day", "source_id"),
        ),
        Index("ix_entry_deadlines_source", "source_id", "last_day"),
    )


class EntryRevision(Base):
    """The text of an entry before the vendor edited it."""

    __tablename__ = "entry_revisions"

    entry_id: Mapped[EntryId] = mapped_column(primary_key=True)
    revision: Mapped[int] = mapped_column(primary_key=True)
    replaced_at: Mapped[datetime]
    document: Mapped[bytes]

    __table_args__ = (Index("ix_entry_revisions_replaced_at", "replaced_at", "entry_id"),)


class EntryChange(Base):
    """A new entry or an edit, numbered in the order in which they were committed.

    Triggers of the database write these rows, so that no writer can forget one
    (docs/decisions/0041). A number is never used twice, not even when a source is deleted or
    a backup restored.
    """

    __tablename__ = "entry_changes"

    number: Mapped[Id]
    source_id: Mapped[int] = mapped_column(BigInteger)  # that of the entry, for the index
    entry_id: Mapped[EntryId]
    revision: Mapped[int]

    __table_args__ = (
        UniqueConstraint("entry_id", "revision"),
        Index("ix_entry_changes_source", "source_id", "number"),
        {"sqlite_autoincrement": True},  # without it SQLite takes the number of a deleted row again
    )


class EntryRemoval(Base):
    """An entry that was removed with its source (docs/decisions/0236).

    Its number is one of those of EntryChange. ``document`` is what is left of the ChangelogEntry.
    """

    __tablename__ = "entry_removals"

    number: Mapped[Id]
    slug: Mapped[SourceSlug]
    document: Mapped[bytes]

    __table_args__ = (Index("ix_entry_removals_slug", "slug", "number"),)


class Gap(Base):
    """Entries may have been missed between two: a document showed none that was known.

    ``after`` is the newest entry known before the gap, ``before`` the oldest new one that the
    document showed. ``known`` holds the ids of the newest entries known before the gap, newest
    first: a document that joins them to ``before`` closes it. ``tries`` is how often older pages
    that would join them could not be had; None where the vendor shows none.
    """

    __tablename__ = "gaps"

    id: Mapped[Id]
    source_id: Mapped[SourceId]
    after_id: Mapped[ExternalId]
    after_at: Mapped[datetime]
    before_id: Mapped[ExternalId]
    before_at: Mapped[datetime]
    known: Mapped[list[str]] = mapped_column(nullable=True)  # as it was first made; never NULL
    declared_at: Mapped[datetime]
    closed_at: Mapped[datetime | None]
    tries: Mapped[int | None]

    __table_args__ = (Index("ix_gaps_source", "source_id", "closed_at"),)
