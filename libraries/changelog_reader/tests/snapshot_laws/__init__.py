"""Calculating with the changes of diffs, which is how their laws are tested."""

from snapshot_laws.apply import CannotApply, apply, invert
from snapshot_laws.compose import compose
from snapshot_laws.stored import content_hash, decode, encode
from snapshot_laws.wire import diff_from_wire

__all__ = [
    "CannotApply",
    "apply",
    "compose",
    "content_hash",
    "decode",
    "diff_from_wire",
    "encode",
    "invert",
]
