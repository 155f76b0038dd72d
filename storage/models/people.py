"""Accounts, keys, their selections, sign-in."""

from datetime import datetime

from sqlalchemy import (
    ForeignKey,
    Index,
    String,
    Text,
    false,
    text,
)
from sqlalchemy.orm import Mapped, mapped_column, relationship

from openapi.vocabulary import (
    Plan,
)
from storage.engine.types import (
    Digest,
    Id,
    ShortText,
    SourceSlug,
    ordered_text,
)
from storage.models.base import Base


class Account(Base):
    """A user, with a plan."""

    __tablename__ = "accounts"

    id: Mapped[Id]
    email: Mapped[str] = mapped_column(ordered_text(320), unique=True)
    plan: Mapped[Plan] = mapped_column(default=Plan.FREE)
    diffs_addon: Mapped[bool] = mapped_column(default=False)
    operator: Mapped[bool] = mapped_column(default=False, server_default=false())
    created_at: Mapped[datetime]


class PlanRequest(Base):
    """A plan that somebody asks the operator for. ``granted`` is None while it waits."""

    __tablename__ = "plan_requests"

    id: Mapped[Id]
    account_id: Mapped[int] = mapped_column(
        ForeignKey("accounts.id", ondelete="CASCADE"), index=True
    )
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
            "uq_plan_requests_waiting",
            "account_id",
            unique=True,
            sqlite_where=text("decided_at IS NULL"),
            postgresql_where=text("decided_at IS NULL"),
        ),
    )


class OperatorAction(Base):
    """Something that an operator did in the browser. ``account_id`` is None once that is gone."""

    __tablename__ = "operator_actions"

    id: Mapped[Id]
    account_id: Mapped[int | None] = mapped_column(
        ForeignKey("accounts.id", ondelete="SET NULL"), index=True
    )
    at: Mapped[datetime]
    action: Mapped[str] = mapped_column(String(40))
    subject: Mapped[str] = mapped_column(String(200))

    account: Mapped[Account | None] = relationship(lazy="raise")


class ApiKey(Base):
    """A key, of which only the SHA-256 is stored (specification 5.2)."""

    __tablename__ = "api_keys"

    id: Mapped[Id]
    account_id: Mapped[int] = mapped_column(
        ForeignKey("accounts.id", ondelete="CASCADE"), index=True
    )
    public_id: Mapped[str] = mapped_column(String(12), unique=True)
    digest: Mapped[Digest]
    name: Mapped[ShortText]
    scopes: Mapped[list[str]] = mapped_column(nullable=True)  # as it was first made; never NULL
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


class RemovedSelection(Base):
    """A source that was chosen for a key when it was removed from the catalog."""

    __tablename__ = "removed_selections"

    key_id: Mapped[int] = mapped_column(
        ForeignKey("api_keys.id", ondelete="CASCADE"), primary_key=True
    )
    slug: Mapped[SourceSlug] = mapped_column(primary_key=True)


class SignInLink(Base):
    """A one-time link that was mailed; only its SHA-256 is stored."""

    __tablename__ = "sign_in_links"

    digest: Mapped[Digest] = mapped_column(primary_key=True)
    email: Mapped[str] = mapped_column(String(320))
    next_path: Mapped[str] = mapped_column(String(2048))
    created_at: Mapped[datetime]
    expires_at: Mapped[datetime] = mapped_column(index=True)
    used_at: Mapped[datetime | None]


class WebSession(Base):
    """A signed-in browser; only the SHA-256 of the cookie is stored."""

    __tablename__ = "web_sessions"

    digest: Mapped[Digest] = mapped_column(primary_key=True)
    account_id: Mapped[int] = mapped_column(
        ForeignKey("accounts.id", ondelete="CASCADE"), index=True
    )
    created_at: Mapped[datetime]
    last_seen_at: Mapped[datetime]
    expires_at: Mapped[datetime] = mapped_column(index=True)

    account: Mapped[Account] = relationship(lazy="raise")
