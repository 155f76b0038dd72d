"""Calculating with the changes of diffs, which is how their laws are tested."""

from snapshot_laws.apply import apply, invert
from snapshot_laws.stored import content_hash, decode, encode
from snapshot_laws.wire import diff_from_wire

__all__ = [
    "apply",
    "content_hash",
    "decode",
    "diff_from_wire",
    "encode",
    "invert",
]
