"""Match a filter against a loaded entry, with the same results as the lists of entries.

For notifications, which take entries one by one (docs/decisions/0114).
"""

from collections.abc import Collection, Mapping
from typing import Any, NamedTuple

from sqlalchemy import select
from sqlalchemy.orm import Session

from storage.engine.statements import rows_among
from storage.entries.changes import ChangeRecord
from storage.entries.entry_filter import FIELDS, EntryFilter
from storage.entries.search.matching import document_matches
from storage.models import Entry, Source


class FilteredEntry(NamedTuple):
    """The input of a filter: ``stored`` values by parameter, and the text of ``document``."""

    stored: Mapping[str, Any]
    document: bytes


def lets_through(filter_: EntryFilter, entry: FilteredEntry) -> bool:
    """Return whether a filter lets an entry through; its words are those of the whole text."""
    return filter_.matches(entry.stored) and (
        filter_.q is None or document_matches(filter_.q, entry.document)
    )


def filtered_entries(
    session: Session, changes: Collection[ChangeRecord]
) -> dict[int, FilteredEntry]:
    """Return what a filter looks at of each change, by its number.

    Of entries and sources that is what they are today; the words are those of the change.
    """
    columns = (field.column.label(field.name) for field in FIELDS)
    query = select(Entry.id, *columns).join(Source, Source.id == Entry.source_id)
    keys = {change.entry_key for change in changes}
    rows = {row.id: row._mapping for row in rows_among(session, query, Entry.id, keys)}
    return {
        change.number: FilteredEntry(rows[change.entry_key], change.document) for change in changes
    }
