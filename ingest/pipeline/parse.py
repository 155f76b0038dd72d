"""Parsing of a fetched document in a child process."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import structlog

from changelog_reader.adapters.base import (
    BlockedDocument,
    KnownEntry,
    ParsedDocument,
    UnreadableDocument,
)
from changelog_reader.adapters.html_result import HtmlResult
from ingest.fetching.outcomes import Failed, Failure, Fetched
from ingest.pipeline.html_document import parse_page_in_child
from ingest.pipeline.request import FetchedDocument
from ingest.pipeline.source_state import LeasedSource
from ingest.sandbox.failures import ParserTimeout
from ingest.sandbox.feed_documents import read_feed
from ingest.sandbox.parser_pool import ParserPool
from ingest.scheduling.fetch_state import no_entries
from openapi.vocabulary import AdapterType

log = structlog.get_logger(__name__)

FEEDS: Final = frozenset({AdapterType.RSS, AdapterType.ATOM})
"""The types whose documents are feeds."""


@dataclass(frozen=True, slots=True)
class SourceDocument:
    """A parsed document. ``recipe`` is a new one, of a page that was redesigned.

    Of the body ``response`` has both ends only.
    """

    response: FetchedDocument
    parsed: ParsedDocument
    recipe: str | None = None


def parse(
    parsers: ParserPool,
    source: LeasedSource,
    response: FetchedDocument,
    *,
    anchors: Sequence[KnownEntry],
) -> SourceDocument | Failed:
    """Parse a document; return a failure if it cannot be parsed or has no entries.

    ``anchors`` are the newest stored entries, which a page is compared with. Raises ParserStopped
    when ingestion ends meanwhile.
    """
    try:
        parsed = _parse_document(parsers, source, response.fetched, anchors)
    except UnreadableDocument as error:
        return Failed(_failure_of(error), status=200, message=str(error))
    if not parsed.document.entries:
        failed = no_entries(source.adapter_type, stored_entries=source.entry_count)
        if failed is not None:
            return Failed(failed.failure, status=200, message=parsed.trouble or failed.message)
    if parsed.recipe is not None:
        log.warning("redesigned page parsed by a new recipe", slug=source.slug)
    return SourceDocument(response.shortened(), parsed.document, parsed.recipe)


def parse_older_page(
    parsers: ParserPool, source: LeasedSource, fetched: Fetched
) -> ParsedDocument | None:
    """Parse one more page of a feed; None if it cannot be parsed."""
    try:
        return _parse_document(parsers, source, fetched, ()).document
    except UnreadableDocument:
        return None


def _parse_document(
    parsers: ParserPool, source: LeasedSource, fetched: Fetched, anchors: Sequence[KnownEntry]
) -> HtmlResult:
    is_suspect = source.state.last_failure is Failure.PARSE_TIMEOUT
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
