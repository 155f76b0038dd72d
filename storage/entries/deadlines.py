"""Days by which readers of an entry have to act (docs/decisions/0026)."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, date, datetime, timedelta
from itertools import count

from sqlalchemy import delete, insert, select
from sqlalchemy.orm import Session

from openapi.vocabulary import DeadlineKind
from storage.engine.statements import rows_among
from storage.engine.types import AnySelect
from storage.entries.clock_skew import FUTURE_TOLERANCE
from storage.entries.deadline_history import (
    CurrentDeadline,
    StatedDeadline,
    current_deadlines,
    places_after_edit,
)
from storage.entries.entry_filter import EVERYTHING, EntryFilter
from storage.entries.entry_query import LISTED, EntryList
from storage.entries.search.index import DEADLINE
from storage.entries.search.search import find_entries
from storage.models import EarlierDeadline, Entry, EntryDeadline, Source

SHOWN_AFTERWARDS = timedelta(days=30)
COMPARED_AFTERWARDS = timedelta(days=366)  # a date that was moved may be past by now
MOST_STATEMENTS = 20_000
_ANY_TIME = datetime.min.replace(tzinfo=UTC)
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
class SettingEntry:
    """The entry that announced a deadline first."""

    id: str
    title: str
    published_at: datetime


@dataclass(frozen=True, slots=True)
class ComingDeadline:
    """A deadline with the entry that states the day it has now.

    ``entry_key`` is the entry's key, ``place`` counts its deadlines. ``public`` is its PublicEntry,
    ``changed_at`` and ``revision`` say when and how often it was written, ``changelog_url`` is its
    source's page.

    ``set_by`` is the entry that announced it, with the kind and the place that it had there
    (``set_as``); ``replaced`` are the days that it had before, the first ones first. Where there
    are any, the entry is the one that changed it, which may be the one that set it: by an edit.
    """

    entry_key: int
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
    set_by: SettingEntry
    set_as: tuple[DeadlineKind, int]
    replaced: tuple[tuple[date, date], ...] = ()


_FIELDS = ("place", "kind", "first_day", "last_day", "evidence")


def replace_deadlines(
    session: Session,
    deadlines: Mapping[int, Sequence[DeadlineRecord]],
    *,
    edited_at: datetime | None = None,
) -> None:
    """Replace the deadlines of entries, by key; each keeps its place in the entry.

    ``edited_at``: when the vendor edited the entries. Days that an edit moved are kept.
    """
    if not deadlines:
        return
    before = stated_by_entries(session, deadlines)
    session.execute(delete(EntryDeadline).where(EntryDeadline.entry_id.in_(deadlines)))
    rows: list[dict[str, object]] = []
    moved: list[dict[str, object]] = []
    for key, records in deadlines.items():
        placed = _placed(key, before[key], records) if before[key] else dict(enumerate(records))
        rows += [{"entry_id": key, **_row(place, record)} for place, record in placed.items()]
        if edited_at is not None:
            moved += [
                {"entry_id": key, "replaced_at": edited_at, **_row(place, one)}
                for place, one in before[key].items()
                if place in placed and _is_moved(one, placed[place], records)
            ]
    if rows:
        session.execute(insert(EntryDeadline), rows)
    if moved:
        session.execute(insert(EarlierDeadline), moved)


def stated_by_entries(
    session: Session, keys: Collection[int]
) -> defaultdict[int, dict[int, DeadlineRecord]]:
    """Return what each of some entries states, by the entries' keys and the deadlines' places."""
    records: defaultdict[int, dict[int, DeadlineRecord]] = defaultdict(dict)
    columns = (getattr(EntryDeadline, name) for name in _FIELDS)
    query: AnySelect = select(EntryDeadline.entry_id, *columns).order_by(EntryDeadline.place)
    for key, place, *fields in rows_among(session, query, EntryDeadline.entry_id, keys):
        records[key][place] = DeadlineRecord(*fields)
    return records


def _placed(
    key: int, before: Mapping[int, DeadlineRecord], after: Sequence[DeadlineRecord]
) -> dict[int, DeadlineRecord]:
    """Return the deadlines of an entry by their places: those they had, or new ones."""
    places = places_after_edit(
        [_of_one_entry(key, place, record) for place, record in before.items()],
        [_of_one_entry(key, place, record) for place, record in enumerate(after)],
    )
    unused = count(max(before) + 1)
    return {
        next(unused) if place is None else place: record
        for place, record in zip(places, after, strict=True)
    }


def _of_one_entry(key: int, place: int, record: DeadlineRecord) -> StatedDeadline:
    """Return a deadline to be compared with others of its entry alone."""
    days = (record.first_day, record.last_day)
    return StatedDeadline((key, place), 0, record.kind, *days, record.evidence, "", _ANY_TIME)


def _is_moved(
    before: DeadlineRecord, after: DeadlineRecord, stated: Sequence[DeadlineRecord]
) -> bool:
    """Tell whether the vendor gave a deadline another day; not, where its words still stand.

    Words that stand as they were are read otherwise by other rules or beside another date.
    """
    same_days = (before.first_day, before.last_day) == (after.first_day, after.last_day)
    return not same_days and all(before.evidence != one.evidence for one in stated)


def _row(place: int, deadline: DeadlineRecord) -> dict[str, object]:
    return {"place": place, **asdict(deadline)}


def coming_deadlines(
    session: Session, filter_: EntryFilter = EVERYTHING, *, now: datetime, most: int
) -> list[ComingDeadline]:
    """Return what ends next, the soonest first, and what ended in the last 30 days before it.

    A date that moved replaces the one before it: of each deadline the last day that was stated. The
    filter is about the entry that states it.
    """
    today = now.date()
    shown = [
        deadline
        for deadline in current_deadlines(_statements(session, filter_.sources, now=now))
        if today - SHOWN_AFTERWARDS <= deadline.stated.last_day <= today + FARTHEST
    ]
    if replace(filter_, sources=None) != EVERYTHING:  # the sources are narrowed already
        meant = entries_with_deadlines(session, filter_, now=now)
        shown = [deadline for deadline in shown if deadline.stated.key[0] in meant]
    shown.sort(key=lambda deadline: (deadline.stated.last_day, deadline.stated.key))
    return list(with_entries(session, shown[:most]))


def entries_with_deadlines(session: Session, filter_: EntryFilter, *, now: datetime) -> set[int]:
    """Return the keys of those entries with deadlines that a filter lets through."""
    if filter_.q is not None:
        listed = EntryList(now, frozenset({LISTED}), filter_, words=(DEADLINE,))
        return set(find_entries(session, listed, most=MOST_STATEMENTS)[0])
    if filter_.is_contradictory:
        return set()
    query = select(EntryDeadline.entry_id).join(Entry, Entry.id == EntryDeadline.entry_id)
    return set(session.scalars(query.where(*filter_.conditions())))


def _statements(
    session: Session, slugs: Collection[str] | None, *, now: datetime
) -> Iterator[StatedDeadline]:
    """Yield what entries state of deadlines that may hold, or have replaced one that would.

    ``slugs`` are the sources that are meant, None for all: no deadline is one of two sources.
    """
    today = now.date()
    for table in (EntryDeadline, EarlierDeadline):
        query = stated_query(table).where(
            table.last_day.between(today - COMPARED_AFTERWARDS, today + FARTHEST),
            Entry.published_at.between(now - OLDEST_ENTRY, now + FUTURE_TOLERANCE),
        )
        query = query.order_by(table.last_day, table.entry_id, table.place)
        if slugs is not None:
            of_sources = select(Source.id).where(Source.slug.in_(slugs))
            query = query.where(Entry.source_id.in_(of_sources))
        for entry_id, place, *stated in session.execute(query):
            yield StatedDeadline((entry_id, place), *stated)


def stated_query(table: type[EntryDeadline] | type[EarlierDeadline]) -> AnySelect:
    """Return the query of what listed entries state, as the fields of a StatedDeadline."""
    replaced = (EarlierDeadline.replaced_at,) if table is EarlierDeadline else ()
    stated: AnySelect = select(
        table.entry_id,
        table.place,
        Entry.source_id,
        table.kind,
        table.first_day,
        table.last_day,
        table.evidence,
        Entry.title,
        Entry.published_at,
        *replaced,
    )
    joined = stated.join(Entry, Entry.id == table.entry_id)
    return joined.where(Entry.listed).limit(MOST_STATEMENTS)


def with_entries(
    session: Session, deadlines: Sequence[CurrentDeadline]
) -> Iterator[ComingDeadline]:
    """Yield deadlines with the entries that state them and that set them."""
    keys = {
        stated.key[0] for deadline in deadlines for stated in (deadline.stated, deadline.set_by)
    }
    query: AnySelect = select(
        Entry.id,
        Entry.external_id,
        Entry.title,
        Entry.public_document,
        Entry.changed_at,
        Entry.revision,
        Source.name,
        Source.changelog_url,
    ).join(Source, Source.id == Entry.source_id)
    entries = {row.id: row for row in rows_among(session, query, Entry.id, keys)}
    for deadline in deadlines:
        stated, first = deadline.stated, deadline.set_by
        entry, set_by = entries[stated.key[0]], entries[first.key[0]]
        yield ComingDeadline(
            entry_key=entry.id,
            place=stated.key[1],
            kind=stated.kind,
            first_day=stated.first_day,
            last_day=stated.last_day,
            evidence=stated.evidence,
            public=entry.public_document,
            changed_at=entry.changed_at,
            revision=entry.revision,
            source_name=entry.name,
            changelog_url=entry.changelog_url,
            set_by=SettingEntry(set_by.external_id, set_by.title, first.published_at),
            set_as=(first.kind, first.key[1]),
            replaced=tuple(replaced.days for replaced in deadline.replaced),
        )
