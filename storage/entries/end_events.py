"""The days that the ends of a source's versions had and have, as events that never change."""

import zlib
from collections.abc import Collection
from datetime import date, datetime
from typing import NamedTuple

from sqlalchemy import select
from sqlalchemy.orm import Session

from openapi.vocabulary import DeadlineKind
from storage.engine.statements import rows_among
from storage.engine.types import AnySelect
from storage.models import Entry, EntryDeadline, Source


class EndEvent(NamedTuple):
    """A day that an end of versions was given, and until when that held."""

    kind: DeadlineKind
    day: date
    evidence: str
    subject: str | None
    versions: str
    held_from: datetime
    held_until: datetime | None
    entry_id: str
    url: str | None
    place: int
    changelog_url: str
    source_name: str
    vendor: str

    @property
    def number(self) -> int:
        """The event's id: the second in which it was said, then a hash of what says it."""
        said = f"{self.entry_id}\n{self.place}\n{self.kind.value}\n{self.day}"
        return int(self.held_from.timestamp()) << 22 | zlib.crc32(said.encode()) >> 10


def end_events(session: Session, source_ids: Collection[int], *, now: datetime) -> list[EndEvent]:
    """Return what sources have said until now of the ends of their versions, the newest first."""
    query: AnySelect = (
        select(
            *(EntryDeadline.kind, EntryDeadline.last_day, EntryDeadline.evidence),
            *(EntryDeadline.subject, EntryDeadline.versions, EntryDeadline.held_from),
            *(EntryDeadline.held_until, Entry.external_id, Entry.url, EntryDeadline.place),
            *(Source.changelog_url, Source.name, Source.vendor),
        )
        .join(Entry, Entry.id == EntryDeadline.entry_id)
        .join(Source, Source.id == EntryDeadline.source_id)
        .where(EntryDeadline.held_from <= now, EntryDeadline.versions.is_not(None))
    )
    rows = rows_among(session, query, EntryDeadline.source_id, source_ids)
    return sorted(map(EndEvent._make, rows), key=lambda event: event.number, reverse=True)
