"""Days by which readers of an entry have to act (docs/decisions/0026)."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from sqlalchemy import bindparam, delete, insert, select
from sqlalchemy.orm import Session

from openapi.vocabulary import DeadlineKind
from storage.engine.statements import PreparedWrite
from storage.engine.types import AnySelect
from storage.entries.clock_skew import FUTURE_TOLERANCE
from storage.models import Entry, EntryDeadline, Source

SHOWN_AFTERWARDS = timedelta(days=30)
FARTHEST = timedelta(days=3653)  # ten years; what lies beyond is a misprint
OLDEST_ENTRY = timedelta(days=1826)  # five years; what was said earlier has been said anew


@dataclass(frozen=True, slots=True)
class DeadlineRecord:
    """A deadline to be stored; both days included, evidence in the vendor's words."""

    kind: DeadlineKind
    first_day: date
    last_day: date
    evidence: str


@dataclass(frozen=True, slots=True)
class ComingDeadline:
    """A deadline with the entry that sets it.

    ``place`` counts the deadlines of the entry. ``public`` is its PublicEntry, ``changed_at`` and
    ``revision`` say when and how often it was written, ``changelog_url`` is its source's page.
    """

    place: int
    kind: DeadlineKind
    first_day: date
    last_day: date
    evidence: str
    public: bytes
    changed_at: datetime
    revision: int
    source_name: str
    changelog_url: str


_FIELDS = ("place", "kind", "first_day", "last_day", "evidence")
_ADD = PreparedWrite(
    lambda _: insert(EntryDeadline).from_select(
        ["entry_id", *_FIELDS],
        select(
            Entry.id,
            *(bindparam(name, type_=getattr(EntryDeadline, name).type) for name in _FIELDS),
        ).where(Entry.source_id == bindparam("source"), Entry.external_id == bindparam("external")),
    )
)


def replace_deadlines(session: Session, deadlines: Mapping[int, Sequence[DeadlineRecord]]) -> None:
    """Replace the deadlines of entries, by key."""
    if not deadlines:
        return
    session.execute(delete(EntryDeadline).where(EntryDeadline.entry_id.in_(deadlines)))
    rows = [
        {"entry_id": key, **row}
        for key, set_by_entry in deadlines.items()
        for row in _rows(set_by_entry)
    ]
    if rows:
        session.execute(insert(EntryDeadline), rows)


def add_deadlines(
    session: Session, source_id: int, deadlines: Mapping[str, Sequence[DeadlineRecord]]
) -> None:
    """Add the deadlines of new entries of a source, by the entries' own ids."""
    _ADD.run(
        session,
        [
            {"source": source_id, "external": external_id, **row}
            for external_id, set_by_entry in deadlines.items()
            for row in _rows(set_by_entry)
        ],
    )


def _rows(deadlines: Sequence[DeadlineRecord]) -> Iterator[dict[str, object]]:
    for place, deadline in enumerate(deadlines):
        yield {
            "place": place,
            "kind": deadline.kind,
            "first_day": deadline.first_day,
            "last_day": deadline.last_day,
            "evidence": deadline.evidence,
        }


def coming_deadlines(session: Session, *, now: datetime, most: int) -> list[ComingDeadline]:
    """Return what ends next, the soonest first, and what ended in the last 30 days before it."""
    today = now.date()
    query: AnySelect = (
        select(
            EntryDeadline.place,
            EntryDeadline.kind,
            EntryDeadline.first_day,
            EntryDeadline.last_day,
            EntryDeadline.evidence,
            Entry.public_document,
            Entry.changed_at,
            Entry.revision,
            Source.name,
            Source.changelog_url,
        )
        .join(Entry, Entry.id == EntryDeadline.entry_id)
        .join(Source, Source.id == Entry.source_id)
        .where(
            Entry.listed,
            EntryDeadline.last_day.between(today - SHOWN_AFTERWARDS, today + FARTHEST),
            Entry.published_at.between(now - OLDEST_ENTRY, now + FUTURE_TOLERANCE),
        )
        .order_by(EntryDeadline.last_day, EntryDeadline.entry_id, EntryDeadline.place)
        .limit(most)
    )
    return [ComingDeadline(*row) for row in session.execute(query)]
