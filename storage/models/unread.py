"""How far somebody has read."""

from datetime import datetime

from sqlalchemy import BigInteger
from sqlalchemy.orm import Mapped, mapped_column

from storage.models.base import AccountId, Base, EntryId


class ReadingPosition(Base):
    """How far an account has read: entries up to the key ``read_to``, but for its marks.

    What was published by ``unread_after`` counts as read, whatever else is said. ``before_move`` is
    where it stood before it was moved, at ``moved_at``.
    """

    __tablename__ = "reading_positions"

    account_id: Mapped[AccountId] = mapped_column(primary_key=True)
    read_to: Mapped[int] = mapped_column(BigInteger)
    before_move: Mapped[int] = mapped_column(BigInteger)
    moved_at: Mapped[datetime | None]
    unread_after: Mapped[datetime | None]


class ReadMark(Base):
    """An entry that an account has read, or not, whatever its position says.

    ``published_at`` is that of the entry when it was marked, by which marks are dropped.
    """

    __tablename__ = "read_marks"

    account_id: Mapped[AccountId] = mapped_column(primary_key=True)
    entry_id: Mapped[EntryId] = mapped_column(primary_key=True, index=True)
    unread: Mapped[bool]
    published_at: Mapped[datetime]
    marked_at: Mapped[datetime | None]  # None: by nobody
