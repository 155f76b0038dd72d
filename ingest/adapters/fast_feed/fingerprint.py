"""Fingerprints of feed items: digests of their bytes, to recognise unchanged items."""

from dataclasses import dataclass
from hashlib import blake2b
from typing import Final, Self

from ingest.adapters.base import ParsedDocument

FINGERPRINT_SIZE: Final = 16
"""Bytes of a fingerprint."""
_NO_FINGERPRINT: Final = bytes(FINGERPRINT_SIZE)


def fingerprint_of(item: bytes) -> bytes | None:
    """Return the fingerprint of an item; None for one that declares namespaces."""
    return None if b"xmlns" in item else digest_of(item)


def digest_of(item: bytes) -> bytes:
    """Return the digest of an item's bytes."""
    return blake2b(item, digest_size=FINGERPRINT_SIZE).digest()


@dataclass(frozen=True, slots=True)
class KnownItems:
    """Items that were read before: their fingerprints, one after the other, and their ``basis``.

    An item without a fingerprint takes its position in ``fingerprints`` with zeros. ``basis`` is a
    digest of what the items inherited.
    """

    fingerprints: bytes
    basis: bytes

    def positions(self) -> dict[bytes, int]:
        """Return the position of each fingerprint; of equal ones the first."""
        positions: dict[bytes, int] = {}
        for position in range(len(self.fingerprints) // FINGERPRINT_SIZE):
            start = position * FINGERPRINT_SIZE
            positions.setdefault(self.fingerprints[start : start + FINGERPRINT_SIZE], position)
        positions.pop(_NO_FINGERPRINT, None)
        return positions


@dataclass(frozen=True, slots=True)
class FingerprintedDocument:
    """A parsed feed with the fingerprints of its items.

    ``document`` has the entries of the items that were not known. ``fingerprints`` are those of
    its entries, None where an item has none. ``order`` has, for each item of the feed, its position
    among the known ones, or None for the next entry of ``document``. ``basis`` is a digest of what
    items inherit; None where they have no fingerprints.
    """

    document: ParsedDocument
    fingerprints: tuple[bytes | None, ...]
    order: tuple[int | None, ...]
    basis: bytes | None = None

    @classmethod
    def without_fingerprints(cls, document: ParsedDocument) -> Self:
        """Return a document of which every item has to be read again."""
        nothing = (None,) * len(document.entries)
        return cls(document, nothing, nothing)
