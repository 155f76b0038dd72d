"""Whole snapshots to bytes and back, as ingestion does it."""

from changelog_reader.snapshots.encoding import canonical, compressed, digest_of
from changelog_reader.snapshots.encoding import decode as decode
from changelog_reader.snapshots.snapshot import Snapshot


def encode(snapshot: Snapshot) -> bytes:
    """Return a snapshot as it is stored."""
    return compressed(canonical(snapshot))


def content_hash(snapshot: Snapshot) -> str:
    """Return the hash under which a snapshot is stored."""
    return digest_of(canonical(snapshot))
