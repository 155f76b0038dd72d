"""Where entries may have been missed: the gaps between two documents of a source."""

from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass
from datetime import datetime

from sqlalchemy import select, update
from sqlalchemy.orm import Session

from storage.engine.types import AnySelect
from storage.models import Gap


@dataclass(frozen=True, slots=True)
class OpenGap:
    """A gap that no document has closed yet; the fields are those of the row."""

    key: int
    before_id: str
    known: tuple[str, ...]
    tries: int | None


@dataclass(frozen=True, slots=True)
class NewGap:
    """A gap to be stored; the fields are those of the row."""

    after_id: str
    after_at: datetime
    before_id: str
    before_at: datetime
    known: list[str]
    tries: int | None = None


def open_gaps(session: Session, source_id: int, *, since: datetime) -> list[OpenGap]:
    """Return the gaps of a source that were declared since then and are open, oldest first."""
    query: AnySelect = select(Gap.id, Gap.before_id, Gap.known, Gap.tries).order_by(Gap.id)
    query = query.where(
        Gap.source_id == source_id, Gap.closed_at.is_(None), Gap.declared_at > since
    )
    return [
        OpenGap(key, before_id, tuple(known), tries)
        for key, before_id, known, tries in session.execute(query)
    ]


def all_gaps(session: Session, source_id: int) -> list[Gap]:
    """Return every gap that a source ever had, oldest first."""
    return list(session.scalars(select(Gap).where(Gap.source_id == source_id).order_by(Gap.id)))


def add_gap(session: Session, source_id: int, gap: NewGap, *, now: datetime) -> None:
    """Store that entries may have been missed."""
    session.add(Gap(source_id=source_id, declared_at=now, **asdict(gap)))
    session.flush()


def close_gaps(session: Session, keys: Collection[int], *, now: datetime) -> None:
    """Close gaps whose missing entries have been read."""
    session.execute(update(Gap).where(Gap.id.in_(keys)).values(closed_at=now))


def record_tries(session: Session, tries: Mapping[int, int | None]) -> None:
    """Record, by the gaps' keys, how often older pages could not be fetched."""
    for key, count in tries.items():
        session.execute(update(Gap).where(Gap.id == key).values(tries=count))
