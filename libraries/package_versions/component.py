"""A package or repository that a file lists, and the errors of files."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any, Final, TypeAlias
from urllib.parse import quote, unquote

from packageurl import PackageURL
from packageurl.contrib.purl2url import get_repo_url

from package_versions.package_urls import PLACED, PLACES, place_of, version_of

LONGEST_NAME: Final = 300  # characters of a package
LONGEST_VERSION: Final = 100  # characters
LONGEST_PURL: Final = 1000  # characters
LONGEST_TEXT: Final = 200  # characters that are quoted of a file
MOST: Final = 20_000
"""Components of a file."""
_GITHUB: Final = re.compile(
    r"(?:^|[/@.:+])github\.com[/:](?P<owner>[\w.-]{1,100})/(?P<name>[\w.-]{1,100})", re.ASCII
)
_EXACT: Final = re.compile(r"[=v]{0,2}(?P<version>\d+\.\d+\.\d+(?:[-+][\w.+-]+)?)", re.ASCII)
_NO_VERSION: Final = re.compile(
    r"(?i:noassertion|none|unknown|sha\d+:.*|[\^~<>!(\[*].*|.*[\s|<>,*].*|.*\.x(?:\..*)?)?"
)
"""What stands where a version is not settled: nothing, a range, or the digest of an image."""
LOCAL: Final = "a local package"
ELSEWHERE: Final = "elsewhere"
"""The registry of what is from git, an address, or a registry of its own: which, stays untold."""
_PAGES: Final = {
    "maven": "https://central.sonatype.com/artifact/{}",
    "docker": "https://hub.docker.com/r/{}",
}
"""Where packages are shown whose registries packageurl does not know."""


class Unreadable(Exception):
    """A file cannot be read. The message is one line that says why."""


class TooManyFiles(Unreadable):
    """A file was not read, because others are being read: this says nothing about it."""


@dataclass(frozen=True, slots=True)
class Component:
    """A package or repository: ``type`` and ``name`` as in a package URL.

    ``repository``: owner/name on GitHub in lower case, where the file says so; ``registry``: the
    host of an image outside of Docker Hub, the address of a chart's repository without https, or
    ELSEWHERE. ``index``: the registry that a lockfile has it from, empty for the usual one.
    ``version`` is None where the file does not settle on one. ``line``: where the file names it;
    ``mark`` is how that line reads, for formats whose readers know no lines.
    """

    type: str
    name: str
    repository: str | None = None
    version: str | None = None
    registry: str | None = None
    index: str | None = field(default=None, repr=False)
    line: int | None = field(default=None, compare=False)
    mark: str | None = field(default=None, compare=False, repr=False)

    @property
    def page(self) -> str | None:
        """The page about it, at which a changelog may be found."""
        if self.repository is not None:
            return f"https://github.com/{self.repository}"
        if self.registry == ELSEWHERE:
            return None
        if self.registry is not None:
            page = self.registry if self.type == "helm" else f"{self.registry}/{self.name}"
            return f"https://{quote(page, safe='/:')}"
        if self.type in _PAGES:
            is_plain = self.type == "docker" and "/" not in self.name
            name = f"_/{self.name}" if is_plain else self.name.replace(":", "/")
            return _PAGES[self.type].format(quote(name, safe="/@"))
        purl = replace(self, version=None).purl
        address = get_repo_url(purl) if purl else None  # type: ignore[no-untyped-call]  # no types
        return quote(address, safe=":/@%") if address else None

    @property
    def purl(self) -> str | None:
        """Its package URL, or None if it is not a package."""
        registry = None if self.registry == ELSEWHERE else self.registry
        return self._purl({"repository_url": registry} if registry else {})

    @property
    def placed_purl(self) -> str | None:
        """Its package URL with the repository that the file says it is from, or ELSEWHERE."""
        if self.registry == ELSEWHERE:
            return self._purl({"repository_url": ELSEWHERE})
        if self.repository is None or self.type in ("github", "golang"):
            return self.purl
        place = {"repository_url": self.registry} if self.registry else {}
        return self._purl({**place, "vcs_url": f"git+https://github.com/{self.repository}"})

    def _purl(self, place: dict[str, str]) -> str | None:
        separator = ":" if self.type == "maven" else "/"
        namespace, _, name = self.name.rpartition(separator)
        try:
            purl = PackageURL(self.type, namespace or None, name, self.version, place).to_string()
        except ValueError:
            return None
        return purl if len(purl) <= LONGEST_PURL else None


@dataclass(frozen=True, slots=True)
class Unread:
    """Something that a file names and that was not read: its text, and the reason.

    ``is_unnamed``: it is read, and says not which package it is. ``line`` and ``mark`` as for
    components.
    """

    text: str
    reason: str
    line: int | None = None
    mark: str | None = field(default=None, compare=False, repr=False)
    is_unnamed: bool = False

    @property
    def sentence(self) -> str:
        """All of it in one line."""
        place = f"Line {self.line}: " if self.line else ""
        return f"{place}{self.text}: {self.reason}."


Named: TypeAlias = Component | Unread
"""What a reader of a format yields."""


@dataclass(frozen=True, slots=True)
class FileParts:
    """The components of a file, and the lines that could not be read or identified."""

    components: list[Component]
    unread: list[Unread] = field(default_factory=list)


def too_many_parts() -> Unreadable:
    """Return the error of a file that names more components than are read."""
    return Unreadable(f"This file names more than {MOST:,} parts; take a smaller one.")


def unread(
    text: str,
    reason: str,
    *,
    line: int | None = None,
    mark: str | None = None,
    is_unnamed: bool = False,
) -> Unread:
    """Return an unread line, shortened and without control characters."""
    return Unread(clean(text).strip()[:LONGEST_TEXT] or "it", reason, line, mark, is_unnamed)


def unnamed(name: str, version: str, *, line: int | None = None, mark: str | None = None) -> Unread:
    """Return a component of a bill of materials that has no package URL."""
    text = " ".join(filter(None, (name, version))) or "a component without a name"
    return unread(text, "it has no package URL", line=line, mark=mark, is_unnamed=True)


def clean(text: str) -> str:
    """Return a text whose unprintable characters are replaced."""
    return "".join(
        character if character.isprintable() else "\N{REPLACEMENT CHARACTER}" for character in text
    )


def repository_in(text: str) -> str | None:
    """Return the repository on GitHub that an address or module path names, in lower case."""
    match = _GITHUB.search(text[:500])
    if match is None:
        return None
    return f"{match['owner']}/{match['name'].removesuffix('.git')}".lower()


def index_of(address: str, name: str) -> str:
    """Return the registry that a package was downloaded from: its address before the name."""
    path = unquote(address[:LONGEST_PURL]).partition("://")[2]
    return path.rpartition(f"/{name}/")[0] or path.partition("/")[0]


def of_purl(
    purl: str, addresses: Iterable[str] = (), *, version: str = "", mark: str | None = None
) -> Component | None:
    """Return the component of a package URL, or None if it is invalid."""
    try:
        parsed = PackageURL.from_string(purl[:LONGEST_PURL])
    except ValueError:
        return None
    joiner = ":" if parsed.type == "maven" else "/"
    name = f"{parsed.namespace}{joiner}{parsed.name}" if parsed.namespace else parsed.name
    if not name.isprintable():
        return None
    settled = short_version(version_of(parsed)) or short_version(version)
    if parsed.type == "github":
        return Component("github", name, name.lower(), version=settled, mark=mark)
    said = parsed.qualifiers.get("vcs_url", "")
    hints = [name if parsed.type == "golang" else "", said, *addresses]
    repository = next(filter(None, map(repository_in, hints)), None)
    if parsed.type in PLACED:
        registry = place_of(parsed.qualifiers.get("repository_url", "")) or None
    else:
        is_placed = repository is None and not PLACES.isdisjoint(parsed.qualifiers)
        registry = ELSEWHERE if is_placed else None
    return Component(parsed.type, name[:LONGEST_NAME], repository, settled, registry, mark=mark)


def short_version(text: object) -> str | None:
    """Return a pinned version, or None if it is not one."""
    version = text.strip().lstrip("= ") if isinstance(text, str) else ""
    if not version.isprintable() or len(version) > LONGEST_VERSION:
        return None
    return None if _NO_VERSION.fullmatch(version) else version


def exact_version(text: object) -> str | None:
    """Return the version that a requirement of npm settles on; None for a range."""
    match = _EXACT.fullmatch(text.strip()) if isinstance(text, str) else None
    return short_version(match["version"]) if match else None


def dicts(value: object) -> list[dict[str, Any]]:
    """Return the objects of an array; none if it is not an array."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def members(value: object) -> dict[str, Any]:
    """Return an object; an empty one if it is not an object."""
    return value if isinstance(value, dict) else {}
