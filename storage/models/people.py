"""Accounts, keys, their selections, sign-in."""

from datetime import datetime
from enum import StrEnum

from sqlalchemy import Index, String, Text, false, text, true
from sqlalchemy.orm import Mapped, mapped_column, relationship

from openapi.vocabulary import Plan
from storage.engine.types import Digest, Id, ShortText, SourceSlug, ordered_text
from storage.models.base import AccountId, Base, KeyId, SourceId


class AccountEventKind(StrEnum):
    """Events of an account: a closed list."""

    SIGNED_IN = "signed_in"
    SIGNED_OUT = "signed_out"
    SIGNED_OUT_ALL = "signed_out_all"
    KEY_MADE = "key_made"
    KEY_ROTATED = "key_rotated"
    KEY_REVOKED = "key_revoked"
    PLAN_ASKED = "plan_asked"
    PLAN_SET = "plan_set"
    WEBHOOK_MADE = "webhook_made"
    WEBHOOK_CHANGED = "webhook_changed"
    WEBHOOK_ROTATED = "webhook_rotated"
    WEBHOOK_OFF = "webhook_off"
    WEBHOOK_ON = "webhook_on"
    WEBHOOK_DELETED = "webhook_deleted"
    FEED_MADE = "feed_made"
    FEED_REVOKED = "feed_revoked"
    EXPORTED = "exported"
    DELETION_ASKED = "deletion_asked"


class Actor(StrEnum):
    """Who did something to an account: a closed list."""

    OWNER = "owner"
    KEY = "key"  # a program of the owner's
    OPERATOR = "operator"
    SERVICE = "service"


class Account(Base):
    """A user, with a plan. ``visited_at``: when the list of what it follows was read last.

    ``looks_up``: whether names of its packages may be sent to the package index.
    ``has_followed``: whether it ever followed a source.
    """

    __tablename__ = "accounts"

    id: Mapped[Id]
    email: Mapped[str] = mapped_column(ordered_text(320), unique=True)
    plan: Mapped[Plan] = mapped_column(default=Plan.FREE)
    diffs_addon: Mapped[bool] = mapped_column(default=False)
    operator: Mapped[bool] = mapped_column(default=False, server_default=false())
    created_at: Mapped[datetime]
    visited_at: Mapped[datetime | None]
    looks_up: Mapped[bool] = mapped_column(default=True, server_default=true())
    has_followed: Mapped[bool] = mapped_column(default=False, server_default=false())


class PlanRequest(Base):
    """A plan that somebody asks the operator for. ``granted`` is None while it waits."""

    __tablename__ = "plan_requests"

    id: Mapped[Id]
    account_id: Mapped[AccountId] = mapped_column(index=True)
    plan: Mapped[Plan]
    diffs_addon: Mapped[bool]
    note: Mapped[str | None] = mapped_column(Text)
    created_at: Mapped[datetime]
    decided_at: Mapped[datetime | None]
    granted: Mapped[bool | None]
    reason: Mapped[str | None] = mapped_column(Text)

    account: Mapped[Account] = relationship(lazy="raise")

    __table_args__ = (
        Index(
            *("uq_plan_requests_waiting", "account_id"),
            unique=True,
            sqlite_where=text("decided_at IS NULL"),
            postgresql_where=text("decided_at IS NULL"),
        ),
    )


class ApiKey(Base):
    """A key, of which only the SHA-256 is stored (specification 5.2).

    ``narrowed``: whether it reads its own selection only, instead of what its account does.
    """

    __tablename__ = "api_keys"

    id: Mapped[Id]
    account_id: Mapped[AccountId] = mapped_column(index=True)
    public_id: Mapped[str] = mapped_column(String(12), unique=True)
    digest: Mapped[Digest]
    name: Mapped[ShortText]
    scopes: Mapped[list[str]] = mapped_column(nullable=True)  # as it was first made; never NULL
    created_at: Mapped[datetime]
    expires_at: Mapped[datetime | None]
    revoked_at: Mapped[datetime | None]
    last_used_at: Mapped[datetime | None]
    narrowed: Mapped[bool] = mapped_column(default=False, server_default=false())

    account: Mapped[Account] = relationship(lazy="raise")


