"""What responses depend on, read from a few rows: the states that ETags are made of.

A state stays equal as long as the response does, and costs the same for a response of any size
(docs/decisions/0012). Triggers keep the numbers, so that no writer can forget one.
"""

from collections.abc import Collection
from datetime import datetime
from functools import lru_cache
from typing import NamedTuple

from sqlalchemy import (
    BigInteger,
    String,
    bindparam,
    cast,
    func,
    literal_column,
    select,
    type_coerce,
)
from sqlalchemy.orm import Session

from storage.engine.statements import PreparedQuery, list_parameters, list_values
from storage.engine.types import AnySelect
from storage.entries.clock_skew import FUTURE_TOLERANCE
from storage.entries.list_totals import count_ahead
from storage.models import CatalogTotals, Diff, Entry, EntryChange, Source

MOST_SOURCES = 100  # of one statement: as many as a request may name


class Totals(NamedTuple):
    """See storage.models.CatalogTotals."""

    sources: int
    entries: int
    important: int
    unlisted: int
    unlisted_important: int
    catalog_version: int
    sample_version: int
    document_version: int
    public_version: int
    important_version: int


class FeedState(NamedTuple):
    """What public feeds depend on. ``newest``: the number of the newest change of all.

    The counts of what lies ahead say which entries are not shown yet: of the same entries, only
    the latest can be ahead.
    """

    totals: Totals
    newest: int
    ahead: int
    important_ahead: int


class SourceState(NamedTuple):
    """What pages of a source's entries depend on.

    ``newest``: see Source.newest_change; ``document_version``: that of all sources.
    """

    id: int
    slug: str
    adapter_type: str
    entries: int
    newest: int
    document_version: int


class DiffState(NamedTuple):
    """What the diffs of a source depend on: a diff that is stored stays as it is, or goes.

    SQLite gives the keys of a removed source's diffs again, but never with the same time.
    """

    number: int
    oldest: int | None
    newest: int | None
    newest_at: datetime | None


_SUMS = tuple(cast(func.sum(getattr(CatalogTotals, name)), BigInteger) for name in Totals._fields)
_NEWEST = select(func.coalesce(func.max(EntryChange.number), literal_column("0"))).scalar_subquery()


_OF_SOURCE = Diff.source_id == bindparam("source_id", type_=BigInteger)
_NEWEST_DIFF = select(Diff.fetched_at).where(_OF_SOURCE).order_by(Diff.id.desc()).limit(1)
_DIFFS = PreparedQuery(
    select(
        func.count(), func.min(Diff.id), func.max(Diff.id), _NEWEST_DIFF.scalar_subquery()
    ).where(_OF_SOURCE)
)
_TOTALS = PreparedQuery(select(*_SUMS))
_FEEDS = PreparedQuery(
    select(
        *_SUMS,
        _NEWEST,
        count_ahead(Entry.listed).scalar_subquery(),
        count_ahead(Entry.listed, Entry.important).scalar_subquery(),
    )
)


def catalog_totals(session: Session) -> Totals:
    """Return the totals."""
    return Totals(*_TOTALS.rows(session, {})[0])


def feed_state(session: Session, *, now: datetime) -> FeedState:
    """Return what public feeds depend on."""
    row = _FEEDS.rows(session, {"until": now + FUTURE_TOLERANCE})[0]
    return FeedState(Totals(*row[: len(_SUMS)]), *row[len(_SUMS) :])


def source_states(session: Session, slugs: Collection[str]) -> dict[str, SourceState]:
    """Return the states of those sources that are in the catalog, by slug.

    Raises ValueError for more slugs than MOST_SOURCES.
    """
    distinct = sorted(set(slugs))
    if len(distinct) > MOST_SOURCES:
        raise ValueError(f"{len(distinct)} sources, and at most {MOST_SOURCES} are read at once")
    if not distinct:
        return {}
    values = list_values("slug", distinct)
    states = map(SourceState._make, _states(len(values)).rows(session, values))
    return {state.slug: state for state in states}


def diff_state(session: Session, source_id: int) -> DiffState:
    """Return what the diffs of a source depend on."""
    return DiffState(*_DIFFS.rows(session, {"source_id": source_id})[0])


@lru_cache
def _states(size: int) -> PreparedQuery:
    version = cast(func.sum(CatalogTotals.document_version), BigInteger)
    query: AnySelect = select(
        Source.id,
        Source.slug,
        type_coerce(Source.adapter_type, String),  # as stored: few callers need the member
        Source.entry_count,
        Source.newest_change,
        select(version).scalar_subquery(),
    )
    return PreparedQuery(query.where(Source.slug.in_(list_parameters("slug", size))))
