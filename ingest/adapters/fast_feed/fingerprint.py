"""What tells one item of a feed from others when it comes again: a digest of its bytes."""

from dataclasses import dataclass
from hashlib import blake2b
from typing import Final, Self

from ingest.adapters.base import ParsedDocument

MARK: Final = 16
"""Bytes of a mark."""
_NO_MARK: Final = bytes(MARK)


def mark_of(item: bytes) -> bytes | None:
    """Return the mark of an item; None for one that may mean something to others."""
    return None if b"xmlns" in item else digest_of(item)


def digest_of(item: bytes) -> bytes:
    """Return the digest that is the mark of an item, if it has one."""
    return blake2b(item, digest_size=MARK).digest()


@dataclass(frozen=True, slots=True)
class KnownItems:
    """Items that were read before: their marks, one after the other, and what they inherited.

    An item that has no mark takes its place in ``marks`` with zeros.
    """

    marks: bytes
    basis: bytes

    def places(self) -> dict[bytes, int]:
        """Return the place of each mark; of equal ones the first."""
        found: dict[bytes, int] = {}
        for place in range(len(self.marks) // MARK):
            found.setdefault(self.marks[place * MARK : (place + 1) * MARK], place)
        found.pop(_NO_MARK, None)
        return found


@dataclass(frozen=True, slots=True)
class MarkedDocument:
    """What a feed says, and what tells its items apart when they come again.

    ``document`` has the entries of the items that were not known. ``marks`` are those of its
    entries, None where an item has none. ``order`` has, for each item of the feed, its place
    among the known ones, or None for the next entry of ``document``. ``basis`` is what items
    inherit; None where they have no marks.
    """

    document: ParsedDocument
    marks: tuple[bytes | None, ...]
    order: tuple[int | None, ...]
    basis: bytes | None = None

    @classmethod
    def without_marks(cls, document: ParsedDocument) -> Self:
        """Return a document of which every item has to be read again."""
        nothing = (None,) * len(document.entries)
        return cls(document, nothing, nothing)
