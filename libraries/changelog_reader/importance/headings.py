"""Headings, and what they say about the items below them.

Keep a Changelog, conventional changelogs and most vendors' release notes sort their
items under a handful of headings. One that says "Breaking
changes" or "Removed" settles the category of what stands under it; one that says "Bug
fixes" or "Added" makes anything but plain words doubtful.
"""

import re
import tomllib
from collections.abc import Sequence
from enum import StrEnum
from functools import lru_cache, partial
from pathlib import Path

from changelog_reader.importance.lazy_pattern import LazyPattern


class Scope(StrEnum):
    """The meaning that a heading gives to the items under it."""

    BREAKING = "breaking"
    DEPRECATION = "deprecation"
    SECURITY = "security"
    SECURITY_AREA = "security_area"  # "Security": repairs, or only the product's security features
    FIXES = "fixes"  # repairs, and what is small
    HARMLESS = "harmless"
    UNKNOWN = "unknown"


_DECORATION = re.compile(r"^[\W\d_]+|[\W_]+$")
_VERSION = re.compile(r"\s*(?:\(.{0,60}\)|\[.{0,60}\]|(?:in|for|from)\s+v?\d\S{0,20})$")


def _any_of(headings: Sequence[str]) -> str:
    return f"(?:{'|'.join(headings)})"


def _load(path: Path) -> tuple[tuple[Scope, LazyPattern], ...]:
    """Read what each heading promises, in the order in which they are tried."""
    meanings = tomllib.loads(path.read_text(encoding="utf-8"))["meaning"]
    return tuple(
        (Scope(meaning["scope"]), LazyPattern(partial(_any_of, meaning["headings"]), re.IGNORECASE))
        for meaning in meanings
    )


_MEANINGS = _load(Path(__file__).with_name("patterns") / "headings.toml")


@lru_cache(maxsize=4096)
def scope_of(heading: str) -> Scope:
    """Return the scope that a heading announces; UNKNOWN for any other.

    Emoji, numbering, a version and a final colon are not part of the heading.
    """
    plain = " ".join(heading.split())[:120]
    plain = _DECORATION.sub("", _VERSION.sub("", plain.rstrip(" :*_#")))
    for scope, pattern in _MEANINGS:
        if pattern.fullmatch(plain):
            return scope
    return Scope.UNKNOWN
