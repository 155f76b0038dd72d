"""Requests for new sources, and rate limits."""

from datetime import datetime

from sqlalchemy import CheckConstraint, ForeignKey, Index, String, Text, text
from sqlalchemy.orm import Mapped, mapped_column

from openapi.vocabulary import Json, RequestStatus
from storage.engine.types import Address, Digest, Id, JsonBytes, ordered_text
from storage.models.base import Base


class SourceRequest(Base):
    """A request for a new source: its address and a note, nothing about who sent it."""

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
            *("uq_source_requests_pending", "url_key"),
            unique=True,
            sqlite_where=text("status = 'pending'"),
            postgresql_where=text("status = 'pending'"),
        ),
    )


class RequestStep(Base):
    """A change of a request from one status to another."""

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
    """How many hits a name has in its current window."""

    __tablename__ = "rate_windows"

    name: Mapped[str] = mapped_column(String(200), primary_key=True)
    hits: Mapped[int]
    closes_at: Mapped[datetime] = mapped_column(index=True)

    __table_args__ = (CheckConstraint("hits >= 0", name="hits"),)
