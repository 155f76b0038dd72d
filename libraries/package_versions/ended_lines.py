"""Which versions an end of support is about: those of the line that it names, and older. Pure.

"Support of Kubernetes 1.30 ends" is nothing to who runs 1.33. A version that stands beside another
name, as in "Python 3.9" of what is written in it, says nothing about the part itself.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Final

from package_versions.package_urls import PackageUrl

_Numbers = tuple[int, ...]
_DATE: Final = re.compile(r"\b(?:\d{4}[.-]\d{1,2}[.-]\d{1,2}|\d{1,2}\.\d{1,2}\.\d{4})\b", re.ASCII)
_VERSION: Final = re.compile(
    r"(?:(?P<word>[A-Za-z][\w+#-]*(?:\.[A-Za-z]+)?)[ ]+)?"
    r"(?<![\w.])[vV]?(?P<version>\d{1,6}(?:\.(?:\d{1,6}|x\b))*)(?![\w]|\.\d)",
    re.ASCII,
)
_GOES_ON: Final = frozenset({"", "and", "or", "to", "through"})
_NO_NAMES: Final = frozenset({"version", "versions", "release", "releases"})
_BEFORE_A_VERSION: Final = _NO_NAMES | {"of", "for", "line", "branch", "series", "the"}
_LEADING: Final = re.compile(r"(?:\d+:)?[vV]?(?P<numbers>\d{1,6}(?:\.\d{1,6})*)", re.ASCII)
_WORD: Final = re.compile(r"[a-z][a-z0-9]+", re.ASCII)


def last_version_that_ends(
    text: str, title: str, part: str, *, released: str | None = None
) -> str | None:
    """Return the newest version of a part that a sentence says ends, else that a title does.

    None where neither names one: then it is about every version. The version that the entry itself
    brings, ``released``, is not what a title says ends.
    """
    parsed = PackageUrl.parse(part)
    words = _WORD.findall(f"{parsed.namespace} {parsed.name}".lower()) if parsed else []
    names = frozenset(words)
    versions = list(_named(text, names))
    if not versions and released is None:
        versions = list(_named(title, names))
    return max(versions, key=_numbers, default=None)


def is_of_line(version: str | None, last: str) -> bool:
    """Tell whether a version is of a line or of an older one; what cannot be told may be."""
    numbers, end = _numbers(version or ""), _numbers(last)
    return not numbers or numbers[: len(end)] <= end


def concerns(last: str | None, version: str | None, *, passed: bool) -> bool:
    """Tell whether an end concerns a running version; ``last`` is the newest version that it names.

    What ends is everybody's unless it names versions. What has passed is news only to those who
    certainly run what ended.
    """
    if passed:
        return last is not None and bool(_numbers(version or "")) and is_of_line(version, last)
    return last is None or is_of_line(version, last)


def telling_versions(versions: Iterable[str | None]) -> list[str | None]:
    """Return the versions that decide whether an end concerns any of them: the oldest, and unknown.

    An end that concerns a version concerns all older ones too.
    """
    every = set(versions)
    known = [version for version in every if version and _numbers(version)]
    unknown = every.difference(known)
    oldest = min(known, key=lambda version: (_numbers(version), version), default=None)
    return [*([oldest] if oldest else []), *([next(iter(unknown))] if unknown else [])]


def _named(text: str, names: frozenset[str]) -> Iterator[str]:
    """Yield the versions of a part that a text names; in a list the first has the name."""
    meant = False
    for match in _VERSION.finditer(_DATE.sub(" – ", text)):
        word = (match["word"] or "").lower()
        version = match["version"]
        called = word in _NO_NAMES or not names.isdisjoint(_WORD.findall(word))
        if word not in _GOES_ON or "." not in version:
            meant = called or (word in _BEFORE_A_VERSION and "." in version)
        elif word == "" and match.start() == 0:
            meant = True
        if meant:
            yield version.partition(".x")[0]


def _numbers(version: str) -> _Numbers:
    match = _LEADING.match(version.strip())
    return tuple(map(int, match["numbers"].split("."))) if match else ()
