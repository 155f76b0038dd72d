"""Parsing of a feed in a child process, which loads no reader of pages for it."""

from changelog_reader.adapters.base import ParsedDocument
from changelog_reader.adapters.feed import parse_feed
from ingest.sandbox.budget import within_budget
from ingest.sandbox.failures import contained


@contained
def read_feed(body: bytes, address: str, content_type: str | None) -> ParsedDocument:
    """Return the entries of a feed; every failure is an UnreadableDocument."""
    return within_budget(parse_feed(body, address=address, content_type=content_type))
