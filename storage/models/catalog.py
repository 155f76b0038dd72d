"""The tables of the catalog: sources and the state of fetching them."""

from datetime import date, datetime, timedelta
from typing import Final

from sqlalchemy import Index, String, Text, false, select, text
from sqlalchemy.orm import Mapped, mapped_column, relationship

from openapi.vocabulary import AdapterType, AddressStatus, Health, Kind, Tier
from package_versions.package_urls import MAX_PACKAGE_URL_LENGTH
from storage.engine.types import Address, Id, ShortText, Slug, Vendor, ordered_text
from storage.models.base import AccountId, Base, SourceId


class Source(Base):
    """One vendor changelog of the catalog (specification 2.1).

    Its feed address is not here but in FetchFacts, which nothing that answers a customer reads.
    ``on_demand``: a repository that an account asked for, in no list of the catalog.
    """

    __tablename__ = "sources"

    id: Mapped[Id]
    slug: Mapped[Slug]
    vendor: Mapped[Vendor] = mapped_column(index=True)
    name: Mapped[ShortText]
    kind: Mapped[Kind]
    homepage: Mapped[str | None] = mapped_column(String(4096))
    changelog_url: Mapped[Address]
    adapter_type: Mapped[AdapterType]
    tags: Mapped[list[str]] = mapped_column(nullable=True)  # as it was first made; never NULL
    tier: Mapped[Tier] = mapped_column(server_default=Tier.PRODUCT)
    aliases: Mapped[list[str] | None]  # NULL where a program of before wrote the row
    basis: Mapped[str | None] = mapped_column(String(20))  # how sure the catalog is of the address
    prominence: Mapped[int] = mapped_column(default=0)  # sources of the same vendor
    health: Mapped[Health] = mapped_column(default=Health.UNKNOWN)  # as of the last check
    entry_count: Mapped[int] = mapped_column(default=0)  # stored, so that no page has to count
    important_count: Mapped[int] = mapped_column(default=0)
    on_demand: Mapped[bool] = mapped_column(default=False, server_default=false())

    facts: Mapped["FetchFacts"] = relationship(back_populates="source", lazy="raise")

    __table_args__ = (
        Index("ix_sources_sample", "tier", "health", "prominence", "slug", "vendor"),
        Index("ix_sources_counts", "entry_count", "important_count", "on_demand"),  # for totals
        Index(
            *("ix_sources_on_demand", "id"),
            sqlite_where=text("on_demand = 1"),
            postgresql_where=text("on_demand"),
        ),
    )


ON_DEMAND: Final = select(Source.id).where(Source.on_demand)
"""The sources that are read for some accounts alone: nothing of them is in a list of everybody."""


class OnDemandUse(Base):
    """An account that uses a source on demand, and when it last did."""

    __tablename__ = "on_demand_uses"

    account_id: Mapped[AccountId] = mapped_column(primary_key=True)
    source_id: Mapped[SourceId] = mapped_column(primary_key=True, index=True)
    used_at: Mapped[datetime]


class SourcePackage(Base):
    """A package URL that a source is about, and where that was seen (docs/decisions/0139).

    ``seen_in`` is ``repository`` where the source's own address says it.
    """

    __tablename__ = "source_packages"

    purl: Mapped[str] = mapped_column(ordered_text(MAX_PACKAGE_URL_LENGTH), primary_key=True)
    source_id: Mapped[SourceId] = mapped_column(primary_key=True, index=True)
    seen_in: Mapped[ShortText]


class PackageLookup(Base):
    """A package outside the catalog, and its repository according to the package index.

    ``name``: what the index is asked for. ``answered_at`` is None until it has answered, and
    ``due_at`` None when nothing is to be asked. ``repository``: a package URL.
    """

    __tablename__ = "package_lookups"

    purl: Mapped[str] = mapped_column(ordered_text(MAX_PACKAGE_URL_LENGTH), primary_key=True)
    system: Mapped[str] = mapped_column(String(20))
    name: Mapped[str] = mapped_column(String(MAX_PACKAGE_URL_LENGTH))
    wanted_at: Mapped[datetime]
    due_at: Mapped[datetime | None] = mapped_column(index=True)
    failures: Mapped[int] = mapped_column(default=0)
    answered_at: Mapped[datetime | None]
    repository: Mapped[str | None] = mapped_column(ordered_text(MAX_PACKAGE_URL_LENGTH), index=True)
    is_certain: Mapped[bool] = mapped_column(default=False)
    seen_in: Mapped[ShortText]  # in place of a repository, why there is none


class FetchFacts(Base):
    """The state of fetching a source; its interval and health are computed from it."""

    __tablename__ = "fetch_facts"

    source_id: Mapped[SourceId] = mapped_column(primary_key=True)
    feed_url: Mapped[Address]  # the page itself where there is no feed
    host: Mapped[str] = mapped_column(String(255), index=True)
    address_status: Mapped[AddressStatus] = mapped_column(server_default=AddressStatus.UNCONFIRMED)
    address_checked_at: Mapped[datetime | None]  # on the operator's request
    moved_from: Mapped[str | None] = mapped_column(String(4096))  # what is gone or elsewhere now
    moved_to: Mapped[str | None] = mapped_column(String(4096))
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
    pull: Mapped[float | None]  # the checks that it is worth: ingest.scheduling.schedule
    rhythm: Mapped[str] = mapped_column(String(26), default="", server_default=text("''"))
    floor: Mapped[timedelta | None]  # the shortest interval that the vendor wants
    ttl: Mapped[timedelta | None]
    open_gap: Mapped[bool] = mapped_column(default=False)
    retry_after_at: Mapped[datetime | None]
    next_check_at: Mapped[datetime | None] = mapped_column(index=True)
    leased_until: Mapped[datetime | None]  # by a worker on SQLite
    checks: Mapped[int] = mapped_column(default=0, server_default=text("0"))  # that were stored
    recipe: Mapped[str | None] = mapped_column(Text)  # JSON: where a page keeps its entries
    recipe_made_at: Mapped[datetime | None]  # when a redesign was understood
    lookups: Mapped[str | None] = mapped_column(Text)  # JSON: what else is looked for, and when
    health_days: Mapped[str] = mapped_column(String(90), default="", server_default=text("''"))
    health_days_until: Mapped[date | None]  # see storage.scheduling.health_days

    source: Mapped[Source] = relationship(back_populates="facts", lazy="raise")
