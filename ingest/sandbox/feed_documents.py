"""Parsing of a feed in a child process, which loads no reader of pages for it."""

from ingest.adapters.fast_feed import FingerprintedDocument, KnownItems
from ingest.adapters.feed import parse_new_items
from ingest.sandbox.budget import feed_within_budget
from ingest.sandbox.failures import contained


@contained
def read_feed(
    body: bytes, address: str, content_type: str | None, known_items: KnownItems | None
) -> FingerprintedDocument:
    """Parse a feed without its known items; every failure is an UnreadableDocument."""
    feed = parse_new_items(
        body, address=address, content_type=content_type, known_items=known_items
    )
    return feed_within_budget(feed)
