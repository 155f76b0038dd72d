"""Published states of sources, and what changed between them."""

from datetime import date, datetime

from sqlalchemy import BigInteger, ForeignKey, Index, String
from sqlalchemy.orm import Mapped, mapped_column

from storage.engine.types import Digest, Id
from storage.models.base import Base, SourceId


class SnapshotBody(Base):
    """A published state, compressed; equal states are stored once."""

    __tablename__ = "snapshot_bodies"

    digest: Mapped[Digest] = mapped_column(primary_key=True)
    body: Mapped[bytes]


class Snapshot(Base):
    """A state that a source published, and when it was fetched."""

    __tablename__ = "snapshots"

    id: Mapped[Id]
    source_id: Mapped[SourceId]
    fetched_at: Mapped[datetime]
    content_hash: Mapped[Digest] = mapped_column(ForeignKey("snapshot_bodies.digest"), index=True)
    parser_version: Mapped[str] = mapped_column(String(40))
    entry_count: Mapped[int]

    __table_args__ = (Index("ix_snapshots_source", "source_id", "id"),)


class Diff(Base):
    """The changes between two snapshots, as the JSON object that /diffs serves.

    It names its snapshots inside and refers to no row of theirs: it may outlive them.
    """

    __tablename__ = "diffs"

    id: Mapped[Id]
    source_id: Mapped[SourceId]
    fetched_at: Mapped[datetime]  # of the newer snapshot
    document: Mapped[bytes]

    __table_args__ = (Index("ix_diffs_source", "source_id", "id"),)


class ApiDay(Base):
    """How the API did on a day (UTC); minutes are counted from midnight.

    ``minutes`` of them, from ``first_minute`` on, at least one process ran; ``failures`` are
    requests that it answered with a fault of its own.
    """

    __tablename__ = "api_days"

    day: Mapped[date] = mapped_column(primary_key=True)
    first_minute: Mapped[int]
    last_minute: Mapped[int]
    minutes: Mapped[int]
    requests: Mapped[int] = mapped_column(BigInteger)
    failures: Mapped[int] = mapped_column(BigInteger)
