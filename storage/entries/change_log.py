"""New entries, edits and removals in one order, as followers read them (docs/decisions/0041)."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from heapq import merge
from operator import attrgetter
from typing import NamedTuple

import orjson
from sqlalchemy.orm import Session

from openapi.vocabulary import ChangeKind
from storage.entries.changes import (
    ChangeRecord,
    changes_after,
    filtered_changes_after,
    newest_change,
)
from storage.entries.entry_filter import EntryFilter
from storage.entries.removals import removals_after


class LoggedChange(NamedTuple):
    """A change of an entry. ``document`` is its ChangelogEntry as it was then."""

    number: int
    kind: ChangeKind
    document: bytes


@dataclass(frozen=True, slots=True)
class Readable:
    """The sources that somebody may read, by id, and by slug those that may be gone."""

    source_ids: frozenset[int]
    slugs: frozenset[str]


@dataclass(frozen=True, slots=True)
class ChangeLogPage:
    """Some changes in their order. ``more``: others come after them already.

    ``next``: the number after which to go on, where that is not the last of them.
    """

    changes: Sequence[LoggedChange]
    more: bool
    next: int | None = None


def read_change_log(
    session: Session, number: int, *, limit: int, sources: Readable | None
) -> ChangeLogPage:
    """Return the first ``limit`` changes after ``number``, of some sources or of all."""
    source_ids: Collection[int] | None = None if sources is None else sources.source_ids
    slugs = None if sources is None else sources.slugs
    page = changes_after(session, number, limit=limit, source_ids=source_ids)
    removals = removals_after(session, number, limit=limit + 1, slugs=slugs)
    changes = list(merge(_entries(page.changes), _removals(removals), key=attrgetter("number")))
    return ChangeLogPage(changes[:limit], page.more or len(changes) > limit)


def read_filtered_log(
    session: Session, number: int, filter_: EntryFilter, *, limit: int, sources: Readable | None
) -> ChangeLogPage:
    """Return the first ``limit`` changes after ``number`` that a filter lets through.

    What a page was read up to is its ``next``, though nothing there may have been let through.
    """
    source_ids = None if sources is None else sources.source_ids
    slugs = None if sources is None else sources.slugs
    newest = newest_change(session)
    page = filtered_changes_after(session, number, filter_, limit=limit, source_ids=source_ids)
    removals = removals_after(session, number, limit=limit + 1, slugs=slugs)
    ends = [page.changes[-1].number] if page.more else []
    ends += [page.read_to] if page.read_to is not None else []
    ends += [removals[-1][0]] if len(removals) > limit else []
    end = min(ends, default=newest)
    meant = [removal for removal in removals if _may_be_meant(filter_, removal[1])]
    merged = merge(_entries(page.changes), _removals(meant), key=attrgetter("number"))
    changes = [change for change in merged if change.number <= end]
    if len(changes) > limit:
        return ChangeLogPage(changes[:limit], more=True)
    return ChangeLogPage(changes, more=bool(ends), next=max(end, number))


def _may_be_meant(filter_: EntryFilter, document: bytes) -> bool:
    """Return whether an entry that was removed may have been one of a filter.

    Of the entry little is left: what is no longer known lets it through, for a reader who
    never had it loses nothing.
    """
    entry = orjson.loads(document)
    published_at = datetime.fromisoformat(entry["published_at"])
    return (
        filter_.vendor in (None, entry["vendor"])
        and (filter_.tag is None or filter_.tag in entry["tags"])
        and (filter_.since is None or published_at > filter_.since)
        and (filter_.until is None or published_at <= filter_.until)
    )


def _entries(changes: Sequence[ChangeRecord]) -> Iterator[LoggedChange]:
    for change in changes:
        kind = ChangeKind.NEW if change.revision == 1 else ChangeKind.EDITED
        yield LoggedChange(change.number, kind, change.document)


def _removals(removals: Sequence[tuple[int, bytes]]) -> Iterator[LoggedChange]:
    for number, document in removals:
        yield LoggedChange(number, ChangeKind.REMOVED, document)
