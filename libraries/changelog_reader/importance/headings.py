"""Headings, and what they say about the items below them.

Keep a Changelog, conventional changelogs and most vendors' release notes sort their
items under a handful of headings. One that says "Breaking
changes" or "Removed" settles the category of what is under it; one that says "Bug
fixes" or "Added" makes anything but plain words doubtful.
"""

import re
from enum import StrEnum
from functools import lru_cache

from changelog_reader.importance.lazy_pattern import LazyPattern, written


class Scope(StrEnum):
    """The meaning that a heading gives to the items under it."""

    BREAKING = "breaking"
    REMOVAL = "removal"
    DEPRECATION = "deprecation"
    SECURITY = "security"
    SECURITY_AREA = "security_area"  # "Security": repairs, or only the product's security features
    FIXES = "fixes"  # repairs, and what is small
    HARMLESS = "harmless"  # additions
    UPKEEP = "upkeep"  # of the vendor's own house
    UNKNOWN = "unknown"


_LONGEST_EMPTY = 200  # characters of a text that says that its section is empty
_DECORATION = re.compile(r"^(?::\w+:|[\W\d_])+|[\W_]+$")
_VERSION = re.compile(r"\s*(?:\(.{0,60}\)|\[.{0,60}\]|(?:in|for|from)\s+v?\d\S{0,20})$")


_WRITTEN = written("headings")
_EMPTY = LazyPattern(_WRITTEN["empty"]["pattern"], _WRITTEN["empty"], re.IGNORECASE | re.DOTALL)
ASIDE = LazyPattern(_WRITTEN["aside"], flags=re.IGNORECASE)
_MEANINGS = [  # what each heading promises, in the order in which they are tried
    (Scope(it["scope"]), LazyPattern(f"(?:{'|'.join(it['headings'])})", flags=re.IGNORECASE))
    for it in _WRITTEN["meaning"]
]


@lru_cache(maxsize=64)  # asked for more than once of a statement
def says_nothing(text: str) -> bool:
    """Return whether a text says only that there is nothing: "None", "There are no fixes"."""
    return len(text) <= _LONGEST_EMPTY and _EMPTY.fullmatch(text) is not None


@lru_cache(maxsize=4096)
def scope_of(heading: str) -> Scope:
    """Return the scope that a heading announces; UNKNOWN for any other.

    Emoji, numbering, a version and a final colon are not part of the heading.
    """
    plain = " ".join(heading.split())[:120]
    plain = _DECORATION.sub("", _VERSION.sub("", plain.rstrip(" :*_#")))
    return next((scope for scope, known in _MEANINGS if known.fullmatch(plain)), Scope.UNKNOWN)
