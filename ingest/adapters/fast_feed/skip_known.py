"""A feed without the items that were read before: to find them costs a fraction of reading them.

What an item means depends on its bytes and on what it inherits from the document (``scope`` and
``feed.FeedContext``). An item whose bytes were read before, in a document with the same to
inherit, means what it meant then. So such items are cut out of a document, and what is left is
read as any other; ``tests/ingest/adapters/fast_feed`` compares that with reading all.
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

    ``order`` has the place of each item among the known ones, None where it is not known;
    ``has_dublin_core`` and ``scope`` are as in SplitDocument, of the whole document.
    """

    rest: bytes
    order: tuple[int | None, ...]
    has_dublin_core: bool
    scope: bytes


def skip_known(document: bytes, known: Mapping[bytes, int]) -> SkippedDocument | None:
    """Cut the known items out of a document; None when none is there or it is not as usual."""
    cut = _cut_out(document, known)
    if cut is None or not cut.places:
        return None
    walk = _OutlineWalk(frozenset(cut.places))
    if not walk.covers(cut.outline):
        return None
    order: list[int | None] = []
    for (first, _), after in zip(walk.places, walk.ends(cut.outline), strict=True):
        places = cut.places.get(first)
        order.extend((None,) if places is None else places)
        if places is None and len(_STARTS.findall(cut.outline[first:after])) != 1:
            return None  # one inside another, or text that looks like it
    if len(order) - order.count(None) != sum(map(len, cut.places.values())):
        return None
    return SkippedDocument(cut.rest, tuple(order), walk.names.has_dublin_core, walk.scope)


@dataclass(frozen=True, slots=True)
class _Cut:
    """A document with empty elements for its known items (``outline``), and without (``rest``).

    One element stands for all that follow each other with nothing but space between them.
    ``places`` has their places among the known ones, by where the element is.
    """

    outline: bytes
    rest: bytes
    places: Mapping[int, Sequence[int]]


def _cut_out(document: bytes, known: Mapping[bytes, int]) -> _Cut | None:
    """Cut the known items out, looking at bytes only; None where that may cut into something.

    What is cut out was an element when it was read, so it is one here if no comment, section or
    instruction is open where it begins. Where it stands among elements, a parser has to say.
    """
    name = b"item" if b"</item>" in document else b"entry"
    start, end, empty = b"<" + name, b"</" + name + b">", b"<" + name + b"/>"
    *pieces, last = document.split(end)
    outline, rest, places, size = [], [], {}, 0
    following: list[int] | None = None  # where the next known item belongs if only space is before
    for piece in pieces:
        first = piece.find(start)
        if first < 0:
            return None
        place = known.get(digest_of(piece[first:] + end))
        if place is None and piece.find(start, first + 1) >= 0:
            return None
        before = piece[:first] if place is not None else piece + end
        rest.append(before)
        if place is not None and following is not None and (before.isspace() or not before):
            following.append(place)
            continue
        if not _is_closed(before):
            return None
        outline.append(before)
        size += len(before)
        following = None if place is None else [place]
        if following is not None:
            outline.append(empty)
            places[size] = following
            size += len(empty)
    return _Cut(b"".join((*outline, last)), b"".join((*rest, last)), places)


def _is_closed(piece: bytes) -> bool:
    """Tell whether each comment, section and instruction that begins in a piece ends in it."""
    at = 0
    while (opened := _OPENED.search(piece, at)) is not None:
        end = _ENDS.get(opened[0])
        ends_at = -1 if end is None else piece.find(end, opened.end())
        if end is None or ends_at < 0:
            return False
        at = ends_at + len(end)
    return True


class _OutlineWalk(DocumentWalk):
    """Walk over a document as DocumentWalk does, but do not look into its items.

    ``empty`` are the places of items that were cut out.
    """

    def __init__(self, empty: frozenset[int]) -> None:
        super().__init__()
        self._empty = empty

    def _begin_item(self, attributes: Attributes) -> None:
        self._first = self.parser.CurrentByteIndex
        self._languages.add(self._language or "")
        self.parser.StartElementHandler = None  # what is called for nothing is not cheap
        self.parser.EndElementHandler = self._ended_inside

    def _ended_inside(self, name: str) -> None:
        if name != self._path[-1]:
            return
        last = self.parser.CurrentByteIndex
        if last == self._first and last not in self._empty:
            raise FallBackToFeedparser  # an empty element
        self.items.append(None)
        self.places.append((self._first, last))
        self._depth -= 1
        self.parser.StartElementHandler = self._started
        self.parser.EndElementHandler = self._ended
