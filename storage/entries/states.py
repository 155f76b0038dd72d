"""What answers depend on, read from a few rows: the states that ETags are made of.

A state is equal as long as the answer is, and costs the same however long the answer is (docs/
decisions, ETags from states). Triggers keep the numbers, so that no writer can forget one.
"""

from collections.abc import Collection
from datetime import datetime
from functools import lru_cache
from typing import Any, NamedTuple

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

from storage.engine.statements import PreparedQuery
from storage.engine.types import AnySelect
from storage.entries.entry_pages import FUTURE_TOLERANCE, count_ahead
from storage.models import CatalogTotals, Diff, Entry, EntryChange, Source

MOST_SOURCES = 100  # of one statement: as many as a request may name


class Totals(NamedTuple):
    """See storage.models.CatalogTotals."""

    sources: int
    entries: int
    important: int
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


_SLUGS = tuple(f"slug_{place}" for place in range(MOST_SOURCES))
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
        count_ahead().scalar_subquery(),
        count_ahead(Entry.important).scalar_subquery(),
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
    wanted = sorted(set(slugs))
    if len(wanted) > MOST_SOURCES:
        raise ValueError(f"{len(wanted)} sources, and at most {MOST_SOURCES} are read at once")
    asked = dict(zip(_SLUGS, wanted, strict=False))
    found = map(SourceState._make, _states(len(asked)).rows(session, asked))
    return {each.slug: each for each in found}


def diff_state(session: Session, source_id: int) -> DiffState:
    """Return what the diffs of a source depend on."""
    return DiffState(*_DIFFS.rows(session, {"source_id": source_id})[0])


@lru_cache(maxsize=MOST_SOURCES)
def _states(slugs: int) -> PreparedQuery:
    places: list[Any] = [bindparam(name) for name in _SLUGS[:slugs]]
    moves = select(cast(func.sum(CatalogTotals.document_version), BigInteger)).scalar_subquery()
    query: AnySelect = select(
        Source.id,
        Source.slug,
        type_coerce(Source.adapter_type, String),  # as it is written: most callers do not look
        Source.entry_count,
        Source.newest_change,
        moves,
    )
    return PreparedQuery(query.where(Source.slug.in_(places)))
