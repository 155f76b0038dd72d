"""The rss adapter: sources that the catalog lists as RSS feeds."""

from ingest.adapters.base import ParsedDocument
from ingest.adapters.feed import parse_feed


def parse_rss(body: bytes, *, address: str, content_type: str | None) -> ParsedDocument:
    """Return what the feed says, whatever kind of feed it turns out to be.

    Raises UnreadableDocument when the document is no feed.
    """
    return parse_feed(body, address=address, content_type=content_type)
