"""A document of a source: parsed once, and matched once with the stored entries."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Final

import structlog

from changelog_reader.adapters.base import (
    BlockedDocument,
    KnownEntry,
    ParsedDocument,
    UnreadableDocument,
)
from ingest.fetching.outcomes import Failed, Failure, Fetched
from ingest.pipeline.entries import MatchedEntries, match_entries
from ingest.pipeline.gaps import ShownEntry, closes_gap, gap_between
from ingest.pipeline.html_document import HtmlResult, parse_page_in_child
from ingest.pipeline.identity import IdentifiedEntry
from ingest.pipeline.ingestion import Ingestion
from ingest.pipeline.publication import Reading
from ingest.pipeline.request import PARSER
from ingest.pipeline.source_state import REMEMBERED, History, SourceToCheck, load_history
from ingest.sandbox.parsing import ParserTimeout, read_feed
from ingest.scheduling.fetch_state import no_entries
from ingest.scheduling.lookups import Lookups
from openapi.vocabulary import AdapterType
from storage.scheduling.gaps import NewGap

log = structlog.get_logger(__name__)

FEEDS: Final = frozenset({AdapterType.RSS, AdapterType.ATOM})  # whose documents are feeds


@dataclass(frozen=True, slots=True)
class GapChanges:
    """Gaps that a document opens and closes.

    ``opened`` is a new one, ``closed`` the keys of those that it closes. ``are_open``: entries may
    be missing between the document and what is stored. ``tries`` is how often those that stay
    open could not be backfilled by now.
    """

    opened: NewGap | None = None
    closed: Sequence[int] = ()
    are_open: bool = False
    tries: Mapping[int, int | None] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Document:
    """The results of a check so far: each step returns them with more.

    ``shown`` are the entries of the document itself; ``entries`` are those and the ones of older
    pages. ``recipe`` is a new one, of a page that was redesigned; ``lookups`` is what is still
    looked for. Of the body ``response`` has both ends only.
    """

    ingestion: Ingestion
    source: SourceToCheck
    now: datetime
    history: History
    response: Fetched
    parsed: ParsedDocument
    recipe: str | None
    shown: Sequence[IdentifiedEntry]
    entries: MatchedEntries
    gaps: GapChanges
    lookups: Lookups


def read_document(
    ingestion: Ingestion, source: SourceToCheck, response: Fetched, *, now: datetime
) -> Document | Failed:
    """Parse a document and match it; return a failure if it cannot be parsed or has no entries.

    Raises PoolStopped when ingestion ends meanwhile.
    """
    history = load_history(ingestion.db, source, now=now)
    anchors = history.anchors if source.adapter_type is AdapterType.HTML else ()
    try:
        page = parse(ingestion, source, response, anchors)
    except UnreadableDocument as error:
        return Failed(_failure_of(error), status=200, message=str(error))
    parsed = page.document
    if not parsed.entries:
        failed = no_entries(source.adapter_type, stored_entries=source.entry_count)
        if failed is not None:
            return replace(failed, message=page.trouble or failed.message)
    if page.recipe is not None:
        log.warning("redesigned page parsed by a new recipe", slug=source.slug)
    # the first reading of a new address, or by new rules, shows what is no news
    was_read = source.state.body_hash is not None and source.state.parser_version == PARSER
    reading = Reading(now, is_first=not was_read or page.recipe is not None)
    entries = match_entries(ingestion.db, source, parsed.entries, history, reading)
    return Document(
        ingestion=ingestion,
        source=source,
        now=now,
        history=history,
        response=response.shortened(),
        parsed=parsed,
        recipe=page.recipe,
        shown=entries.identified,
        entries=entries,
        gaps=find_gaps(entries.identified, history, now=now),
        lookups=source.lookups,
    )


def parse(
    ingestion: Ingestion,
    source: SourceToCheck,
    fetched: Fetched,
    anchors: Sequence[KnownEntry] = (),
) -> HtmlResult:
    """Parse a document in a child process. Raises UnreadableDocument.

    ``anchors`` are the newest stored entries, which a page is compared with.
    """
    parsers, is_suspect = ingestion.parsers, source.state.last_failure is Failure.PARSE_TIMEOUT
    body = (fetched.body, fetched.address, fetched.content_type)
    if source.adapter_type is AdapterType.HTML:
        page = (*body, source.recipe, anchors)
        return parsers.run(parse_page_in_child, *page, is_suspect=is_suspect)
    if source.adapter_type in FEEDS:
        return HtmlResult(parsers.run(read_feed, *body, is_suspect=is_suspect))
    return HtmlResult(parsers.parse(source.adapter_type, fetched, is_suspect=is_suspect))


def _failure_of(error: UnreadableDocument) -> Failure:
    if isinstance(error, BlockedDocument):
        return Failure.BLOCKED
    return Failure.PARSE_TIMEOUT if isinstance(error, ParserTimeout) else Failure.NOT_A_FEED


def find_gaps(entries: Sequence[IdentifiedEntry], history: History, *, now: datetime) -> GapChanges:
    """Compare the entries of a document with the newest that are stored.

    Entries dated in the future are ignored, unless the document has no others.
    """
    newest = history.newest[: 2 * REMEMBERED]
    if any(entry.published_at <= now for entry in entries):
        newest = [entry for entry in newest if entry.published_at <= now]
    newest = newest[:REMEMBERED]
    earlier = [ShownEntry(entry.external_id, entry.published_at, False) for entry in newest]
    by_title = {(entry.title, entry.published_at): entry.external_id for entry in newest}
    document = []
    for entry in entries:
        same = by_title.get((entry.entry.title, entry.published_at)) if entry.is_new else None
        document.append(
            ShownEntry(same or entry.id, entry.published_at, entry.is_new and same is None)
        )
    opened = None
    if (ends := gap_between(earlier, document)) is not None:
        after, before = ends
        known = [entry.id for entry in earlier]
        opened = NewGap(after.id, after.published_at, before.id, before.published_at, known)
    closed = [
        gap.key
        for gap in history.gaps
        if closes_gap(document, before_id=gap.before_id, earlier_ids=gap.known)
    ]
    return GapChanges(
        opened=opened, closed=closed, are_open=opened is not None or len(closed) < len(history.gaps)
    )
