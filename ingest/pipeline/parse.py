"""From what a vendor sent to a document: recognised, parsed in a child, or a failure."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import structlog

from ingest.adapters.base import BlockedDocument, KnownEntry, ParsedDocument, UnreadableDocument
from ingest.adapters.fast_feed import KnownItems
from ingest.adapters.html_result import HtmlResult
from ingest.fetching.outcomes import Failed, Failure, Fetched
from ingest.pipeline.request import PARSER
from ingest.pipeline.source_state import Job
from ingest.sandbox.parser_pool import ParserPool, ParserTimeout, read_feed
from ingest.scheduling.fetch_state import Recognised, no_entries
from openapi.vocabulary import AdapterType

log = structlog.get_logger(__name__)

FEEDS: Final = frozenset({AdapterType.RSS, AdapterType.ATOM})
"""Whose documents are taken apart into items."""


@dataclass(frozen=True, slots=True)
class Document:
    """A document that came and was read. ``recipe`` is a new one, of a page redesigned.

    ``order``, ``marks`` and ``basis`` are as in FingerprintedDocument, for feeds; elsewhere empty.
    """

    fetched: Fetched
    body_hash: str
    parsed: ParsedDocument
    recipe: str | None = None
    order: Sequence[int | None] = ()
    marks: Sequence[bytes | None] = ()
    basis: bytes | None = None

    @property
    def size(self) -> int:
        """How many items the document has, those that were passed over too."""
        return len(self.order) or len(self.parsed.entries)

    @property
    def has_passed_over(self) -> bool:
        """Whether items were left out of the reading."""
        return self.size > len(self.parsed.entries)


def hash_of(fetched: Fetched) -> str:
    """Return what tells a document from others: the SHA-256 of its bytes, in hex."""
    return hashlib.sha256(fetched.body).hexdigest()


def recognised(job: Job, fetched: Fetched, body_hash: str) -> Recognised | None:
    """Return that a document is the one read last time, by this parser; None if it is not."""
    same = job.facts.knows(body_hash, PARSER)
    return Recognised(fetched) if same else None


def read(
    parsers: ParserPool,
    job: Job,
    fetched: Fetched,
    body_hash: str,
    *,
    known: Sequence[KnownEntry],
    items: KnownItems | None = None,
) -> Document | Failed:
    """Parse a document. ``known`` are the newest stored entries, of html sources only.

    ``items`` are those of a feed that may be passed over. Raises ParserStopped when ingestion
    ends meanwhile.
    """
    trouble = None
    try:
        if job.adapter_type in FEEDS:
            document = _feed(parsers, job, fetched, body_hash, items)
        else:
            found = _parsed(parsers, job, fetched, known)
            trouble = found.trouble
            document = Document(fetched, body_hash, found.document, found.recipe)
    except UnreadableDocument as error:
        return Failed(_failure_of(error), status=200, message=str(error))
    if not document.size:
        failed = no_entries(job.adapter_type, known_entries=job.entry_count)
        if failed is not None:
            return Failed(failed.failure, status=200, message=trouble or failed.message)
    if document.recipe is not None:
        log.warning("page was redesigned and understood", slug=job.slug, recipe=document.recipe)
    return document


def _feed(
    parsers: ParserPool, job: Job, fetched: Fetched, body_hash: str, items: KnownItems | None
) -> Document:
    asked = (fetched.body, fetched.address, fetched.content_type, items)
    found = parsers.run(read_feed, *asked, is_suspect=_is_suspect(job))
    return Document(
        fetched,
        body_hash,
        found.document,
        order=found.order,
        marks=found.fingerprints,
        basis=found.basis,
    )


def read_older(parsers: ParserPool, job: Job, fetched: Fetched) -> ParsedDocument | None:
    """Parse one more page of a feed; None if it cannot be read."""
    try:
        return _parsed(parsers, job, fetched, ()).document
    except UnreadableDocument:
        return None


def _parsed(
    parsers: ParserPool, job: Job, fetched: Fetched, known: Sequence[KnownEntry]
) -> HtmlResult:
    body, address, content_type = fetched.body, fetched.address, fetched.content_type
    is_suspect = _is_suspect(job)
    if job.adapter_type is AdapterType.HTML:
        from ingest.pipeline.html_document import (
            read_known_page,  # loads what otherwise only children need
        )

        page = (body, address, content_type, job.recipe, known)
        return parsers.run(read_known_page, *page, is_suspect=is_suspect)
    parsed = parsers.parse(
        job.adapter_type,
        body,
        address=address,
        content_type=content_type,
        is_suspect=is_suspect,
    )
    return HtmlResult(parsed)


def _is_suspect(job: Job) -> bool:
    return job.facts.last_failure is Failure.PARSE_TIMEOUT


def _failure_of(error: UnreadableDocument) -> Failure:
    if isinstance(error, BlockedDocument):
        return Failure.BLOCKED
    return Failure.PARSE_TIMEOUT if isinstance(error, ParserTimeout) else Failure.NOT_A_FEED
