"""Filters that accounts saved, and the private addresses that they are read at."""

from datetime import datetime

from sqlalchemy import ForeignKey, Text
from sqlalchemy.orm import Mapped, mapped_column, relationship

from storage.engine.types import Digest, Id, ShortText, ordered_text
from storage.models.base import AccountId, Base
from storage.models.people import Account


class SavedFilter(Base):
    """A filter of entries with a name.

    ``query`` is the filter as the API takes it, a query string.
    """

    __tablename__ = "saved_filters"

    id: Mapped[Id]
    public_id: Mapped[str] = mapped_column(ordered_text(20), unique=True)
    account_id: Mapped[AccountId] = mapped_column(index=True)
    name: Mapped[ShortText]
    query: Mapped[str] = mapped_column(Text)
    created_at: Mapped[datetime]


class PrivateFeed(Base):
    """An address at which an account's entries and deadlines are read without a key.

    ``filter_id``: the saved filter that narrows them; None: all that the account follows, or the
    deadlines of a stack. Of the token in the address only the SHA-256 is stored. A row ends by
    being deleted.
    """

    __tablename__ = "private_feeds"

    id: Mapped[Id]
    account_id: Mapped[AccountId] = mapped_column(index=True)
    filter_id: Mapped[int | None] = mapped_column(
        ForeignKey("saved_filters.id", ondelete="CASCADE"), index=True
    )
    stack: Mapped[str | None] = mapped_column(ordered_text(80))
    digest: Mapped[Digest] = mapped_column(unique=True)
    created_at: Mapped[datetime]

    account: Mapped[Account] = relationship(lazy="raise")
    filter: Mapped[SavedFilter | None] = relationship(lazy="raise")
