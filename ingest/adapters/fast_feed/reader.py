"""The entry points: most items are read here, everything else by feedparser."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ingest.adapters.fast_feed.fingerprint import KnownItems
from ingest.adapters.fast_feed.skip_known import skip_known
from ingest.adapters.fast_feed.split import SplitDocument, split_items

ENABLED = True
"""Whether this reader is used at all: where it is not, feedparser reads everything."""


@dataclass(frozen=True, slots=True)
class FeedItems:
    """A feed as feedparser returns it (``parsed``), with the fingerprints of its items.

    ``fingerprints`` are those of its entries and ``scope`` is what they inherit from where they
    stand; it is None where feedparser read everything. ``order`` has, for each item of the
    document, its place among the known items, or None for the next entry of ``parsed``.
    """

    parsed: Any
    has_dublin_core: bool
    fingerprints: tuple[bytes | None, ...] = ()
    order: tuple[int | None, ...] = ()
    scope: bytes | None = None


def read_items(document: bytes, parse: Callable[[bytes], Any]) -> FeedItems:
    """Read a document. ``parse`` is feedparser, for what this reader leaves to it."""
    split = split_items(document) if ENABLED else None
    if split is not None and any(item is not None for item in split.items):
        merged = _merge(split, parse)
        if merged is not None:
            order = (None,) * len(split.items)
            core = split.has_dublin_core or "dc" in merged.namespaces
            return FeedItems(merged, core, split.fingerprints, order, split.scope)
    parsed = parse(document)
    return FeedItems(parsed, "dc" in parsed.namespaces)


def read_new_items(
    document: bytes, known_items: KnownItems, parse: Callable[[bytes], Any]
) -> FeedItems | None:
    """Read the items that are not known; None where all items have to be read."""
    skipped = skip_known(document, known_items.positions()) if ENABLED else None
    split = None if skipped is None else split_items(skipped.remainder)
    if skipped is None or split is None:
        return None
    merged = _merge(split, parse)
    if merged is None:
        return None
    core = skipped.has_dublin_core or "dc" in merged.namespaces
    return FeedItems(merged, core, split.fingerprints, skipped.order, skipped.scope)


def _merge(split: SplitDocument, parse: Callable[[bytes], Any]) -> Any | None:
    """Return the remainder as parsed by feedparser, with the items read here; None if unsure."""
    parsed = parse(split.remainder)
    if parsed.bozo or len(parsed.entries) != split.items.count(None):
        return None
    others = iter(parsed.entries)
    parsed.entries = [next(others) if item is None else item for item in split.items]
    return parsed
