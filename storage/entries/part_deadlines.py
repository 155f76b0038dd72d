"""Deadlines that affect given versions, including past ones.

Elsewhere a deadline is shown until 30 days after its day; to those who run what ended, always.
"""

from collections.abc import Collection, Iterable, Mapping
from datetime import date, datetime
from typing import Final, NamedTuple, TypeAlias

import orjson
from sqlalchemy import func
from sqlalchemy.orm import Session

from openapi.vocabulary import DeadlineKind
from package_versions.affected import is_affected
from storage.engine.statements import rows_among
from storage.engine.types import AnySelect
from storage.entries.deadlines import (
    OF_CATALOG,
    SHOWN_AFTERWARDS,
    ComingDeadline,
    read_deadlines,
    select_deadlines,
)
from storage.models import EntryDeadline

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


Running: TypeAlias = Mapping[int, Collection[RunningPart]]
"""Parts by the ids of the sources that are about them."""


def page_deadlines(
    session: Session,
    query: AnySelect,
    running: Running | None,
    *,
    now: datetime,
    limit: int,
    offset: int,
) -> tuple[list[ComingDeadline], int]:
    """Return a page of a query of ``select_deadlines``, and how many there are.

    ``running``: only what concerns these parts, also where their sources are read on demand.
    """
    if running is None:
        counted = query.where(OF_CATALOG).with_only_columns(func.count().over(), EntryDeadline.id)
        rows = session.connection().execute(counted.limit(limit).offset(offset)).all()
        total = rows[0][0] if rows else session.scalar(counted.limit(1)) or 0
        ids = [key for _, key in rows]
    else:
        meant = _meant(session, query, running, now=now)
        total, ids = len(meant), [key for _, key in meant[offset : offset + limit]]
    return read_deadlines(session, ids, now=now), total


def deadlines_of_parts(
    session: Session, running: Running, *, now: datetime
) -> list[ComingDeadline]:
    """Return the deadlines of sources that concern what runs, the soonest first.

    These are all but those of other versions. Of what ended more than 30 days ago they are ends of
    life and removals of what certainly runs, the newest.
    """
    oldest = now.date() - SHOWN_AFTERWARDS
    query = select_deadlines(session, now=now, ended_since=date.min)
    meant = _meant(session, query, running, now=now)
    passed = [key for day, key in meant if day < oldest][-MOST_PASSED:]
    coming = [key for day, key in meant if day >= oldest][: MOST - len(passed)]
    return read_deadlines(session, [*passed, *coming], now=now)


def _meant(
    session: Session, query: AnySelect, running: Running, *, now: datetime
) -> list[tuple[date, int]]:
    """Return the last days and ids of a query of ``select_deadlines`` that concern what runs."""
    oldest = now.date() - SHOWN_AFTERWARDS
    is_end = EntryDeadline.kind.in_(_ENDS) & EntryDeadline.versions.is_not(None)
    query = query.where((EntryDeadline.last_day >= oldest) | is_end).order_by(None)
    meant = set()
    rows = rows_among(session, query, EntryDeadline.source_id, running)
    for key, day, subject, versions, source_id in rows:  # five times as fast as by their names
        for part, version in running[source_id]:
            affected = is_affected(subject, versions, part, version)
            if affected or (affected is None and day >= oldest):
                meant.add((day, key))
    return sorted(meant)


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
