"""Hubs that push what sources publish (WebSub), and what they pushed."""

from datetime import datetime

from sqlalchemy import BigInteger, Index, String
from sqlalchemy.orm import Mapped, mapped_column

from storage.engine.types import Address, Id
from storage.models.base import Base, SourceId

SECRET_LENGTH = 43  # 256 random bits


class HubSubscription(Base):
    """The hub that a source's document names, and the subscription to it.

    ``token`` is in the address that the hub pushes to; it signs with ``secret``. Since
    ``live_since`` and until ``live_until`` it has promised to push; both are NULL while it has not.
    Pushes before ``accepts_at`` are refused: so many are as good as none. ``note`` says why there
    is no subscription.
    """

    __tablename__ = "hub_subscriptions"

    source_id: Mapped[SourceId] = mapped_column(primary_key=True)
    hub: Mapped[Address]
    topic: Mapped[Address]
    token: Mapped[str] = mapped_column(String(SECRET_LENGTH), unique=True)
    secret: Mapped[str] = mapped_column(String(SECRET_LENGTH))
    next_ask_at: Mapped[datetime] = mapped_column(index=True)
    asked_at: Mapped[datetime | None]
    failures: Mapped[int] = mapped_column(default=0)  # in a row
    live_since: Mapped[datetime | None]
    live_until: Mapped[datetime | None] = mapped_column(index=True)
    pushed_at: Mapped[datetime | None]
    accepts_at: Mapped[datetime | None]
    note: Mapped[str | None] = mapped_column(String(200))


class HubPush(Base):
    """A document that a hub pushed, whose signature was right, and that waits to be parsed."""

    __tablename__ = "hub_pushes"

    id: Mapped[Id]
    source_id: Mapped[SourceId]
    received_at: Mapped[datetime]
    content_type: Mapped[str | None] = mapped_column(String(200))
    body: Mapped[bytes]

    __table_args__ = (Index("ix_hub_pushes_source", "source_id", "id"),)


class FeedPing(Base):
    """Up to which change the hub of our own feeds was told of them; one row."""

    __tablename__ = "feed_pings"

    id: Mapped[Id]
    number: Mapped[int] = mapped_column(BigInteger)
