"""Removal of the items of a feed that were read before.

What an item means depends on its bytes and on what it inherits from the document (``scope`` and
``feed.FeedContext``). An item whose bytes were read before, in a document that lets it
inherit the same, gives the same entry. So such items are cut out of a document, and only the
remainder is read; ``tests/ingest/adapters/fast_feed`` compares that with reading all.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from ingest.adapters.fast_feed.fallback import FallBackToFeedparser
from ingest.adapters.fast_feed.fingerprint import digest_of
from ingest.adapters.fast_feed.item import Attributes
from ingest.adapters.fast_feed.split import DocumentWalk

_STARTS: Final = re.compile(rb"<(?:[^\s<>/:]+:)?(?:item|entry)[\s/>]")
_OPENED: Final = re.compile(rb"<(?:!\[CDATA\[|!--|\?|!)")
_ENDS: Final = {b"<![CDATA[": b"]]>", b"<!--": b"-->", b"<?": b"?>"}


@dataclass(frozen=True, slots=True)
class SkippedDocument:
    """A document without its known items.

    ``order`` has the position of each item among the known items, None where it is not known;
    ``has_dublin_core`` and ``scope`` are as in SplitDocument, of the whole document.
    """

    remainder: bytes
    order: tuple[int | None, ...]
    has_dublin_core: bool
    scope: bytes


def skip_known(document: bytes, known_positions: Mapping[bytes, int]) -> SkippedDocument | None:
    """Cut the known items out of a document; None if it has none or has an unusual structure."""
    cut = _cut_out(document, known_positions)
    if cut is None or not cut.positions:
        return None
    walk = _OutlineWalk(frozenset(cut.positions))
    if not walk.parse(cut.outline):
        return None
    order: list[int | None] = []
    for (first, _), after in zip(walk.offsets, walk.end_offsets(cut.outline), strict=True):
        cut_items = cut.positions.get(first)
        order.extend((None,) if cut_items is None else cut_items)
        if cut_items is None and len(_STARTS.findall(cut.outline[first:after])) != 1:
            return None  # one inside another, or text that looks like it
    if len(order) - order.count(None) != sum(map(len, cut.positions.values())):
        return None
    return SkippedDocument(cut.remainder, tuple(order), walk.names.has_dublin_core, walk.scope)


@dataclass(frozen=True, slots=True)
class _CutDocument:
    """A document without its known items (``remainder``), or with empty ones (``outline``).

    One element stands for all that follow each other with nothing but space between them.
    ``positions`` has their positions among the known items, by where the element is.
    """

    outline: bytes
    remainder: bytes
    positions: Mapping[int, Sequence[int]]


def _cut_out(document: bytes, known_positions: Mapping[bytes, int]) -> _CutDocument | None:
    """Cut the known items out by searching bytes; None where that may cut into other markup.

    What is cut out was an element when it was read, so it is one here if no comment, section or
    instruction is open where it begins. Where it stands among elements, a parser has to say.
    """
    name = b"item" if b"</item>" in document else b"entry"
    start, end, empty = b"<" + name, b"</" + name + b">", b"<" + name + b"/>"
    *pieces, last = document.split(end)
    outline, remainder, positions, size = [], [], {}, 0
    following: list[int] | None = None  # where the next known item belongs if only space is before
    for piece in pieces:
        first = piece.find(start)
        if first < 0:
            return None
        position = known_positions.get(digest_of(piece[first:] + end))
        if position is None and piece.find(start, first + 1) >= 0:
            return None
        before = piece[:first] if position is not None else piece + end
        remainder.append(before)
        if position is not None and following is not None and (before.isspace() or not before):
            following.append(position)
            continue
        if not _is_closed(before):
            return None
        outline.append(before)
        size += len(before)
        following = None if position is None else [position]
        if following is not None:
            outline.append(empty)
            positions[size] = following
            size += len(empty)
    return _CutDocument(b"".join((*outline, last)), b"".join((*remainder, last)), positions)


def _is_closed(piece: bytes) -> bool:
    """Return whether each comment, section and instruction ends in the piece it begins in."""
    at = 0
    while (opening := _OPENED.search(piece, at)) is not None:
        end = _ENDS.get(opening[0])
        ends_at = -1 if end is None else piece.find(end, opening.end())
        if end is None or ends_at < 0:
            return False
        at = ends_at + len(end)
    return True


class _OutlineWalk(DocumentWalk):
    """Walk over a document as DocumentWalk does, but skip what is inside its items.

    ``empty`` are the offsets of items that were cut out.
    """

    def __init__(self, empty: frozenset[int]) -> None:
        super().__init__()
        self._empty = empty

    def _start_item(self, attributes: Attributes) -> None:
        self._first = self.parser.CurrentByteIndex
        self._languages.add(self._language or "")
        self.parser.StartElementHandler = None  # calls that do nothing cost time too
        self.parser.EndElementHandler = self._on_end_in_item

    def _on_end_in_item(self, name: str) -> None:
        if name != self._path[-1]:
            return
        last = self.parser.CurrentByteIndex
        if last == self._first and last not in self._empty:
            raise FallBackToFeedparser  # an empty element
        self.items.append(None)
        self.offsets.append((self._first, last))
        self._depth -= 1
        self.parser.StartElementHandler = self._on_start
        self.parser.EndElementHandler = self._on_end
