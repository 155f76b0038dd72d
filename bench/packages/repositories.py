"""Evidence in the manifests of repositories: what they say that they publish.

A folder has one git directory for each repository, ``OWNER+NAME/repo``. What lies below the top
counts if it is called like the repository, or has the version of what is: the same number, that of
a file which both read, or that of the pom.xml at the top.
"""

import json
import re
import subprocess
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple
from xml.etree.ElementTree import Element, ParseError

from defusedxml import DefusedXmlException
from defusedxml.ElementTree import fromstring

from components.trees import child_text, local_name
from packages.evidence import Evidence, evidence

_MANIFEST: Final = re.compile(
    r"(?:(?:packages/|crates/)?(?:core/)?[^/]+/)?(?:package\.json|Cargo\.toml)"
    r"|pyproject\.toml|setup\.cfg|setup\.py|(?:[^/]+/)?[^/]+\.gemspec|(?:.+/)?pom\.xml"
)
_SETUP: Final = re.compile(r"^\s*name\s*=\s*[\"']?([\w.-]+)[\"']?,?\s*$", re.MULTILINE)
_GEM: Final = re.compile(r"\.name\s*=\s*[\"']([\w.-]+)[\"']")
_GEM_VERSION: Final = re.compile(
    r"File\.read\(File\.expand_path\([\"'](?:\.\./)*(\w+)[\"'], *__dir__\)\)"
)
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


def _of_repository(found: list[Published], repository: str) -> Iterator[Published]:
    called_so = [it for it in found if _plain(it.name.rpartition("/")[2]) == _plain(repository)]
    of_all = [*called_so, *(it for it in found if it.path == "pom.xml")]
    versions = {(it.type, it.version) for it in of_all if it.version}
    for each in found:
        if "/" not in each.path or each in called_so or (each.type, each.version) in versions:
            yield each


def _published(home: Path) -> Iterator[Published]:
    paths = git(home, "ls-tree", "-r", "--name-only", "HEAD").splitlines()
    for path in paths:
        if _MANIFEST.fullmatch(path):
            yield from read_manifest(home, path)


def read_manifest(home: Path, path: str) -> Iterator[Published]:
    """Yield what a manifest says is published."""
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
        of_file = _GEM_VERSION.search(text)
        yield Published(path, "gem", found[1], of_file[1] if of_file else None)


def _pom(path: str, text: str) -> Iterator[Published]:
    try:
        root = fromstring(text)
    except (ParseError, DefusedXmlException, ValueError):
        return
    parent: Element | None = next((it for it in root if local_name(it) == "parent"), None)
    group, version = (
        child_text(root, name) or ("" if parent is None else child_text(parent, name))
        for name in ("groupId", "version")
    )
    name = child_text(root, "artifactId")
    if group and name and "$" not in group + name:
        yield Published(path, "maven", f"{group}/{name}", version)


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
    "pom.xml": _pom,
}
