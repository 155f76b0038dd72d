"""Parsing of a fetched document in a child process."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import structlog

from ingest.adapters.base import BlockedDocument, KnownEntry, ParsedDocument, UnreadableDocument
from ingest.adapters.fast_feed import KnownItems
from ingest.adapters.html_result import HtmlResult
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
"""The types whose documents are split into items, which may be skipped."""


@dataclass(frozen=True, slots=True)
class SourceDocument:
    """A parsed document. ``recipe`` is a new one, of a page that was redesigned.

    Of the body ``response`` has both ends only.

    ``order``, ``fingerprints`` and ``basis`` are those of the feed's FingerprintedDocument.
    """

    response: FetchedDocument
    parsed: ParsedDocument
    recipe: str | None = None
    order: Sequence[int | None] = ()
    fingerprints: Sequence[bytes | None] = ()
    basis: bytes | None = None

    @property
    def size(self) -> int:
        """The number of items, those that were skipped included."""
        return len(self.order) or len(self.parsed.entries)

    @property
    def has_skipped(self) -> bool:
        """Whether items were skipped by the parser."""
        return self.size > len(self.parsed.entries)


def parse(
    parsers: ParserPool,
    source: LeasedSource,
    response: FetchedDocument,
    *,
    anchors: Sequence[KnownEntry],
    skip: KnownItems | None = None,
) -> SourceDocument | Failed:
    """Parse a document; return a failure if it cannot be parsed or has no entries.

    ``anchors`` are the newest stored entries, which a page is compared with; ``skip`` are cached
    items of a feed that need not be parsed again. Raises ParserStopped when ingestion ends
    meanwhile.
    """
    trouble = None
    try:
        if source.adapter_type in FEEDS:
            document = _parse_feed(parsers, source, response, skip)
        else:
            page = _parse_document(parsers, source, response.fetched, anchors)
            trouble = page.trouble
            document = SourceDocument(response.shortened(), page.document, page.recipe)
    except UnreadableDocument as error:
        return Failed(_failure_of(error), status=200, message=str(error))
    if not document.size:
        failed = no_entries(source.adapter_type, stored_entries=source.entry_count)
        if failed is not None:
            return Failed(failed.failure, status=200, message=trouble or failed.message)
    if document.recipe is not None:
        log.warning("redesigned page parsed by a new recipe", slug=source.slug)
    return document


def parse_older_page(
    parsers: ParserPool, source: LeasedSource, fetched: Fetched
) -> ParsedDocument | None:
    """Parse one more page of a feed; None if it cannot be parsed."""
    try:
        return _parse_document(parsers, source, fetched, ()).document
    except UnreadableDocument:
        return None


def _parse_feed(
    parsers: ParserPool,
    source: LeasedSource,
    response: FetchedDocument,
    skip: KnownItems | None,
) -> SourceDocument:
    fetched = response.fetched
    arguments = (fetched.body, fetched.address, fetched.content_type, skip)
    feed = parsers.run(read_feed, *arguments, is_suspect=_is_suspect(source))
    return SourceDocument(
        response.shortened(),
        feed.document,
        order=feed.order,
        fingerprints=feed.fingerprints,
        basis=feed.basis,
    )


def _parse_document(
    parsers: ParserPool, source: LeasedSource, fetched: Fetched, anchors: Sequence[KnownEntry]
) -> HtmlResult:
    is_suspect = _is_suspect(source)
    if source.adapter_type is AdapterType.HTML:
        page = (fetched.body, fetched.address, fetched.content_type, source.recipe, anchors)
        return parsers.run(parse_page_in_child, *page, is_suspect=is_suspect)
    return HtmlResult(parsers.parse(source.adapter_type, fetched, is_suspect=is_suspect))


def _is_suspect(source: LeasedSource) -> bool:
    return source.state.last_failure is Failure.PARSE_TIMEOUT


def _failure_of(error: UnreadableDocument) -> Failure:
    if isinstance(error, BlockedDocument):
        return Failure.BLOCKED
    return Failure.PARSE_TIMEOUT if isinstance(error, ParserTimeout) else Failure.NOT_A_FEED
