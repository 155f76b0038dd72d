"""How much of one document is kept: rows and characters, however much a vendor sends.

What is over the budget is cut, and the source's health says so. The share of an entry is a power of
two, so that the same entries are cut at the same place when the document grows a little.
"""

from dataclasses import replace
from itertools import accumulate
from typing import Final

import orjson

from changelog_reader.adapters.base import Block, ParsedDocument, ParsedEntry

MOST_ENTRIES: Final = 2_000
MOST_TEXT: Final = 1_000_000
"""Characters of the texts, the markup and the other fields of all entries together, and of a page's
blocks; the longest of the recorded documents has a quarter of it."""
_LARGEST_SHARE: Final = 1 << 19
_SMALL: Final = 1_000
"""Characters of a field of ``raw`` that stays when its entry is cut."""


def within_budget(document: ParsedDocument) -> ParsedDocument:
    """Return as much of a document as is kept."""
    entries = document.entries[:MOST_ENTRIES]
    sizes = [_size(entry) for entry in entries]
    if sum(sizes) > MOST_TEXT:
        share = _share(sizes)
        entries = tuple(
            entry if size <= share else _cut(entry, share)
            for entry, size in zip(entries, sizes, strict=True)
        )
    blocks = _first_blocks(document.blocks)
    if entries == document.entries and len(blocks) == len(document.blocks):
        return document
    return replace(document, entries=entries, blocks=blocks, is_cut=True)


def _size(entry: ParsedEntry) -> int:
    return len(entry.summary or "") + len(entry.html or "") + len(orjson.dumps({**entry.raw}))


def _share(sizes: list[int]) -> int:
    """Return the largest power of two that all entries may have."""
    share = _LARGEST_SHARE
    while share > 1 and sum(min(size, share) for size in sizes) > MOST_TEXT:
        share //= 2
    return share


def _cut(entry: ParsedEntry, share: int) -> ParsedEntry:
    """Return an entry with the beginning of its text; cut markup would be none."""
    kept = {name: value for name, value in entry.raw.items() if len(orjson.dumps(value)) <= _SMALL}
    raw = kept if len(orjson.dumps(kept)) <= share else {}
    return replace(entry, summary=entry.summary and entry.summary[:share], html=None, raw=raw)


def _first_blocks(blocks: tuple[Block, ...]) -> tuple[Block, ...]:
    lengths = accumulate(len(block.text) + sum(map(len, block.heading)) for block in blocks)
    return tuple(
        block for block, length in zip(blocks, lengths, strict=True) if length <= MOST_TEXT
    )
