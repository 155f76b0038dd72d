"""The deadlines that concern those who run certain versions: what ends, and what has ended.

Elsewhere a deadline is shown until 30 days after its day; to those who run what ended, always.
"""

from collections.abc import Collection, Iterator, Mapping
from datetime import date, datetime
from typing import Final, NamedTuple

from sqlalchemy import select
from sqlalchemy.orm import Session

from openapi.vocabulary import DeadlineKind
from package_versions.ended_lines import concerns, last_version_that_ends
from storage.engine.statements import rows_among
from storage.entries.clock_skew import FUTURE_TOLERANCE
from storage.entries.deadline_history import CurrentDeadline, StatedDeadline, current_deadlines
from storage.entries.deadlines import (
    FARTHEST,
    OLDEST_ENTRY,
    SHOWN_AFTERWARDS,
    ComingDeadline,
    stated_query,
    with_entries,
)
from storage.models import EarlierDeadline, Entry, EntryDeadline

MOST: Final = 500
MOST_PASSED: Final = 200
"""Of these, what ended more than 30 days ago, the newest."""
_ENDS: Final = frozenset({DeadlineKind.END_OF_LIFE, DeadlineKind.REMOVAL})


class RunningPart(NamedTuple):
    """A part, by its package URL without version, and the version that runs or is wanted."""

    part: str
    version: str | None


def deadlines_of_parts(
    session: Session, running: Mapping[int, Collection[RunningPart]], *, now: datetime
) -> list[ComingDeadline]:
    """Return the deadlines of sources that concern what runs, by source; the soonest first."""
    today = now.date()
    shown = [
        deadline
        for deadline in current_deadlines(_statements(session, running, now=now))
        if _is_shown(deadline.stated, now=now)
    ]
    entries = {deadline.stated.key[0] for deadline in shown}
    versions = dict(rows_among(session, select(Entry.id, Entry.version), Entry.id, entries))
    meant = [
        deadline
        for deadline in shown
        if _is_meant(
            deadline.stated,
            running[deadline.stated.source_id],
            released=versions[deadline.stated.key[0]],
            passed=_has_passed(deadline.stated, today),
        )
    ]
    return list(with_entries(session, _first(meant, today)))


def _first(deadlines: list[CurrentDeadline], today: date) -> list[CurrentDeadline]:
    """Return the deadlines to show, the soonest first; of passed ones only the newest."""
    ordered = sorted(deadlines, key=lambda one: (one.stated.last_day, one.stated.key))
    passed = [one for one in ordered if _has_passed(one.stated, today)][-MOST_PASSED:]
    coming = [one for one in ordered if not _has_passed(one.stated, today)]
    return [*passed, *coming[: MOST - len(passed)]]


def _has_passed(stated: StatedDeadline, today: date) -> bool:
    return stated.last_day < today - SHOWN_AFTERWARDS


def _is_shown(stated: StatedDeadline, *, now: datetime) -> bool:
    """Tell whether a deadline is shown: of passed ones only ends of life and removals."""
    if _has_passed(stated, now.date()):
        return stated.kind in _ENDS
    return stated.published_at >= now - OLDEST_ENTRY


def _is_meant(
    stated: StatedDeadline, running: Collection[RunningPart], *, released: str | None, passed: bool
) -> bool:
    return any(
        concerns(
            last_version_that_ends(stated.evidence, stated.title, part, released=released),
            version,
            passed=passed,
        )
        for part, version in running
    )


def _statements(
    session: Session, source_ids: Collection[int], *, now: datetime
) -> Iterator[StatedDeadline]:
    """Yield what entries of sources state of deadlines, however long ago."""
    for table in (EntryDeadline, EarlierDeadline):
        query = stated_query(table).where(
            table.last_day <= now.date() + FARTHEST, Entry.published_at <= now + FUTURE_TOLERANCE
        )
        query = query.order_by(table.last_day.desc(), table.entry_id, table.place)
        for entry_id, place, *stated in rows_among(session, query, Entry.source_id, source_ids):
            yield StatedDeadline((entry_id, place), *stated)
