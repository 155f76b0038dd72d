"""Parsing in a child process: how it fails, how much is kept of a document, feeds, and importance.

A document is kept up to a number of rows and characters, however much a vendor sends. What is over
that budget is cut, and the source's health says so. The share of an entry is a power of two, so
that the same entries are cut at the same place when the document grows a little. No reader of pages
is loaded for a feed.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime
from functools import wraps
from itertools import accumulate
from typing import Final, NamedTuple, ParamSpec, TypeVar

import orjson

from changelog_reader.adapters.base import Block, ParsedDocument, ParsedEntry, UnreadableDocument
from changelog_reader.adapters.feed import parse_feed
from changelog_reader.importance import Importance, classify

MOST_ENTRIES: Final = 2_000
MOST_TEXT: Final = 1_000_000
"""Characters of the texts, the markup and the other fields of all entries together, and of a page's
blocks; the longest of the recorded documents has a quarter of it."""
_LARGEST_SHARE: Final = 1 << 19
_SMALL: Final = 1_000
"""Characters of a field of ``raw`` that stays when its entry is cut."""

ParamsT = ParamSpec("ParamsT")
ResultT = TypeVar("ResultT")


class ParserTimeout(UnreadableDocument):
    """The document kept its parser busy beyond the deadline."""


class ParserCrash(UnreadableDocument):
    """The parser died of the document, ran out of memory, or failed in a way of its own."""


class Text(NamedTuple):
    """The arguments of ``classify`` for one entry."""

    title: str
    summary: str | None
    published_at: datetime | None
    types: tuple[str, ...]


def contained(parse: Callable[ParamsT, ResultT]) -> Callable[ParamsT, ResultT]:
    """Make every failure of a function that parses a document an UnreadableDocument."""

    @wraps(parse)
    def contained_parse(*args: ParamsT.args, **kwargs: ParamsT.kwargs) -> ResultT:
        try:
            return parse(*args, **kwargs)
        except UnreadableDocument:
            raise
        except MemoryError:
            raise ParserCrash("The document needs more memory than a parser may have.") from None
        except Exception as error:  # noqa: BLE001 - of any library's, the caller gets one kind
            raise ParserCrash(f"The parser failed with {type(error).__name__}.") from None

    return contained_parse


@contained
def read_feed(body: bytes, address: str, content_type: str | None) -> ParsedDocument:
    """Return the entries of a feed; every failure is an UnreadableDocument."""
    return within_budget(parse_feed(body, address=address, content_type=content_type))


def classify_texts(texts: Sequence[Text]) -> tuple[Importance, ...]:
    """Classify each text: a vendor's text is hostile."""
    return tuple(
        classify(text.title, text.summary, published_at=text.published_at, types=text.types)
        for text in texts
    )


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
