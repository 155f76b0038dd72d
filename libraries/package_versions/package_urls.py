"""Package URLs (https://github.com/package-url/purl-spec): what a part of some software is called.

A package URL without its version and qualifiers names a part. Sources of the catalog are about
parts; what is certain about that is data, except of repositories on GitHub, whose addresses say it.
"""

import re
from dataclasses import dataclass
from typing import Final, Self

from packageurl import PackageURL

from package_versions.ordering import Ecosystem

MAX_PACKAGE_URL_LENGTH: Final = 500
"""Characters of a package URL; longer ones are none."""

_REPOSITORY: Final = re.compile(
    r"https?://(?:www\.)?github\.com/(?P<owner>[A-Za-z0-9][A-Za-z0-9-]{0,38})"
    r"/(?P<name>[A-Za-z0-9._-]{1,100}?)(?:\.git)?"
    r"(?:/(?:(?:releases|tags)(?:[/.].*)?|(?:blob|raw)/[^/]+/[^/]+))?/?(?:[?#].*)?",
    re.ASCII,
)
DOCKER_HUB: Final = frozenset({"", "docker.io", "hub.docker.com", "index.docker.io"})
PLACED: Final = frozenset({"docker", "helm"})
"""Types whose names say something only together with where they are."""
PLACES: Final = frozenset({"repository_url", "vcs_url", "download_url", "file_name"})
"""Qualifiers of what is not the package of this name in its type's usual registry."""
_GIT: Final = re.compile(
    r"(?:git\+)?(?:https?|ssh|git)://(?:[\w.-]+@)?(github\.com/[^/@#?]+/[^/@#?]+)(?:[@#?/].*)?",
    re.ASCII,
)
_SCHEME: Final = re.compile(r"(?:https?|oci)://", re.ASCII | re.IGNORECASE)
_MAJOR: Final = re.compile(r"v[1-9]\d{0,3}", re.ASCII)
_SEPARATORS: Final = re.compile(r"[-_./]+")
_DIGEST: Final = re.compile(r"sha\d+:", re.ASCII)


@dataclass(frozen=True, slots=True)
class PackageUrl:
    """A package URL. ``part`` is the same in one spelling, without version and qualifiers.

    ``said``: the package URL of the repository that its qualifier ``vcs_url`` names.
    ``is_elsewhere``: it is from git, a file or a registry of its own, whatever its name is
    elsewhere. ``spelled``: the path of a Go module as it was written.
    """

    part: str
    type: str
    namespace: str
    name: str
    version: str | None = None
    said: str | None = None
    is_elsewhere: bool = False
    spelled: str = ""

    @classmethod
    def parse(cls, text: str) -> Self | None:
        """Parse a package URL; None if it is invalid."""
        if len(text) > MAX_PACKAGE_URL_LENGTH or not text.isascii():
            return None
        try:
            parsed = PackageURL.from_string(text.strip())
        except ValueError:
            return None
        namespace, name = _named(parsed)
        version = version_of(parsed)
        if not f"{namespace}{name}{version or ''}".isprintable():
            return None
        part = PackageURL(parsed.type, namespace or None, name, None, _place(parsed)).to_string()
        places = parsed.qualifiers if isinstance(parsed.qualifiers, dict) else {}
        spelled = f"{parsed.namespace or ''}/{parsed.name}".lstrip("/")
        return cls(
            part,
            parsed.type,
            namespace,
            name,
            version,
            package_url_of_git(places.get("vcs_url", "")),
            not PLACES.isdisjoint(places),
            spelled if parsed.type == "golang" else "",
        )

    @property
    def repository(self) -> str | None:
        """The package URL of the repository that it is in by definition, or None.

        So do Go and Swift find modules on GitHub, and GitHub its actions; others may say it.
        """
        if self.said is not None:
            return self.said
        steps = [*filter(None, self.namespace.split("/")), self.name]
        if self.type in ("golang", "swift") and steps[0] == "github.com":
            steps = steps[1:]
        elif self.type not in ("github", "githubactions"):
            return None
        return PackageURL("github", steps[0], steps[1]).to_string() if len(steps) > 1 else None

    @property
    def ecosystem(self) -> Ecosystem:
        """Whose order its versions have; the general one where the type has none of its own."""
        known = Ecosystem.__members__.values()
        return Ecosystem(self.type) if self.type in known else Ecosystem.GENERIC

    def is_named(self, package: str) -> bool:
        """Return whether the package that a tag names is this part: all of its name, or its end."""
        steps = [*filter(None, self.namespace.removeprefix("@").split("/")), self.name]
        names = {_plain("/".join(steps[place:])) for place in range(len(steps))}
        return _plain(package.removeprefix("@")) in names


def without_version(text: str) -> str:
    """Return a package URL without its version, with the qualifiers that say where it is from."""
    parsed = PackageURL.from_string(text.strip())
    places = parsed.qualifiers if isinstance(parsed.qualifiers, dict) else {}
    kept = {name: place for name, place in places.items() if name in PLACES}
    return PackageURL(parsed.type, parsed.namespace, parsed.name, None, kept).to_string()


def package_url_of_repository(address: str) -> str | None:
    """Return the package URL of a repository on GitHub from its address.

    So are the addresses of its releases, of its tags, and of a file at its top. Those of anything
    below may be about one of several packages.
    """
    match = _REPOSITORY.fullmatch(address)
    if match is None:
        return None
    return PackageURL("github", match["owner"], match["name"]).to_string()


def package_url_of_git(address: str) -> str | None:
    """Return the package URL of a repository on GitHub from an address that git clones from."""
    match = _GIT.fullmatch(address)
    return package_url_of_repository(f"https://{match[1]}") if match else None


def _named(url: PackageURL) -> tuple[str, str]:
    """Return the namespace and the name of a package URL in one of their spellings."""
    namespace, name = url.namespace or "", url.name
    if url.type == "docker" and namespace == "library":
        return "", name  # the official images
    if url.type != "golang":
        return namespace, name
    steps = [*filter(None, namespace.split("/")), name]
    if len(steps) > 1 and _MAJOR.fullmatch(steps[-1]):
        steps.pop()  # the major version of a module is at its end
    return "/".join(steps[:-1]).lower(), steps[-1].lower()


def _place(url: PackageURL) -> dict[str, str] | None:
    """Return where an image or chart is: elsewhere, its name is another's.

    Of an image that is its registry, if not Docker's; of a chart the address of its repository.
    """
    if url.type not in PLACED or not isinstance(url.qualifiers, dict):
        return None
    host, slash, path = place_of(url.qualifiers.get("repository_url", "")).partition("/")
    if url.type == "helm":
        return {"repository_url": f"{host}{slash}{path}"} if host else None
    return None if host in DOCKER_HUB else {"repository_url": host}


def version_of(url: PackageURL) -> str | None:
    """Return the version of a package URL: of an image its tag, for a digest is none."""
    if not url.version or not _DIGEST.match(url.version):
        return url.version
    return url.qualifiers.get("tag") if isinstance(url.qualifiers, dict) else None


def place_of(address: str) -> str:
    """Return the address of a registry or a repository of charts as a package URL names it."""
    host, slash, path = _SCHEME.sub("", address.strip()).rstrip("/").partition("/")
    return f"{host.lower()}{slash}{path}"


def _plain(name: str) -> str:
    return _SEPARATORS.sub("-", name.casefold()).strip("-")
