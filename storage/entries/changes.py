"""New entries and edits, in the order in which they were committed (docs/decisions/0041).

A change is a new entry or an edit of one. Its number says where it is among all of them, over
all sources; it is larger than every number that could be read before. A reader
who keeps the number of the last change and asks for what comes after gets every change once.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Final

from sqlalchemy import and_, func, or_, select, union_all
from sqlalchemy.orm import Session

from openapi.vocabulary import Category
from storage.engine.statements import batches, is_sqlite
from storage.engine.types import AnySelect
from storage.entries.documents import bits_of
from storage.entries.entry_filter import EntryFilter, meant_sources
from storage.entries.entry_query import MOST_MERGED, Place, merged
from storage.entries.search.matching import document_matches
from storage.models import ON_DEMAND, Entry, EntryChange, EntryRemoval, EntryRevision

BEGINNING: Final = 0  # the number before that of every change

MOST_READ: Final = 20_000  # changes that a filter reads at once

MOST_SEARCHED: Final = 1_000  # changes that a search reads at once
_NUMBERED = union_all(
    select(func.max(EntryChange.number).label("number")), select(func.max(EntryRemoval.number))
).subquery()
_NEWEST: Final = select(func.max(_NUMBERED.c.number))
_NUMBERS: Final[AnySelect] = select(EntryChange.number).where(
    EntryChange.source_id.not_in(ON_DEMAND)
)
_CHANGES: AnySelect = (
    select(
        *(EntryChange.number, EntryChange.source_id, EntryChange.entry_id, EntryChange.revision),
        *(Entry.important, Entry.announced),
        func.coalesce(EntryRevision.document, Entry.document),
    )
    .join(Entry, Entry.id == EntryChange.entry_id)
    .outerjoin(
        EntryRevision,
        and_(
            EntryRevision.entry_id == EntryChange.entry_id,
            EntryRevision.revision == EntryChange.revision,
        ),
    )
    .order_by(EntryChange.number)
)


@dataclass(frozen=True, slots=True)
class ChangeRecord:
    """A new entry (``revision`` 1) or an edit, with its text at that time.

    ``document`` is the ChangelogEntry of this revision, ``entry_key`` the entry's row;
    ``important`` is what today's rules say of what the entry says today. ``announced``: receivers
    are told of the entry when it is new.
    """

    number: int
    source_id: int
    entry_key: int
    revision: int
    important: bool
    announced: bool
    document: bytes


@dataclass(frozen=True, slots=True)
class ChangePage:
    """Some changes in their order. ``more``: others come after them already.

    ``read_to``: the number up to which a filter was applied, where it stopped before the end.
    """

    changes: Sequence[ChangeRecord]
    more: bool
    read_to: int | None = None


def number_at(moment: datetime) -> int:
    """Return the number that a change of this moment has at least: the microseconds since 1970."""
    return int(moment.astimezone(UTC).timestamp() * 1_000_000)


def newest_change(session: Session) -> int:
    """Return the number of the newest change of all, a removal too; BEGINNING without any."""
    return session.scalar(_NEWEST) or BEGINNING


def changes_after(
    session: Session, number: int, *, limit: int, source_ids: Collection[int] | None = None
) -> ChangePage:
    """Return the first ``limit`` changes after ``number``, of some sources or of all.

    Costs the same however long the history is: each source gives its first ones from an index.
    """
    after = _NUMBERS.where(EntryChange.number > number)
    if source_ids is None:
        query = after.order_by(EntryChange.number).limit(limit + 1)
        return _page(session, session.scalars(query).all(), limit=limit)
    numbers: list[int] = []
    for batch in batches(sorted(set(source_ids)), MOST_MERGED):
        numbers += session.scalars(_of_sources(session, after, batch, limit + 1))
    return _page(session, sorted(numbers), limit=limit)


def breaking_changes(session: Session, *, after: int, up_to: int) -> Sequence[ChangeRecord]:
    """Return the changes in a range of releases that break something, those on demand included."""
    query = _CHANGES.where(
        EntryChange.number > after,
        EntryChange.number <= up_to,
        Entry.version.is_not(None),
        Entry.categories.bitwise_and(bits_of({Category.BREAKING})) != 0,
        or_(EntryChange.revision > 1, Entry.announced),
    )
    return [ChangeRecord(*row) for row in session.execute(query)]


def filtered_changes_after(
    session: Session,
    number: int,
    filter_: EntryFilter,
    *,
    limit: int,
    source_ids: Collection[int] | None = None,
) -> ChangePage:
    """Return the first ``limit`` changes after ``number`` of entries that a filter lets through.

    Of entries the filter sees what they are today, but their words are those of the change, as it
    is sent. At most MOST_READ changes are read at once, so
    that rare entries cost no more than others: the page then says up to where it was read.
    """
    ids = meant_sources(session, filter_, source_ids)
    searched = filter_.q is not None
    most, read = (MOST_SEARCHED, MOST_SEARCHED) if searched else (limit + 1, MOST_READ)
    if filter_.is_contradictory or ids == []:
        return ChangePage((), more=False)
    after = _NUMBERS.where(EntryChange.number > number)
    read_to = session.scalar(after.order_by(EntryChange.number).limit(1).offset(read - 1))
    query = after if read_to is None else after.where(EntryChange.number <= read_to)
    if filter_.narrows_entries:
        entries = select(Entry.id).where(
            Entry.id == EntryChange.entry_id, *filter_.entry_conditions()
        )
        query = query.where(entries.exists())
    if ids is None or len(ids) > MOST_MERGED:
        if ids is not None:
            query = query.where((EntryChange.source_id + 0).in_(ids))
        query = query.order_by(EntryChange.number).limit(most)
    else:
        query = _of_sources(session, query, ids, most)
    numbers = session.scalars(query).all()
    page = _page(session, numbers, limit=most if searched else limit)
    if filter_.q is not None:
        matching = [
            change for change in page.changes if document_matches(filter_.q, change.document)
        ]
        page = ChangePage(matching[:limit], more=len(matching) > limit)
    return replace(page, read_to=None if page.more else read_to)


def _page(session: Session, numbers: Sequence[int], *, limit: int) -> ChangePage:
    """Return the changes with the first ``limit`` of some numbers."""
    if not numbers:
        return ChangePage((), more=False)
    rows = session.execute(_CHANGES.where(EntryChange.number.in_(numbers[:limit])))
    return ChangePage([ChangeRecord(*row) for row in rows], more=len(numbers) > limit)


def _of_sources(
    session: Session, query: AnySelect, source_ids: Sequence[int], most: int
) -> AnySelect:
    """Return the query of the first changes of few sources, each from its own index."""
    place = Place(most, descending=False)
    first = merged(query, source_ids, ["number"], place, on_sqlite=is_sqlite(session))
    return select(first.c.number).order_by(first.c.number)
