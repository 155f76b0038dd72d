"""Files of JavaScript projects: package.json, package-lock.json, pnpm-lock.yaml, yarn.lock."""

import re
from collections.abc import Iterator
from typing import Any, Final

from package_versions.component import (
    LONGEST_NAME,
    Component,
    exact_version,
    repository_in,
    short_version,
)
from package_versions.trees import members

KEYS: Final = ("dependencies", "devDependencies", "peerDependencies", "optionalDependencies")
_PNPM: Final = re.compile(
    r"  ['\"]?/?(?P<name>(?:@[^/@'\"\s]+/)?[^/@'\"\s:]+)[@/](?P<version>\d[^(_'\":\s]*+)[^\s]*:",
    re.ASCII,
)
_YARN_VERSION: Final = re.compile(r"  version:? \"?(?P<version>[^\"\s]+)\"?$")
_YARN_RESOLVED: Final = re.compile(r"  resol(?:ved|ution):? \"(?P<place>[^\"]+)\"$")


def read_package_json(document: dict[str, Any]) -> Iterator[Component]:
    """Yield the dependencies of a package.json; a range settles on no version."""
    for key in KEYS:
        for name, wanted in members(document.get(key)).items():
            requirement = str(wanted)
            repository = repository_in(requirement.replace("github:", "github.com/"))
            mark = f'"{name}": "{requirement}"'
            if requirement.startswith("npm:"):
                name, _, requirement = requirement.removeprefix("npm:").rpartition("@")
            version = exact_version(requirement)
            if name and not requirement.startswith(("file:", "link:", "workspace:")):
                yield Component("npm", name[:LONGEST_NAME], repository, version=version, mark=mark)


def read_package_lock(document: dict[str, Any]) -> Iterator[Component]:
    """Yield the packages of a package-lock.json or npm-shrinkwrap.json of version 1 to 3."""
    packages = members(document.get("packages"))
    for path, entry in packages.items():
        name = path.rpartition("node_modules/")[2]
        if "node_modules/" in path and isinstance(entry, dict) and not entry.get("link"):
            yield _locked(str(entry.get("name") or name), entry, f'"{path}": {{')
    waiting = [] if packages else [members(document.get("dependencies"))]
    while waiting:
        for name, entry in waiting.pop().items():
            if isinstance(entry, dict):
                yield _locked(name, entry, f'"{name}": {{')
                waiting.append(members(entry.get("dependencies")))


def _locked(name: str, entry: dict[str, Any], mark: str) -> Component:
    version, place = str(entry.get("version") or ""), str(entry.get("resolved") or "")
    if version.startswith("npm:"):
        name, _, version = version.removeprefix("npm:").rpartition("@")
    is_elsewhere = place.startswith("git") or version.startswith("git")
    repository = repository_in(place if place.startswith("git") else version)
    settled = exact_version(version)
    return Component(
        "npm", name[:LONGEST_NAME], repository if is_elsewhere else None, version=settled, mark=mark
    )


def read_pnpm_lock(text: str) -> Iterator[Component]:
    """Yield the packages of a pnpm-lock.yaml of version 5 to 9.

    Its lines are read, not its YAML: pnpm writes each package's name and version as one key, and
    a reader of YAML takes seconds for a large one.
    """
    section = ""
    for number, line in enumerate(text.splitlines(), 1):
        if line and not line[0].isspace():
            section = line.rstrip().rstrip(":")
        elif section == "packages" and (package := _PNPM.match(line)):
            version = short_version(package["version"])
            yield Component("npm", package["name"][:LONGEST_NAME], version=version, line=number)


def read_yarn_lock(text: str) -> Iterator[Component]:
    """Yield the packages of a yarn.lock, of Yarn 1 or of a later one.

    Yarn 1 does not write YAML; later versions write the same lines with colons.
    """
    name, version, begins = "", "", 0
    for number, line in enumerate(f"{text}\nend:".splitlines(), 1):
        if line and not line[0].isspace() and not line.startswith("#"):
            if name and (settled := exact_version(version)):
                yield Component("npm", name[:LONGEST_NAME], version=settled, line=begins)
            name, version, begins = _yarn_name(line.rstrip(":").split(",")[0]), "", number
        elif match := _YARN_VERSION.match(line):
            version = match["version"]
        elif match := _YARN_RESOLVED.match(line):
            name, version = _yarn_place(match["place"], name, version)


def _yarn_name(descriptor: str) -> str:
    """Return the package of ``"@scope/name@^1.2"``, that of ``alias@npm:name@^1.2`` too."""
    text = descriptor.strip().strip('"')
    at = text.find("@", 1)
    name, wanted = (text[:at], text[at + 1 :]) if at > 0 else ("", "")
    alias, _, _ = wanted.removeprefix("npm:").rpartition("@")
    return alias if wanted.startswith("npm:") and alias else name


def _yarn_place(place: str, name: str, version: str) -> tuple[str, str]:
    """Return name and version by where a package comes from; what is local has no version."""
    if place.startswith(("http:", "https:")):
        return name, version
    at = place.find("@", 1)
    return (place[:at], version) if place[at + 1 :].startswith("npm:") else (name, "")
