"""A faster reader of well-formed RSS and Atom that falls back to feedparser when unsure.

``read_items`` reads a document, ``read_new_items`` only the items that were not read before. Both
give what feedparser alone would give; ``tests/ingest/adapters/fast_feed`` compares the two. The
switch is ``ENABLED`` in ``reader.py``.
"""

from ingest.adapters.fast_feed.fingerprint import (
    FINGERPRINT_SIZE,
    FingerprintedDocument,
    KnownItems,
)
from ingest.adapters.fast_feed.reader import FeedItems, read_items, read_new_items

__all__ = [
    "FINGERPRINT_SIZE",
    "FeedItems",
    "FingerprintedDocument",
    "KnownItems",
    "read_items",
    "read_new_items",
]
