"""A feed without the items that were read before: finding them costs a fraction of reading them.

What an item means depends on its bytes and on what it inherits from the document (``scope`` and
``feed.FeedContext``). An item whose bytes were read before, in a document with the same to
inherit, means what it meant then. So such items are cut out of a document, and what is left is
read as any other; ``tests/ingest/adapters/test_well_formed.py`` holds that against reading all.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from ingest.adapters.item_reading import Attributes, Unusual
from ingest.adapters.marks import mark_of
from ingest.adapters.well_formed import Walk

_STARTS: Final = re.compile(rb"<(?:[^\s<>/:]+:)?(?:item|entry)[\s/>]")


@dataclass(frozen=True, slots=True)
class Skimmed:
    """A document without its known items.

    ``order`` has the place of each item among the known ones, None where it is not known;
    ``prefixes`` and ``scope`` are as in TakenApart, of the whole document.
    """

    rest: bytes
    order: tuple[int | None, ...]
    prefixes: frozenset[str]
    scope: bytes


def skimmed(document: bytes, known: Mapping[bytes, int]) -> Skimmed | None:
    """Cut the known items out of a document; None when none is there or it is not as usual."""
    walk = _Skim()
    if not walk.goes_over(document):
        return None
    kept, order, end = [], [], 0
    for (first, _), after in zip(walk.places, walk.ends(document), strict=True):
        item = document[first:after]
        if len(_STARTS.findall(item)) != 1:
            return None  # one inside another, or text that looks like it
        mark = mark_of(item)
        place = None if mark is None else known.get(mark)
        order.append(place)
        if place is not None:
            kept.append(document[end:first])
            end = after
    if not kept:
        return None
    kept.append(document[end:])
    return Skimmed(b"".join(kept), tuple(order), frozenset(walk.prefixes), walk.scope)


class _Skim(Walk):
    """Walks over a document as Walk does, but does not look into its items."""

    def _begin_item(self, attributes: Attributes) -> None:
        self._first = self.parser.CurrentByteIndex
        self._languages.add(self._language or "")
        self.parser.StartElementHandler = None  # what is called for nothing is not cheap
        self.parser.EndElementHandler = self._ended_inside

    def _ended_inside(self, name: str) -> None:
        if name != self._path[-1]:
            return
        last = self.parser.CurrentByteIndex
        if last == self._first:
            raise Unusual  # an empty element
        self.items.append(None)
        self.places.append((self._first, last))
        self._depth -= 1
        self.parser.StartElementHandler = self._started
        self.parser.EndElementHandler = self._ended
