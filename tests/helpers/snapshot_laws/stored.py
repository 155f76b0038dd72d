"""Whole snapshots to bytes and back, as ingestion does it piece by piece."""

from ingest.snapshots.encoding import canonical, digest_of, stored_state
from ingest.snapshots.pieces import compressed
from ingest.snapshots.snapshot import Snapshot


def encode(snapshot: Snapshot) -> bytes:
    """Return a snapshot as it is stored."""
    return compressed(canonical(snapshot), {})


def decode(body: bytes) -> Snapshot:
    """Return the snapshot that is stored as these bytes."""
    return stored_state(body).snapshot


def content_hash(snapshot: Snapshot) -> str:
    """Return the hash under which a snapshot is stored."""
    return digest_of(canonical(snapshot))
