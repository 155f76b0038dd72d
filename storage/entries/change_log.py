"""New entries, edits and removals in one order, as followers read them (docs/decisions/0057)."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from heapq import merge
from operator import attrgetter
from typing import NamedTuple

from sqlalchemy.orm import Session

from openapi.vocabulary import ChangeKind
from storage.entries.changes import ChangeRecord, changes_after
from storage.entries.removals import RemovalRecord, removals_after


class LoggedChange(NamedTuple):
    """What happened to an entry. ``document`` is its ChangelogEntry as it was then."""

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
    """Some changes in their order. ``more``: others come after them already."""

    changes: Sequence[LoggedChange]
    more: bool


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


def _entries(changes: Sequence[ChangeRecord]) -> Iterator[LoggedChange]:
    for change in changes:
        kind = ChangeKind.NEW if change.revision == 1 else ChangeKind.EDITED
        yield LoggedChange(change.number, kind, change.document)


def _removals(removals: Sequence[RemovalRecord]) -> Iterator[LoggedChange]:
    for removal in removals:
        yield LoggedChange(removal.number, ChangeKind.REMOVED, removal.document)
