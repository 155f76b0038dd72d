"""The deadlines that concern those who run certain versions: what ends, and what has ended.

Elsewhere a deadline is shown until 30 days after its day; to those who run what ended, always.
"""

from collections.abc import Collection, Iterable, Mapping
from datetime import datetime
from typing import Any, Final, NamedTuple

import orjson
from sqlalchemy import and_, or_
from sqlalchemy.orm import Session

from openapi.vocabulary import DeadlineKind
from package_versions.affected import is_affected
from storage.engine.statements import rows_among
from storage.entries.deadlines import (
    OLDEST_ENTRY,
    SHOWN_AFTERWARDS,
    ComingDeadline,
    held_deadlines,
    with_replaced,
)
from storage.models import EntryDeadline, Source

MOST: Final = 500
MOST_PASSED: Final = 200
"""Of these, what ended more than 30 days ago, the newest."""
_ENDS: Final = frozenset(
    {DeadlineKind.END_OF_LIFE, DeadlineKind.END_OF_SUPPORT, DeadlineKind.REMOVAL}
)

_OF_VERSIONS: Final = _ENDS - {DeadlineKind.REMOVAL}


class RunningPart(NamedTuple):
    """A part, by its package URL without version, and the version that runs or is wanted."""

    part: str
    version: str | None


def deadlines_of_parts(
    session: Session, running: Mapping[int, Collection[RunningPart]], *, now: datetime
) -> list[ComingDeadline]:
    """Return the deadlines of sources that concern what runs, the soonest first.

    These are all but those of other versions. Of what ended more than 30 days ago they are ends of
    life and removals of what certainly runs, the newest.
    """
    oldest = now.date() - SHOWN_AFTERWARDS
    query = held_deadlines(now).where(
        or_(
            and_(EntryDeadline.last_day < oldest, EntryDeadline.kind.in_(_ENDS)),
            and_(EntryDeadline.last_day >= oldest, EntryDeadline.repeated_at >= now - OLDEST_ENTRY),
        )
    )
    meant = [
        row
        for row in rows_among(session, query, Source.id, running)
        if _is_meant(row, running[row.source_id], passed=row.last_day < oldest)
    ]
    meant.sort(key=lambda row: row.last_day)
    passed = [row for row in meant if row.last_day < oldest][-MOST_PASSED:]
    coming = [row for row in meant if row.last_day >= oldest][: MOST - len(passed)]
    return with_replaced(session, [*passed, *coming], now=now)


def ends_of_parts(
    deadlines: Iterable[ComingDeadline], running: Mapping[str, Collection[RunningPart]]
) -> dict[str, ComingDeadline]:
    """Return the first deadline that ends the version of a part, by part.

    ``running``: what runs of each source, by its slug; ends that name no version are left out.
    """
    ends: dict[str, ComingDeadline] = {}
    for deadline in deadlines:
        if deadline.kind not in _OF_VERSIONS:
            continue
        for part, version in running.get(orjson.loads(deadline.public)["source"], ()):
            if is_affected(deadline.subject, deadline.versions, part, version):
                ends.setdefault(part, deadline)
    return ends


def _is_meant(row: Any, running: Collection[RunningPart], *, passed: bool) -> bool:
    affected = (is_affected(row.subject, row.versions, part, version) for part, version in running)
    return any(it if passed else it is not False for it in affected)
