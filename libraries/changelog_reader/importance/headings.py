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


_OF_A_SECTION = (
    r"(?:changes?|deprecations?|removals?|vulnerabilities|cves?|fixes|patches|issues|items|updates"
    r"|steps|actions?|notes|änderungen|changements?|modifications?|cambios?)\b"
)
_SAYING = (  # what may stand before "no ..." in a sentence that says only that
    r"(?:(?:there|this|these|the|we|it|in|with|for|of|version|release|update|month|also|currently"
    r"|has|have|had|are|were|was|is|been|contains?|includes?|introduc\w+|makes?|made|v?\d[\d.]*)\W+)"
)
_WHEN = (  # what may follow it
    r"(?:\W+(?:in|of|at|for|to|on|with|from|since|so|far|yet|this|the|these|any|our|as|part|is|are|was"
    r"|were|been|has|have|known|made|introduced|required|needed|necessary|reported|addressed|planned"
    r"|expected|included|deprecated|removed|fixed|changed|note|report|announce|do|here|and|or|public"
    r"|apis?|release|version|update|month|week|sprint|cycle|time|moment|present|previous|last|current"
    r"|breaking|changes?|v?\d[\d.]*|dieser?|diesem|cette|dans|en|esta|versión)\b){0,12}"
)
_EMPTY = re.compile(
    r"[^\w\x00]*(?:"
    rf"(?:\w+[ :–—-]{{1,3}}){{0,3}}?(?:none|n/?a|nothing|not applicable)\b{_WHEN}"
    rf"|{_SAYING}{{0,8}}(?:no|not any|zero|keine?|aucune?|ning[uú]na?)\s"
    rf"(?:[\w-]+[\s/]+(?:or\s|and\s)?){{0,4}}?{_OF_A_SECTION}{_WHEN}"
    rf"|{_SAYING}{{0,8}}(?:do(?:es)?|did|have|has|was|were)(?:\snot|n.t)\s"
    rf"(?:\w+\s){{1,3}}any(?:thing)?{_WHEN}"
    r"|なし|ありません|無し?|无|没有.{0,20}|<!--.*-->)?[^\w\x00]*",
    re.IGNORECASE | re.DOTALL,
)
_ASIDE = re.compile(
    r"\W*(?:(?:pull(?: request)?|pr|issue|closes?|see|fixes)?\W*#?\d+|(?:\w+ )?thanks\b.*)\W*",
    re.IGNORECASE,
)
_LONGEST_EMPTY = 200  # characters of a text that says that its section is empty
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


def says_nothing(text: str) -> bool:
    """Return whether a text says only that there is nothing: "None", "There are no fixes"."""
    return len(text) <= _LONGEST_EMPTY and _EMPTY.fullmatch(text) is not None


def is_aside(text: str) -> bool:
    """Return whether a text is only a reference, "Pull request #261", or thanks."""
    return _ASIDE.fullmatch(text) is not None


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
