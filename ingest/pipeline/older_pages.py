"""A step of a check: older pages of a feed or a releases API, while entries may be missing."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from changelog_reader.adapters.base import ParsedDocument, UnreadableDocument
from ingest.fetching.outcomes import Failed, Fetched
from ingest.pipeline.document import Document, GapChanges, find_gaps, parse
from ingest.pipeline.entries import match_entries
from ingest.pipeline.request import request_older
from ingest.pipeline.source_state import History
from openapi.vocabulary import AdapterType

MOST_PAGES: Final = 10
"""Pages of a feed that are read in one check, its document included."""


def add_older_pages(document: Document) -> Document:
    """Add the entries of older pages while entries may be missing before those of a document.

    The first check of a repository's releases adds all of them: its whole history is there.
    """
    source, history, now = document.source, document.history, document.now
    is_first = source.entry_count == 0 and source.adapter_type is AdapterType.GITHUB_RELEASES
    if not (is_first or document.gaps.are_open):
        return document
    parsed, entries, gaps = document.parsed.entries, document.entries, document.gaps
    broke_off = False
    for page in _older_pages(document):
        if isinstance(page, Failed):
            broke_off = True
            break
        parsed = (*parsed, *page.entries)
        entries = match_entries(document.ingestion.db, source, parsed, history, entries.reading)
        gaps = find_gaps(entries.identified, history, now=now)
        if not is_first and not gaps.are_open:
            break
    return replace(document, entries=entries, gaps=_with_tries(gaps, history, broke_off=broke_off))


def _with_tries(gaps: GapChanges, history: History, *, broke_off: bool) -> GapChanges:
    """Count a try that a failure ended; where the vendor has no older pages, there is none."""
    tries = {
        gap.key: (gap.tries or 0) + 1 if broke_off else None
        for gap in history.gaps
        if gap.key not in gaps.closed
    }
    opened = gaps.opened and replace(gaps.opened, tries=1 if broke_off else None)
    return replace(gaps, opened=opened, tries=tries)


def _older_pages(document: Document) -> Iterator[ParsedDocument | Failed]:
    """Yield the pages before a document, until there are no more; last a request that failed."""
    ingestion, source, now = document.ingestion, document.source, document.now
    newer, entries = document.response, len(document.parsed.entries)
    addresses = {newer.address}
    for page in range(2, MOST_PAGES + 1):
        with ingestion.client.room.bounded():
            outcome = request_older(ingestion, source, newer, page=page, entries=entries, now=now)
            if isinstance(outcome, Failed):
                yield outcome
            if not isinstance(outcome, Fetched) or outcome.address in addresses:
                return
            try:
                older = parse(ingestion, source, outcome).document
            except UnreadableDocument:
                return
        if not older.entries:
            return
        yield older
        newer, entries = outcome.shortened(), len(older.entries)
        addresses.add(outcome.address)
