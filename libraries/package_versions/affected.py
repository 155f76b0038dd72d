"""Whether an end is about the version of a part that runs, by the versions that the end names."""

import re
from functools import lru_cache
from typing import Final

from package_versions.package_urls import PackageUrl
from package_versions.release_order import parse_release

_WORD: Final = re.compile(r"[a-z][a-z0-9]*|\d[\w.]*", re.ASCII)
_GENERAL: Final = frozenset(
    (
        *("version", "versions", "release", "releases", "line", "lines", "branch", "series"),
        *("cycle", "lts", "v", "x", "js", "and", "or", "to", "through", "the", "of", "for", "in"),
        *("before", "below", "above", "than", "older", "earlier", "lower", "newer", "later"),
    )
)
_BOUND: Final = re.compile(r"(?P<sign>[<>]=?)?(?P<version>.+)")
_NUMBERS: Final = re.compile(r"(?:\d+:)?[vV]?(?P<numbers>\d{1,18}(?:\.\d{1,18})*)", re.ASCII)


@lru_cache(maxsize=65_536)
def is_affected(
    subject: str | None, versions: str | None, part: str, running: str | None
) -> bool | None:
    """Return whether a deadline affects the version in use; None if unknown.

    ``versions`` are those of ``subject``, ``3.1|3.2`` or ``>=3|<=5``: a line has all versions that
    begin with it. Of another product, "Python 3.9" for one, they say nothing about the part.
    """
    package = _parsed(part)
    if versions is None or not running or package is None or not _names(subject or "", package):
        return None
    bounds = [_holds(bound, running, package) for bound in versions.split("|")]
    is_range = versions.startswith(("<", ">"))
    decisive = not is_range  # one version that is meant, or one bound that is not kept, is enough
    if decisive in bounds:
        return decisive
    return None if None in bounds else not decisive


@lru_cache(maxsize=16_384)
def _parsed(part: str) -> PackageUrl | None:
    return PackageUrl.parse(part)


def _names(subject: str, part: PackageUrl) -> bool:
    """Return whether a subject is a part: its name, the end of it, or only versions."""
    words = [
        word
        for word in _WORD.findall(subject.lower())
        if word not in _GENERAL and not word.removeprefix("v")[:1].isdigit()
    ]
    owner, name = (_WORD.findall(text.lower()) for text in (part.namespace, part.name))
    return words[-len(name) :] == name or words == owner or _ends_with([*owner, *name], words)


def _ends_with(path: list[str], words: list[str]) -> bool:
    return path[len(path) - len(words) :] == words


def _holds(bound: str, running: str, part: PackageUrl) -> bool | None:
    """Return whether a version is of a line, or on the side of it that a sign says."""
    match = _BOUND.fullmatch(bound.strip())
    if match is None:
        return None
    sign, version = match["sign"] or "", match["version"].removesuffix(".x").removesuffix("-lts")
    line, numbers = _numbers(version), _numbers(running)
    if not line or not numbers:
        return True if version.casefold() == running.casefold() else None
    if len(numbers) < len(line) and line[: len(numbers)] == numbers:
        return None
    is_of_line = numbers[: len(line)] == line
    if not sign or (is_of_line and sign.endswith("=")):
        return is_of_line
    limit, parsed = (parse_release(it, part.ecosystem) for it in (version, running))
    is_before = numbers < line if limit is None or parsed is None else parsed < limit
    return is_before if sign.startswith("<") else not is_before and not is_of_line


def _numbers(version: str) -> tuple[int, ...]:
    match = _NUMBERS.match(version.strip())
    return tuple(map(int, match["numbers"].split("."))) if match else ()
