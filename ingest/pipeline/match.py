"""Matching of a document with the stored entries, and detection of entries that may be missing."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from changelog_reader.adapters.base import ParsedEntry
from ingest.fetching.outcomes import Failed
from ingest.pipeline.entry_changes import MatchedEntries, as_known_entry, match_stored
from ingest.pipeline.gap_changes import GapChanges, find_gaps
from ingest.pipeline.history import History
from ingest.pipeline.identity import IdentifiedEntry, lookup_keys
from ingest.pipeline.ingestion import Ingestion
from ingest.pipeline.parse import SourceDocument, parse
from ingest.pipeline.publication import Reading
from ingest.pipeline.request import PARSER, FetchedDocument
from ingest.pipeline.source_state import LeasedSource
from ingest.scheduling.lookups import Lookups
from storage.engine.database import Database
from storage.entries.entry_writes import known_entries


@dataclass(frozen=True, slots=True)
class MatchedDocument:
    """A document whose items have the ids of their entries.

    ``shown`` are the entries of the document itself; ``entries`` are those and, after a backfill,
    the ones of older pages. ``lookups`` is what is looked for besides.
    """

    document: SourceDocument
    shown: Sequence[IdentifiedEntry]
    entries: MatchedEntries
    gaps: GapChanges
    lookups: Lookups = field(default_factory=Lookups)


def parse_and_match(
    ingestion: Ingestion,
    source: LeasedSource,
    response: FetchedDocument,
    history: History,
    *,
    now: datetime,
) -> MatchedDocument | Failed:
    """Parse a document and match it with the stored entries."""
    document = parse(ingestion.parsers, source, response, anchors=history.anchors)
    if isinstance(document, Failed):
        return document
    reading = _reading(source, document, now=now)
    entries = match_entries(ingestion.db, source, document.parsed.entries, history, reading)
    gaps = find_gaps(entries.identified, history, now=now)
    return MatchedDocument(document, entries.identified, entries, gaps, source.lookups)


def _reading(source: LeasedSource, document: SourceDocument, *, now: datetime) -> Reading:
    """Return the reading of a document; of a new address or by new rules it is a first one."""
    was_read = source.state.body_hash is not None and source.state.parser_version == PARSER
    return Reading(now, is_first=not was_read or document.recipe is not None)


def match_entries(
    db: Database,
    source: LeasedSource,
    parsed: Sequence[ParsedEntry],
    history: History,
    reading: Reading,
) -> MatchedEntries:
    """Match parsed entries with the stored ones, however old those are."""
    if not source.entry_count:
        return match_stored(parsed, [], reading)
    newest = history.newest[: 2 * len(parsed)]
    ids, urls = lookup_keys(parsed, map(as_known_entry, newest))
    with db.read() as session:
        matching = known_entries(session, source.source_id, ids=ids, urls=urls)
    stored = {entry.key: entry for entry in (*matching, *newest)}
    return match_stored(parsed, list(stored.values()), reading)
