"""A faster reader of well-formed RSS and Atom that falls back to feedparser when unsure.

``read`` reads a document, ``read_unknown`` only those of its items that were not read before. Both
give what feedparser alone would give; ``tests/ingest/adapters/fast_feed`` compares the two. The
switch is ``ENABLED`` in ``reader.py``.
"""

from ingest.adapters.fast_feed.fingerprint import (
    FINGERPRINT_SIZE,
    FingerprintedDocument,
    KnownItems,
)
from ingest.adapters.fast_feed.reader import FeedItems, read, read_unknown

__all__ = [
    "FINGERPRINT_SIZE",
    "FeedItems",
    "FingerprintedDocument",
    "KnownItems",
    "read",
    "read_unknown",
]
