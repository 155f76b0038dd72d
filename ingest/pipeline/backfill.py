"""Older pages of a feed or a releases API, read while entries may be missing."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from typing import Final

from changelog_reader.adapters.base import ParsedDocument
from ingest.fetching.outcomes import Failed, Fetched
from ingest.pipeline.gap_changes import GapChanges, find_gaps
from ingest.pipeline.history import History
from ingest.pipeline.ingestion import Ingestion
from ingest.pipeline.match import MatchedDocument, match_entries
from ingest.pipeline.parse import parse_older_page
from ingest.pipeline.request import request_older
from ingest.pipeline.source_state import LeasedSource
from openapi.vocabulary import AdapterType

MOST_PAGES: Final = 10
"""Pages of a feed that are read in one check, its document included."""


def backfill(
    ingestion: Ingestion,
    source: LeasedSource,
    matched: MatchedDocument,
    history: History,
    *,
    now: datetime,
) -> MatchedDocument:
    """Add the entries of older pages while entries may be missing before those of a document.

    The first check of a repository's releases adds all of them: its whole history is there.
    """
    is_first = source.entry_count == 0 and source.adapter_type is AdapterType.GITHUB_RELEASES
    if not (is_first or matched.gaps.are_open):
        return matched
    parsed, entries, gaps = matched.document.parsed.entries, matched.entries, matched.gaps
    broke_off = False
    for page in _older_pages(ingestion, source, matched, now=now):
        if isinstance(page, Failed):
            broke_off = True
            break
        parsed = (*parsed, *page.entries)
        entries = match_entries(ingestion.db, source, parsed, history, entries.reading)
        gaps = find_gaps(entries.identified, history, now=now)
        if not is_first and not gaps.are_open:
            break
    return replace(matched, entries=entries, gaps=_with_tries(gaps, history, broke_off=broke_off))


def _with_tries(gaps: GapChanges, history: History, *, broke_off: bool) -> GapChanges:
    """Count a try that a failure ended; where the vendor has no older pages, there is none."""
    tries = {
        gap.key: (gap.tries or 0) + 1 if broke_off else None
        for gap in history.gaps
        if gap.key not in gaps.closed
    }
    opened = gaps.opened and replace(gaps.opened, tries=1 if broke_off else None)
    return replace(gaps, opened=opened, tries=tries)


def _older_pages(
    ingestion: Ingestion, source: LeasedSource, matched: MatchedDocument, *, now: datetime
) -> Iterator[ParsedDocument | Failed]:
    """Yield the pages before a document until the vendor has no more, or until a request fails.

    Of a request that fails the failure is yielded.
    """
    newer, entries = matched.document.response.fetched, len(matched.document.parsed.entries)
    addresses = {newer.address}
    for page in range(2, MOST_PAGES + 1):
        with ingestion.client.room.bounded():
            outcome = request_older(ingestion, source, newer, page=page, entries=entries, now=now)
            older = None
            if isinstance(outcome, Fetched) and outcome.address not in addresses:
                older = parse_older_page(ingestion.parsers, source, outcome)
        if isinstance(outcome, Failed):
            yield outcome
        if not isinstance(outcome, Fetched) or older is None or not older.entries:
            return
        yield older
        newer, entries = outcome.shortened(), len(older.entries)
        addresses.add(outcome.address)
