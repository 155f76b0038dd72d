"""Whether a filter lets through an entry that is at hand: what the query builder must agree with.

For those who are told of entries one by one (docs/decisions/0114).
"""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any, Final

from sqlalchemy import bindparam, case, select
from sqlalchemy.orm import Session

from openapi.vocabulary import Category, Kind
from storage.engine.statements import batches
from storage.engine.types import AnySelect
from storage.entries.categories import categories_of
from storage.entries.changes import ChangeRecord
from storage.entries.entry_filter import EntryFilter
from storage.entries.search.matching import Scope, SearchedText, matches, searched_text
from storage.entries.search.query import parse_query
from storage.models import Entry, Source

_AT_ONCE: Final = 200


@dataclass(frozen=True)
class FilteredEntry:
    """What a filter looks at of an entry.

    ``source`` is its slug; ``vendor``, ``kind`` and ``tags`` are those of its source.
    ``categories``: why it is important. ``prerelease``: None where it is not known. ``document`` is
    the ChangelogEntry whose words count.
    """

    source: str
    vendor: str
    kind: Kind
    tags: Collection[str]
    published_at: datetime
    categories: frozenset[Category]
    prerelease: bool | None
    document: bytes

    @cached_property
    def text(self) -> SearchedText:
        """Return what is searched: the whole text, for who is told of it may read all of it."""
        return searched_text(self.document)


def lets_through(filter_: EntryFilter, entry: FilteredEntry) -> bool:
    """Tell whether a filter lets an entry through."""
    return _means_source(filter_, entry) and _means_entry(filter_, entry)


def _means_source(filter_: EntryFilter, entry: FilteredEntry) -> bool:
    return (
        (filter_.sources is None or entry.source in filter_.sources)
        and filter_.vendor in (None, entry.vendor)
        and filter_.kind in (None, entry.kind.value)
        and (filter_.tag is None or filter_.tag in entry.tags)
    )


def _means_entry(filter_: EntryFilter, entry: FilteredEntry) -> bool:
    return (
        (not filter_.categories or not filter_.categories.isdisjoint(entry.categories))
        and (filter_.since is None or entry.published_at > filter_.since)
        and (filter_.until is None or entry.published_at <= filter_.until)
        and filter_.prerelease in (None, entry.prerelease is True)
        and (filter_.q is None or matches(parse_query(filter_.q), entry.text, Scope.WHOLE))
    )


def filtered_entries(
    session: Session, changes: Collection[ChangeRecord]
) -> dict[int, FilteredEntry]:
    """Return what a filter looks at of each change, by its number.

    Of entries and sources that is what they are today; the words are those of the change.
    """
    rows: dict[int, Any] = {}
    for batch in batches({change.entry_key for change in changes}, _AT_ONCE):
        rows |= {row.id: row for row in session.execute(_ENTRIES, {"keys": batch})}
    return {change.number: _filtered(rows[change.entry_key], change.document) for change in changes}


def _filtered(row: Any, document: bytes) -> FilteredEntry:
    return FilteredEntry(
        row.slug,
        row.vendor,
        row.kind,
        row.tags,
        row.published_at,
        categories_of(row.categories),
        row.prerelease,
        document,
    )


_ENTRIES: AnySelect = (
    select(
        Entry.id,
        Entry.published_at,
        Entry.prerelease,
        case((Entry.important, Entry.categories), else_=0).label("categories"),
        Source.slug,
        Source.vendor,
        Source.kind,
        Source.tags,
    )
    .join(Source, Source.id == Entry.source_id)
    .where(Entry.id.in_(bindparam("keys", expanding=True)))
)
