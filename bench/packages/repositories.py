"""Evidence in the manifests of repositories: what they say that they publish.

A folder has one git directory for each repository, ``OWNER+NAME/repo``. What lies below the top
counts if it is called like the repository, or has the version of what is.
"""

import json
import re
import subprocess
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

from packages.evidence import Evidence, evidence
from versions.package_urls import PackageUrl

_MANIFEST: Final = re.compile(
    r"(?:(?:packages/|crates/)?(?:core/)?[^/]+/)?(?:package\.json|Cargo\.toml)"
    r"|pyproject\.toml|setup\.cfg|setup\.py|[^/]+\.gemspec"
)
_ANYWHERE: Final = re.compile(
    r"(?:.*/)?(?:package\.json|Cargo\.toml|pyproject\.toml|setup\.cfg|setup\.py|[^/]+\.gemspec)"
)
_ASIDE: Final = re.compile(
    r"(?:^|/)(?:tests?|specs?|testdata|fixtures?|examples?|samples?|demos?|docs?|website|site|e2e"
    r"|bench\w*|playground|templates?|vendor|node_modules|third_party)(?:/|-|_)",
    re.IGNORECASE,
)
_SETUP: Final = re.compile(r"^\s*name\s*=\s*[\"']?([\w.-]+)[\"']?,?\s*$", re.MULTILINE)
_GEM: Final = re.compile(r"\.name\s*=\s*[\"']([\w.-]+)[\"']")
_SEPARATORS: Final = re.compile(r"[-_.]+")


class Published(NamedTuple):
    """A package that a manifest says is published, and its version where that is written there."""

    path: str
    type: str
    name: str
    version: str | None


def from_repositories(folder: Path) -> Iterator[Evidence]:
    """Yield the evidence of the repositories in a folder."""
    for home in sorted(folder.glob("*+*/repo")):
        owner, _, name = home.parent.name.partition("+")
        address = f"https://github.com/{owner}/{name}"
        found = list(_published(home))
        for each in _of_repository(found, name):
            seen_in = f"{owner}/{name}: {each.path}"
            yield from evidence(each.type, each.name, address, seen_in, must_resemble=False)


def published_packages(home: Path) -> set[str]:
    """Return all that the manifests of a repository say is published, as package URLs.

    Those of examples, tests and websites are left out; whether they really are, nobody says.
    """
    found = set()
    for path in git(home, "ls-tree", "-r", "--name-only", "HEAD").splitlines():
        if _ANYWHERE.fullmatch(path) and not _ASIDE.search(path):
            found |= {(it.type, it.name) for it in _read(home, path)}
    purls = (PackageUrl.parse(f"pkg:{type_}/{name}") for type_, name in found)
    return {purl.part for purl in purls if purl is not None}


def _of_repository(found: list[Published], repository: str) -> Iterator[Published]:
    called_so = [it for it in found if _plain(it.name.rpartition("/")[2]) == _plain(repository)]
    versions = {(it.type, it.version) for it in called_so if it.version}
    for each in found:
        if "/" not in each.path or each in called_so or (each.type, each.version) in versions:
            yield each


def _published(home: Path) -> Iterator[Published]:
    paths = git(home, "ls-tree", "-r", "--name-only", "HEAD").splitlines()
    for path in paths:
        if _MANIFEST.fullmatch(path):
            yield from _read(home, path)


def _read(home: Path, path: str) -> Iterator[Published]:
    reader = _READERS[path.rpartition("/")[2] if path[-4:] != "spec" else "gemspec"]
    yield from reader(path, git(home, "show", f"HEAD:{path}"))


def git(home: Path, *arguments: str) -> str:
    """Return what git prints about a repository."""
    ran = subprocess.run(
        ["git", "--git-dir", str(home), *arguments], capture_output=True, check=False
    )
    return ran.stdout.decode("utf-8", "replace")


def _npm(path: str, text: str) -> Iterator[Published]:
    try:
        package: Any = json.loads(text)
    except ValueError:
        return
    if isinstance(package, dict) and package.get("name") and not package.get("private"):
        yield Published(path, "npm", package["name"], package.get("version"))


def _cargo(path: str, text: str) -> Iterator[Published]:
    package = _toml(text).get("package", {})
    if package.get("name") and package.get("publish") is not False:
        version = package.get("version")
        yield Published(path, "cargo", package["name"], str(version) if version else None)


def _pyproject(path: str, text: str) -> Iterator[Published]:
    document = _toml(text)
    poetry = document.get("tool", {}).get("poetry", {})
    name = document.get("project", {}).get("name") or poetry.get("name")
    if name:
        yield Published(path, "pypi", name, None)


def _setup(path: str, text: str) -> Iterator[Published]:
    names = set(_SETUP.findall(text))
    if len(names) == 1 and names != {"NAME"}:  # a variable
        yield Published(path, "pypi", names.pop(), None)


def _gemspec(path: str, text: str) -> Iterator[Published]:
    if found := _GEM.search(text):
        yield Published(path, "gem", found[1], None)


def _toml(text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return {}


def _plain(name: str) -> str:
    return _SEPARATORS.sub("-", name.lower())


_READERS: Final = {
    "package.json": _npm,
    "Cargo.toml": _cargo,
    "pyproject.toml": _pyproject,
    "setup.cfg": _setup,
    "setup.py": _setup,
    "gemspec": _gemspec,
}
