"""Answers of a package index in the shape of deps.dev v3: which repository a package is from.

Pure: it says what to ask for, and what an answer means. A repository is taken where the index calls
it the source of the package's default version. Nothing is guessed: two repositories are none.
"""

import re
from collections.abc import Mapping
from typing import Any, Final, NamedTuple
from urllib.parse import quote

import orjson

from package_versions.component import clean, dicts
from package_versions.package_urls import PackageUrl, package_url_of_repository

SYSTEMS: Final[Mapping[str, str]] = {
    "cargo": "cargo",
    "gem": "rubygems",
    "golang": "go",
    "maven": "maven",
    "npm": "npm",
    "nuget": "nuget",
    "pypi": "pypi",
}
"""The index's systems by types of package URLs."""
LONGEST_TEXT: Final = 200  # characters that are kept of an answer
_ATTESTED: Final = re.compile(r"(?:\w+_ATTESTATION|GO_ORIGIN)", re.ASCII)
_FOLDED: Final = frozenset({"nuget", "pypi"})  # names that are equal in another spelling
_SEPARATORS: Final = re.compile(r"[-_.]+")


class WrongAnswer(Exception):
    """The response does not match the request. The message says why."""


class IndexName(NamedTuple):
    """A package as the index names it. Its version is never part of what is asked."""

    system: str
    name: str

    @property
    def path(self) -> str:
        """The path of the package."""
        return f"/v3/systems/{self.system}/packages/{quote(self.name, safe='')}"

    def version_path(self, version: str) -> str:
        """Return the path of a version that the index itself named."""
        return f"{self.path}/versions/{quote(version, safe='')}"


class SeenRepository(NamedTuple):
    """A repository by its package URL or, not on GitHub, None; ``seen_in`` says where it is named.

    ``is_certain``: the index has verified it; else the package's own metadata merely say so.
    """

    purl: str | None
    is_certain: bool
    seen_in: str


def index_name_of(part: PackageUrl) -> IndexName | None:
    """Return what to ask the index for; None where it must not be asked or does not know the type.

    What is in a repository by its name, from git, or from a registry of its own is never asked for.
    """
    system = SYSTEMS.get(part.type)
    if system is None or part.is_elsewhere or part.repository is not None:
        return None
    joiner = ":" if part.type == "maven" else "/"
    return IndexName(system, part.spelled or joiner.join(filter(None, (part.namespace, part.name))))


def default_version(body: bytes, asked: IndexName) -> str | None:
    """Return the version that the index calls the default of a package. Raises WrongAnswer."""
    answer = _object(body)
    _check_key(answer.get("packageKey"), asked)
    for version in dicts(answer.get("versions")):
        key = version.get("versionKey")
        if version.get("isDefault") is True and isinstance(key, dict):
            _check_key(key, asked)
            name = key.get("version")
            return name if isinstance(name, str) and 0 < len(name) <= LONGEST_TEXT else None
    return None


def source_repository(body: bytes, asked: IndexName, version: str) -> SeenRepository | None:
    """Return the one repository that a version is from. Raises WrongAnswer.

    Those that the index has verified count before those that a package claims.
    """
    answer = _object(body)
    _check_key(answer.get("versionKey"), asked, version)
    seen: dict[bool, dict[str, str]] = {True: {}, False: {}}
    for project in dicts(answer.get("relatedProjects")):
        key, provenance = project.get("projectKey"), str(project.get("relationProvenance"))
        name = key.get("id") if isinstance(key, dict) else None
        if project.get("relationType") == "SOURCE_REPO" and isinstance(name, str):
            is_certain = _ATTESTED.fullmatch(provenance) is not None
            seen[is_certain].setdefault(name.lower(), provenance)
    is_certain = bool(seen[True])
    if len(seen[is_certain]) != 1:
        return None
    ((name, provenance),) = seen[is_certain].items()
    place = f"{asked.system} {asked.name} {version}: {name}, {provenance}"
    purl = package_url_of_repository(f"https://{name}")
    return SeenRepository(purl, is_certain, clean(place)[:LONGEST_TEXT])


def _object(body: bytes) -> dict[str, Any]:
    try:
        answer = orjson.loads(body)
    except orjson.JSONDecodeError as error:
        raise WrongAnswer("The package index did not answer with JSON.") from error
    if not isinstance(answer, dict):
        raise WrongAnswer("The package index did not answer with an object.")
    return answer


def _check_key(key: object, asked: IndexName, version: str | None = None) -> None:
    """Refuse an answer about something else; an index may leave the key out."""
    if not isinstance(key, dict):
        return
    said = (key.get("system", asked.system), key.get("name", asked.name))
    is_other = version is not None and key.get("version", version) != version
    if is_other or _plain(*map(str, said)) != _plain(*asked):
        raise WrongAnswer("The package index answered about another package.")


def _plain(system: str, name: str) -> tuple[str, str]:
    system = system.lower()
    return system, _SEPARATORS.sub("-", name.lower()) if system in _FOLDED else name