class Follow(Base):
    """A source that an account follows."""

    __tablename__ = "follows"

    account_id: Mapped[AccountId] = mapped_column(primary_key=True)
    source_id: Mapped[SourceId] = mapped_column(primary_key=True, index=True)


class RemovedFollow(Base):
    """A source that an account followed when it was removed from the catalog."""

    __tablename__ = "removed_follows"

    account_id: Mapped[AccountId] = mapped_column(primary_key=True)
    slug: Mapped[SourceSlug] = mapped_column(primary_key=True)


class Selection(Base):
    """A source that a key is narrowed to."""

    __tablename__ = "selections"

    key_id: Mapped[KeyId] = mapped_column(primary_key=True)
    source_id: Mapped[SourceId] = mapped_column(primary_key=True)


class RemovedSelection(Base):
    """A source that a key was narrowed to when it was removed from the catalog."""

    __tablename__ = "removed_selections"

    key_id: Mapped[KeyId] = mapped_column(primary_key=True)
    slug: Mapped[SourceSlug] = mapped_column(primary_key=True)


class SignInLink(Base):
    """A one-time link that was mailed; only its SHA-256 is stored.

    ``browser`` is the SHA-256 of what the browser that asked for it keeps, the only one that it
    signs in; None for a link that the operator made. ``code`` is that of the mailed code with it.
    """

    __tablename__ = "sign_in_links"

    digest: Mapped[Digest] = mapped_column(primary_key=True)
    email: Mapped[str] = mapped_column(String(320))
    next_path: Mapped[str] = mapped_column(String(2048))
    created_at: Mapped[datetime]
    expires_at: Mapped[datetime] = mapped_column(index=True)
    used_at: Mapped[datetime | None]
    browser: Mapped[str | None] = mapped_column(String(64), index=True)
    code: Mapped[str | None] = mapped_column(String(64), index=True)


class WebSession(Base):
    """A signed-in browser; only the SHA-256 of the cookie is stored.

    ``browser`` and ``client`` say which it is, as it was at the sign-in.
    """

    __tablename__ = "web_sessions"

    digest: Mapped[Digest] = mapped_column(primary_key=True)
    account_id: Mapped[AccountId] = mapped_column(index=True)
    created_at: Mapped[datetime]  # when somebody signed in
    last_seen_at: Mapped[datetime]
    expires_at: Mapped[datetime] = mapped_column(index=True)
    browser: Mapped[str] = mapped_column(String(80), server_default="")
    client: Mapped[str] = mapped_column(String(45), server_default="")

    account: Mapped[Account] = relationship(lazy="raise")


class AccountEvent(Base):
    """Something that happened to an account, for its owner to see.

    ``subject`` names the key, webhook or plan. ``browser`` and ``client`` are empty where no
    browser did it.
    """

    __tablename__ = "account_events"

    id: Mapped[Id]
    account_id: Mapped[AccountId]
    at: Mapped[datetime]
    kind: Mapped[AccountEventKind]
    actor: Mapped[Actor]
    subject: Mapped[str] = mapped_column(String(200))
    browser: Mapped[str] = mapped_column(String(80))
    client: Mapped[str] = mapped_column(String(45))

    __table_args__ = (Index("ix_account_events_kind", "account_id", "kind", "id"),)


class StackPart(Base):
    """A package that an account runs, by its package URL without version, and its version.

    ``stack``: the name of its stack, 1 for the one of the page.
    """

    __tablename__ = "stack_parts"

    account_id: Mapped[AccountId] = mapped_column(primary_key=True)
    stack: Mapped[str] = mapped_column(ordered_text(80), primary_key=True)
    purl: Mapped[str] = mapped_column(ordered_text(500), primary_key=True)
    version: Mapped[str] = mapped_column(ordered_text(100), primary_key=True)
