"""Parsing of a feed in a child process, which loads no reader of pages for it."""

from functools import partial

from ingest.adapters.fast_feed import FingerprintedDocument, KnownItems
from ingest.adapters.feed import parse_new_items
from ingest.sandbox.budget import feed_within_budget
from ingest.sandbox.failures import contained


def read_feed(
    body: bytes, address: str, content_type: str | None, known_items: KnownItems | None
) -> FingerprintedDocument:
    """Parse a feed without its known items; every failure is an UnreadableDocument."""
    parse = partial(parse_new_items, body, address=address, content_type=content_type)
    return contained(lambda: feed_within_budget(parse(known_items=known_items)))
