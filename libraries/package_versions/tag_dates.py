"""Which version a title or tag is about, in one spelling, and when a release was tagged. Pure."""

import re
from collections.abc import Collection, Iterable, Mapping
from datetime import datetime
from typing import Final, TypeAlias

_VERSION: Final = re.compile(
    r"(?<![\d.])(?P<number>\d{1,5}(?:[._]\d{1,5}){1,4})"
    r"(?P<stage>[-._]?(?:alpha|beta|rc|pre|preview|dev|next|canary|nightly|milestone|hotfix|patch"
    r"|post|final|[abcmp])[-._]?\d{0,5}(?:[._]\d{1,5}){0,2})?(?![\w+]|\.\d|-\w)"
)
_WORDS: Final = re.compile(r"[^\W\d_]+")
_LABELS: Final = frozenset(
    {"v", "ver", "version", "release", "releases", "released", "rel", "r"}
    | {"tag", "stable", "update", "lts"}
)
_UNRELEASED: Final = re.compile(r"unreleased|not yet released|upcoming|in development|snapshot")
_MOST_A_DAY: Final = 6
"""Versions that one day dates; where it dates more, they were only brought there on that day."""


Tag: TypeAlias = tuple[str, datetime]
"""The tag of a release and the time of its publication."""


def words_of(*names: str | None) -> frozenset[str]:
    """Return the words of names."""
    return frozenset(word for name in names if name for word in _WORDS.findall(name.casefold()))


def version_named(text: str, words: Collection[str]) -> str | None:
    """Return the version that a title or a tag is about, written as all its spellings are.

    There is only one in it, and nothing is before it but ``words`` and "version", "release" and
    the like. What follows it may say anything.
    """
    folded = text.casefold()
    matches = list(_VERSION.finditer(folded))
    if not matches or _UNRELEASED.search(folded):
        return None
    versions = {_canonical(match) for match in matches}
    before = _WORDS.findall(folded[: matches[0].start()])
    is_named = all(word in _LABELS or word in words for word in before)
    return versions.pop() if len(versions) == 1 and is_named else None


def _canonical(match: re.Match[str]) -> str:
    """Return a version with dots, without final zeros, and its stage without marks: 1.2rc1."""
    numbers = [str(int(number)) for number in re.split(r"[._]", match["number"])]
    while len(numbers) > 2 and numbers[-1] == "0":
        numbers.pop()
    stage = re.sub(r"[-._]", "", match["stage"] or "").replace("final", "")
    return ".".join(numbers) + stage


def release_dates(
    tags: Iterable[Tag],
    wanted: Collection[str],
    words: frozenset[str],
    *,
    package: str | None = None,
) -> dict[str, datetime]:
    """Return when the wanted versions were tagged, if it is clear.

    ``words`` may be next to a version: those of the product and of its repository. ``package`` is
    the one package of the repository that the versions are of.

    A tag that names the package comes before one that names the version alone, and that before one
    with the repository's name. Two days of one version are no answer, nor is a day for many.
    """
    ranked_tags: dict[str, dict[int, set[datetime]]] = {}
    named = words_of(package)
    for tag, at in tags:
        version = version_named(tag, words | named)
        if version is not None and version in wanted:
            ranked = ranked_tags.setdefault(version, {})
            ranked.setdefault(_rank(tag, named), set()).add(at)
    if any(0 in ranked for ranked in ranked_tags.values()):
        ranked_tags = {version: ranked for version, ranked in ranked_tags.items() if 0 in ranked}
    dates = {version: best for version, ranked in ranked_tags.items() if (best := _best(ranked))}
    days = [at.date() for at in dates.values()]
    return {version: at for version, at in dates.items() if days.count(at.date()) <= _MOST_A_DAY}


def _rank(tag: str, package: frozenset[str]) -> int:
    folded = tag.casefold()
    match = _VERSION.search(folded)
    before = set(_WORDS.findall(folded[: match.start() if match else 0])) - _LABELS
    if package and package <= before:
        return 0
    return 2 if before else 1


def _best(ranked: Mapping[int, set[datetime]]) -> datetime | None:
    times = ranked[min(ranked)]
    return min(times) if len({at.date() for at in times}) == 1 else None
