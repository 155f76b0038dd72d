"""Days by which readers of an entry have to act (docs/decisions/0026).

Which of them hold is concluded where entries are stored, and read with plain queries.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, fields
from datetime import date, datetime, timedelta
from itertools import count
from typing import Final, NamedTuple

from sqlalchemy import delete, insert, or_, select, update
from sqlalchemy.orm import Session, aliased

from openapi.vocabulary import DeadlineKind
from storage.engine.statements import rows_among
from storage.engine.types import AnySelect
from storage.entries.deadline_history import (
    FARTHEST,
    DeadlineRecord,
    StatedDeadline,
    conclude,
    places_after_edit,
)
from storage.entries.documents import FUTURE_TOLERANCE
from storage.entries.entry_filter import EVERYTHING, EntryFilter
from storage.entries.search.index import DEADLINE
from storage.entries.search.search import has_words
from storage.models import ON_DEMAND, Entry, EntryDeadline, Source

SHOWN_AFTERWARDS: Final = timedelta(days=30)
OLDEST_ENTRY: Final = timedelta(days=1826)  # five years; what was said earlier has been said anew
MOST_REPLACED: Final = 10_000
"""The days that a deadline had before, the newest ones: the contract promises no more."""
_RECORD: Final = [getattr(EntryDeadline, field.name) for field in fields(DeadlineRecord)]
_SETTING, _SETTING_ENTRY = aliased(EntryDeadline), aliased(Entry)
_READ: Final[AnySelect] = (  # made once, which takes longer than to read a page of them
    select(
        *(*_RECORD, Entry.public_document, Entry.changed_at, Entry.revision, Entry.address),
        *(Source.name, Source.changelog_url),
        *(_SETTING_ENTRY.external_id, _SETTING_ENTRY.address.label("set_by_address")),
        *(_SETTING_ENTRY.title.label("set_by_title"), _SETTING_ENTRY.published_at),
        *(_SETTING.kind.label("set_kind"), _SETTING.place.label("set_place")),
        *(_SETTING.id.label("setting_id"), EntryDeadline.entry_id, EntryDeadline.place),
    )
    .join(Entry, Entry.id == EntryDeadline.entry_id)
    .join(Source, Source.id == EntryDeadline.source_id)
    .join(_SETTING, _SETTING.id == EntryDeadline.set_by_id)
    .join(_SETTING_ENTRY, _SETTING_ENTRY.id == _SETTING.entry_id)
)

_BEFORE: Final[AnySelect] = select(
    EntryDeadline.set_by_id, EntryDeadline.first_day, EntryDeadline.last_day
).order_by(EntryDeadline.held_from, EntryDeadline.entry_id, EntryDeadline.place, EntryDeadline.id)
OF_CATALOG: Final = EntryDeadline.source_id.not_in(ON_DEMAND)
"""True of the deadlines of sources that are not read on demand."""


class ComingDeadline(NamedTuple):
    """A deadline with the entry that states the day it has now.

    ``public`` is the entry's PublicEntry, ``changed_at`` and ``revision`` say when and how often it
    was written, ``changelog_url`` is its source's page.

    ``set_by_id`` and the like are of the entry that announced it, ``set_as_kind`` and
    ``set_as_place`` what it was there; ``replaced`` are the days that it had before, the first ones
    first. Where there are any, the entry is the one that changed it, which may have set it: by an
    edit.
    """

    kind: DeadlineKind
    first_day: date
    last_day: date
    evidence: str
    subject: str | None
    versions: str | None
    successor: str | None
    public: bytes
    changed_at: datetime
    revision: int
    address: str
    source_name: str
    changelog_url: str
    set_by_id: str
    set_by_address: str
    set_by_title: str
    set_by_published_at: datetime
    set_as_kind: DeadlineKind
    set_as_place: int
    replaced: tuple[tuple[date, date], ...]


def replace_deadlines(
    session: Session,
    deadlines: Mapping[int, Sequence[DeadlineRecord]],
    *,
    edited_at: datetime | None = None,
) -> None:
    """Replace the deadlines of entries, by key, and conclude anew which hold in their sources.

    Each keeps its place in the entry. ``edited_at``: when the vendor edited the entries. Days that
    an edit moved are kept.
    """
    before = stated_by_entries(session, deadlines)
    changed = {key: records for key, records in deadlines.items() if records or key in before}
    if not changed:
        return
    rows: list[dict[str, object]] = []
    for key, records in changed.items():
        placed = dict(enumerate(records))
        if stated := before[key]:
            placed = _placed(stated, records)
            is_current = EntryDeadline.replaced_at.is_(None)
            if edited_at is not None:
                these = [
                    place
                    for place, one in stated.items()
                    if place in placed and _is_moved(one, placed[place], records)
                ]
                moved = (EntryDeadline.entry_id == key, EntryDeadline.place.in_(these), is_current)
                session.execute(update(EntryDeadline).where(*moved).values(replaced_at=edited_at))
            gone = or_(is_current, EntryDeadline.place.not_in(placed))
            session.execute(delete(EntryDeadline).where(EntryDeadline.entry_id == key, gone))
        rows += [
            {"entry_id": key, "place": place, **asdict(record)} for place, record in placed.items()
        ]
    if rows:
        session.connection().execute(insert(EntryDeadline), rows)
    sources = select(Source.id).where(
        Source.id.in_(select(Entry.source_id).where(Entry.id.in_(changed)))
    )
    ordered = sources.order_by(Source.id).with_for_update(key_share=True)  # one writer at a time
    conclude_deadlines(session, session.scalars(ordered).all())


def conclude_deadlines(session: Session, source_ids: Iterable[int]) -> None:
    """Store which deadlines of sources hold, from when until when."""
    stated = select(
        *(*_RECORD, EntryDeadline.id, EntryDeadline.entry_id, EntryDeadline.place),
        *(Entry.title, Entry.published_at, EntryDeadline.replaced_at),
    ).join(Entry, Entry.id == EntryDeadline.entry_id)
    for source_id in source_ids:
        rows = session.execute(stated.where(EntryDeadline.source_id == source_id))
        concluded = conclude([StatedDeadline(**row._mapping) for row in rows])
        if concluded:
            session.execute(update(EntryDeadline), concluded)


def stated_by_entries(
    session: Session, keys: Collection[int]
) -> defaultdict[int, dict[int, DeadlineRecord]]:
    """Return what each of some entries states, by the entries' keys and the deadlines' places."""
    records: defaultdict[int, dict[int, DeadlineRecord]] = defaultdict(dict)
    query: AnySelect = select(EntryDeadline.entry_id, EntryDeadline.place, *_RECORD)
    query = query.where(EntryDeadline.replaced_at.is_(None)).order_by(EntryDeadline.place)
    names = [column.key for column in _RECORD]
    for key, place, *stated in rows_among(session, query, EntryDeadline.entry_id, keys):
        records[key][place] = DeadlineRecord(**dict(zip(names, stated, strict=True)))
    return records


def _placed(
    before: Mapping[int, DeadlineRecord], after: Sequence[DeadlineRecord]
) -> dict[int, DeadlineRecord]:
    """Return the deadlines of an entry by their places: those they had, or new ones."""
    unused = count(max(before) + 1)
    return {
        next(unused) if place is None else place: record
        for place, record in zip(places_after_edit(before, after), after, strict=True)
    }


def _is_moved(
    before: DeadlineRecord, after: DeadlineRecord, stated: Sequence[DeadlineRecord]
) -> bool:
    """Return whether the vendor gave a deadline another day; not, where its words still stand.

    Words that stand as they were are read otherwise by other rules or beside another date.
    """
    return before.days != after.days and all(before.evidence != one.evidence for one in stated)


def coming_deadlines(
    session: Session,
    filter_: EntryFilter = EVERYTHING,
    *,
    now: datetime,
    most: int,
    kinds: Collection[DeadlineKind] = (),
) -> list[ComingDeadline]:
    """Return what ends from 30 days ago on, the soonest first; of some ``kinds`` or of all.

    A date that moved replaces the one before it: of each deadline the last day that was stated. The
    filter is about the entry that states it.
    """
    ids = select_deadlines(session, filter_, now=now).where(OF_CATALOG).limit(most)
    if kinds:
        ids = ids.where(EntryDeadline.kind.in_(kinds))
    return read_deadlines(session, session.scalars(ids).all(), now=now)


def select_deadlines(
    session: Session,
    filter_: EntryFilter = EVERYTHING,
    *,
    now: datetime,
    ended_since: date | None = None,
) -> AnySelect:
    """Return the query of what ends on a day or later: the id, and what is compared of it.

    Without a day, since 30 days ago. To count all deadlines, or those of a source, an index is
    enough: entries are read only for what a filter says of them.
    """
    seen, oldest = now + FUTURE_TOLERANCE, now.date() - SHOWN_AFTERWARDS
    columns: AnySelect = select(
        *(EntryDeadline.id, EntryDeadline.last_day, EntryDeadline.subject),
        *(EntryDeadline.versions, EntryDeadline.source_id),
    )
    query = columns.where(
        EntryDeadline.held_from <= seen,
        or_(EntryDeadline.held_until.is_(None), EntryDeadline.held_until > seen),
        EntryDeadline.last_day >= (ended_since or oldest),
        EntryDeadline.last_day <= now.date() + FARTHEST,
        or_(EntryDeadline.repeated_at >= now - OLDEST_ENTRY, EntryDeadline.last_day < oldest),
    ).order_by(EntryDeadline.last_day, EntryDeadline.entry_id, EntryDeadline.place)
    if filter_.narrows_entries:
        query = query.join(Entry, Entry.id == EntryDeadline.entry_id)
        query = query.where(*filter_.entry_conditions())
    if filter_.category:  # SQLite would read the entries themselves
        query = query.with_hint(Entry, "INDEXED BY ix_entries_categories", "sqlite")
    if filter_.narrows_sources:
        query = query.join(Source, Source.id == EntryDeadline.source_id)
        query = query.where(*filter_.source_conditions())
    if filter_.q is not None:
        entry = EntryDeadline.entry_id
        query = query.where(has_words(session, entry, DEADLINE, filter_.q, among=query))
    return query


def read_deadlines(
    session: Session, ids: Collection[int], *, now: datetime
) -> list[ComingDeadline]:
    """Return deadlines by their ids, the soonest first, with the days that held before."""
    rows = sorted(
        rows_among(session, _READ, EntryDeadline.id, ids),
        key=lambda row: (row.last_day, row.entry_id, row.place),
    )
    before = _BEFORE.where(EntryDeadline.held_until <= now + FUTURE_TOLERANCE)
    replaced: defaultdict[int, list[tuple[date, date]]] = defaultdict(list)
    settings = (row.setting_id for row in rows)
    for set_by, first, last in rows_among(session, before, EntryDeadline.set_by_id, settings):
        replaced[set_by].append((first, last))
    size = len(ComingDeadline._fields) - 1
    return [
        ComingDeadline._make([*row[:size], tuple(replaced[row.setting_id][-MOST_REPLACED:])])
        for row in rows
    ]
