"""Matching of a document with what is stored: which entry each item is, and what may be missing."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from ingest.adapters.base import ParsedEntry
from ingest.fetching.outcomes import Failed
from ingest.pipeline.entry_changes import MatchedEntries, as_known, match_stored
from ingest.pipeline.gap_changes import GapChanges, find_gaps
from ingest.pipeline.history import History
from ingest.pipeline.identity import IdentifiedEntry, lookup_keys
from ingest.pipeline.ingestion import Ingestion
from ingest.pipeline.item_cache import ItemCache, restore_skipped
from ingest.pipeline.parse import SourceDocument, parse
from ingest.pipeline.request import FetchedDocument
from ingest.pipeline.source_state import LeasedSource
from storage.engine.database import Database
from storage.entries.entry_writes import known_entries


@dataclass(frozen=True, slots=True)
class MatchedDocument:
    """A document whose items have the ids of their entries.

    ``shown`` are the entries of the document itself; ``entries`` are those and, after a backfill,
    the ones of older pages.
    """

    document: SourceDocument
    shown: Sequence[IdentifiedEntry]
    entries: MatchedEntries
    gaps: GapChanges


def parse_and_match(
    ingestion: Ingestion,
    source: LeasedSource,
    response: FetchedDocument,
    history: History,
    *,
    now: datetime,
) -> MatchedDocument | Failed:
    """Parse a document and match it, without the items of the last one where that is enough."""
    if history.items is not None:
        matched = _without_known_items(ingestion, source, response, history, history.items, now=now)
        if matched is not None:
            return matched
    document = parse(ingestion.parsers, source, response, anchors=history.anchors)
    if isinstance(document, Failed):
        return document
    return _match(ingestion.db, source, document, history, now=now)


def _without_known_items(
    ingestion: Ingestion,
    source: LeasedSource,
    response: FetchedDocument,
    history: History,
    items: ItemCache,
    *,
    now: datetime,
) -> MatchedDocument | Failed | None:
    """Parse and match a document, skipping items that are known; None if that is not enough.

    All have to be parsed where an item that was skipped is not the stored entry any more, and
    where entries may be missing, as older pages are matched with whole documents only.
    """
    document = parse(ingestion.parsers, source, response, anchors=(), skip=items.known)
    if isinstance(document, Failed):
        return document
    restored = restore_skipped(ingestion.db, source, document, items, newest=history.newest)
    if restored is None:
        return None
    matched = _match(ingestion.db, source, restored, history, now=now)
    is_enough = not (matched.entries.needs_skipped or matched.gaps.are_open)
    return matched if is_enough or not document.has_skipped else None


def _match(
    db: Database,
    source: LeasedSource,
    document: SourceDocument,
    history: History,
    *,
    now: datetime,
) -> MatchedDocument:
    entries = match_entries(db, source, document.parsed.entries, history, now=now)
    gaps = find_gaps(entries.identified, history, now=now)
    return MatchedDocument(document, entries.identified, entries, gaps)


def match_entries(
    db: Database,
    source: LeasedSource,
    parsed: Sequence[ParsedEntry],
    history: History,
    *,
    now: datetime,
) -> MatchedEntries:
    """Match entries with the stored ones that they can be, however old those are."""
    if not source.entry_count:
        return match_stored(parsed, [], now=now)
    newest = history.newest[: 2 * len(parsed)]
    ids, urls = lookup_keys(parsed, map(as_known, newest))
    with db.read() as session:
        known = known_entries(session, source.source_id, ids=ids, urls=urls)
    stored = {each.key: each for each in (*known, *newest)}
    return match_stored(parsed, list(stored.values()), now=now)
