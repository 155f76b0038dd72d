"""The order of versions by the rules of their ecosystem.

Ecosystems are named by the types of package URLs (https://github.com/package-url/purl-spec).
"""

import re
from collections.abc import Callable, Iterable
from enum import StrEnum
from typing import Any, Final, Protocol

import semver
from packaging.version import Version as PythonVersion
from univers.nuget import InvalidNuGetVersion
from univers.versions import DebianVersion, NugetVersion, RpmVersion, RubygemsVersion

from package_versions.general import MAX_VERSION_LENGTH, GeneralVersion
from package_versions.maven import MavenVersion


class Ecosystem(StrEnum):
    """The package ecosystems whose versions can be ordered."""

    CARGO = "cargo"
    COMPOSER = "composer"
    DEB = "deb"
    DOCKER = "docker"
    GEM = "gem"
    GENERIC = "generic"
    GITHUB = "github"
    GOLANG = "golang"
    HELM = "helm"
    MAVEN = "maven"
    NPM = "npm"
    NUGET = "nuget"
    PYPI = "pypi"
    RPM = "rpm"


SEMANTIC: Final = frozenset({Ecosystem.CARGO, Ecosystem.GOLANG, Ecosystem.HELM, Ecosystem.NPM})
_STAGE_LETTER: Final = re.compile(r"(?<=\d)([ab])(?![a-z])", re.ASCII | re.IGNORECASE)


class Comparable(Protocol):
    """A version that can be ordered among those of its ecosystem."""

    def __lt__(self, other: Any, /) -> bool: ...


def parse_version(version: str, ecosystem: Ecosystem) -> Comparable | None:
    """Return a version that can be compared with others of its ecosystem.

    None if it is not a version of this ecosystem.
    """
    text = version.strip()
    if not text or len(text) > MAX_VERSION_LENGTH or not text.isascii():
        return None
    return _PARSERS.get(ecosystem, GeneralVersion.parse)(text)


def sort_key(version: Comparable) -> Comparable:
    """Return what sorts as a version does and is cheaper to compare, where that can be made."""
    match version:
        case semver.Version():
            before = [
                (not it.isdigit(), int(it) if it.isdigit() else it)
                for it in (version.prerelease or "").split(".")
                if it
            ]
            return version.major, version.minor, version.patch, not before, before
        case RubygemsVersion():
            return _gem_key(version.value.canonical_segments)
        case _:
            return version


def _gem_key(segments: Iterable[int | str]) -> Comparable:
    """Return the key of a gem's version, which zeros without end follow.

    A word comes before 0, which comes before other numbers; so of two words the one after fewer
    zeros comes first, and of two numbers the last.
    """
    key: list[tuple[int, int, int | str]] = []
    zeros = 0
    for segment in segments:
        if segment == 0:
            zeros += 1
        else:
            is_word = isinstance(segment, str)
            key.append((-1, zeros, segment) if is_word else (1, -zeros, segment))
            zeros = 0
    return [*key, (0, 0, 0)]


def comes_before(parsed: Comparable, version: str) -> bool:
    """Return whether a version, as it was parsed, comes before the release that it names."""
    match parsed:
        case PythonVersion() | GeneralVersion() | MavenVersion():
            return parsed.is_prerelease
        case semver.Version():
            return parsed.prerelease is not None
        case RubygemsVersion():
            return any(map(str.isalpha, version.strip().removeprefix("v")))
        case _:  # NuGet; what a distribution packs is read as upstream's version
            return "-" in version.partition("+")[0]


def _semantic(text: str) -> Comparable:
    """Semantic Versioning 2.0.0; Go writes a v before it."""
    return semver.Version.parse(text.removeprefix("v"))


def _composer(text: str) -> Comparable | None:
    """Composer's, in which a letter behind the numbers is a stage, not a patch."""
    return GeneralVersion.parse(_STAGE_LETTER.sub(r"-\1", text))


def _by(read: Callable[[str], Comparable]) -> Callable[[str], Comparable | None]:
    """Return a parser that gives None for what a library refuses."""

    def parse(text: str) -> Comparable | None:
        if not text.lstrip("v")[:1].isalnum():
            return None
        try:
            return read(text)
        except (ValueError, TypeError, InvalidNuGetVersion):
            return None

    return parse


_PARSERS: Final[dict[Ecosystem, Callable[[str], Comparable | None]]] = {
    **dict.fromkeys(SEMANTIC, _by(_semantic)),
    Ecosystem.COMPOSER: _composer,
    Ecosystem.DEB: _by(DebianVersion),
    Ecosystem.GEM: _by(RubygemsVersion),
    Ecosystem.MAVEN: MavenVersion.parse,
    Ecosystem.NUGET: _by(NugetVersion),
    Ecosystem.PYPI: _by(PythonVersion),
    Ecosystem.RPM: _by(RpmVersion),
}
