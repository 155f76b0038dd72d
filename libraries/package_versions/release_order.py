"""The order of the releases of a source, whose versions are as vendors write them. Pure."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Final

import semver

from package_versions.general import MAX_VERSION_LENGTH, GeneralVersion
from package_versions.ordering import (
    SEMANTIC,
    Comparable,
    Ecosystem,
    comes_before,
    parse_version,
    sort_key,
)

_DISTRIBUTIONS: Final = frozenset({Ecosystem.DEB, Ecosystem.RPM})
_EPOCH: Final = re.compile(r"\d+:", re.ASCII)
_REPACKED: Final = re.compile(r"[+~.](?:dfsg|ds|repack|git|bpo|deb|ubuntu)[\w.+]*$", re.ASCII)


@dataclass(frozen=True, slots=True)
class ReleaseOrder:
    """The versions that a source names, in order; those that are equal share a rank.

    ``keys`` has what each rank sorts by, ``ranks`` the rank of each text.
    """

    keys: Sequence[Comparable]
    ranks: Mapping[str, int]
    prereleases: Set[str]

    def place(self, version: Comparable | None) -> range | None:
        """Return the ranks that are equal to a version; an empty range where it would be."""
        if version is None:
            return None
        key = sort_key(version)
        return range(bisect_left(self.keys, key), bisect_right(self.keys, key))


def order_of(texts: Iterable[str], ecosystem: Ecosystem) -> ReleaseOrder:
    """Return the order of the versions of a source."""
    versions = {text: parse_release(text, ecosystem) for text in texts}
    keyed = [(sort_key(version), text) for text, version in versions.items() if version is not None]
    keyed.sort(key=lambda it: it[0])
    keys: list[Comparable] = []
    ranks: dict[str, int] = {}
    for key, text in keyed:
        if not keys or keys[-1] < key:
            keys.append(key)
        ranks[text] = len(keys) - 1
    early = {text for text, it in versions.items() if it is not None and comes_before(it, text)}
    return ReleaseOrder(keys, ranks, early)


def parse_release(version: str, ecosystem: Ecosystem) -> Comparable | None:
    """Return the version that a source names, to be compared with others of its ecosystem.

    What vendors call a release is read as its registry would: 1.2 is 1.2.0 where versions have
    three numbers, and what a distribution adds to an upstream version does not count.
    """
    text = version.strip()
    if len(text) > MAX_VERSION_LENGTH or not text.isascii():
        return None
    if ecosystem in _DISTRIBUTIONS:
        return GeneralVersion.parse(upstream_version(text))
    if ecosystem not in SEMANTIC:
        return parse_version(text.removeprefix("v"), ecosystem)
    try:
        return semver.Version.parse(text.removeprefix("v"), optional_minor_and_patch=True)
    except ValueError:
        return None


def upstream_version(version: str) -> str:
    """Return what upstream calls a version of a Debian or RPM package: 1:2.3~rc1-4 is 2.3-rc1."""
    text = _EPOCH.sub("", version, count=1)
    text, _, _ = text.rpartition("-") if "-" in text else (text, "", "")
    text = text.rpartition("+really")[2]
    return _REPACKED.sub("", text).replace("~", "-")


def is_prerelease(version: str, ecosystem: Ecosystem) -> bool:
    """Return whether a source's version comes before the release that it names."""
    parsed = parse_release(version, ecosystem)
    return parsed is not None and comes_before(parsed, version)
