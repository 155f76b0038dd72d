"""Files of JavaScript projects: package.json, package-lock.json, pnpm-lock.yaml, yarn.lock."""

import re
from collections.abc import Iterator
from typing import Any, Final
from urllib.parse import unquote

from package_versions.component import (
    ELSEWHERE,
    LOCAL,
    Component,
    Named,
    exact_version,
    index_of,
    members,
    repository_in,
    unread,
)

KEYS: Final = ("dependencies", "devDependencies", "peerDependencies", "optionalDependencies")
_LOCAL: Final = re.compile(r"(?:file|link|portal|workspace|exec):|[.~]{0,2}/")
_SHORTHAND: Final = re.compile(r"(?:github:)?(?P<repository>[\w.-]+/[\w.-]+)(?:#.*)?", re.ASCII)
_ALIAS: Final = re.compile(r"npm:(?P<name>@?[^@]+(?=@)|@?[A-Za-z_][^@]*)(?:@(?P<wanted>.*))?")
_ADDRESS: Final = re.compile(r"(?!(?:npm|patch|catalog):)[\w+.@-]+:", re.ASCII)
_PNPM_KEY: Final = re.compile(r"  (?:\? )?(?P<key>[^\s:#].*?)(?::(?:\s.*)?)?$")
_PNPM_PACKAGE: Final = re.compile(
    r"(?:(?P<index>[\w.-]+\.[\w-]+)/|/)?(?P<name>(?:@[^/@\s]+/)?[^/@\s:]+)[@/]"
    r"(?P<version>\d[^(_\s:/]*+)(?:[(_].*)?",
    re.ASCII,
)
_PNPM_FIELD: Final = re.compile(r"    (?P<field>name|version): ['\"]?(?P<value>[^'\"\s]+)")
_PNPM_TARBALL: Final = re.compile(r"    resolution: \{.*\btarball: ['\"]?(?P<value>[^'\"\s,}]+)")
_PNPM_LINK: Final = re.compile(r"\s+(?!specifier:)[^\s:]+: ['\"]?(?P<place>link:[^'\"]+)")
_PNPM_WANTED: Final = ("packages", "snapshots", "specifiers", "overrides")
_ODD: Final = "no package that can be read"
_YARN_FIELD: Final = re.compile(
    r"  (?P<field>version|resolved|resolution):? \"?(?P<value>[^\"\s]+)"
)


def read_package_json(document: dict[str, Any]) -> Iterator[Named]:
    """Yield the dependencies of a package.json; a range settles on no version."""
    for key in KEYS:
        for name, wanted in members(document.get(key)).items():
            if isinstance(wanted, str):
                yield _part(name, wanted, wanted, mark=f'"{name}": "{wanted}"')
            else:
                yield unread(name, "not a valid requirement")


def _part(
    name: str,
    place: str,
    version: str,
    *,
    index: str | None = None,
    line: int | None = None,
    mark: str | None = None,
) -> Named:
    """Return a package by where it is from: a range, an alias, an address, or a local path.

    ``index``: the registry, as for components.
    """
    if not name or _LOCAL.match(place):
        return unread(f"{name}@{place}", LOCAL if name else _ODD, line=line, mark=mark)
    if alias := _ALIAS.fullmatch(place):
        name, place = alias["name"], alias["wanted"] or ""
        version = place if version.startswith("npm:") else version
    short = _SHORTHAND.fullmatch(place)
    repository = short["repository"].lower() if short else repository_in(place)
    registry = ELSEWHERE if repository is None and _ADDRESS.match(place) else None
    return Component("npm", name, repository, exact_version(version), registry, index, line, mark)


def read_package_lock(document: dict[str, Any]) -> Iterator[Named]:
    """Yield the packages of a package-lock.json or npm-shrinkwrap.json of version 1 to 3."""
    packages = members(document.get("packages"))
    for path, entry in packages.items():
        mark, fields = f'"{path}": {{', members(entry)
        _, is_installed, name = path.rpartition("node_modules/")
        if fields.get("link") or (path and not is_installed):
            yield unread(str(fields.get("resolved") or path), LOCAL, mark=mark)
        elif path:
            yield _locked(str(fields.get("name") or name), fields, mark)
    waiting = [] if packages else [members(document.get("dependencies"))]
    while waiting:
        for name, entry in waiting.pop().items():
            yield _locked(name, members(entry), f'"{name}": {{')
            waiting.append(members(members(entry).get("dependencies")))


def _locked(name: str, entry: dict[str, Any], mark: str) -> Named:
    version, place = str(entry.get("version") or ""), str(entry.get("resolved") or "")
    index = index_of(place, name) or None
    if exact_version(version) is None:
        place = version  # in version 1
    elif place.startswith("file:"):
        place = place.replace("file", "tarball", 1)  # its version is known
    elif place.startswith("http") and not repository_in(place):
        place = ""
    return _part(name, place, version, index=index, mark=mark)


def read_pnpm_lock(text: str) -> Iterator[Named]:
    """Yield the packages of a pnpm-lock.yaml of version 5 to 9, those of several documents too.

    Its lines are read, not its YAML: pnpm writes each package's name and version as one key, and
    a reader of YAML takes seconds for a large one.
    """
    section, key, begins, fields = "", "", 0, dict[str, str]()
    for number, line in enumerate(f"{text}\nend:".split("\n"), 1):
        found = _PNPM_KEY.match(line) if section == "packages" else None
        is_section = line[:1].strip() not in ("", "#")
        if key and (found or is_section):
            yield _pnpm_part(key, fields, begins)
            key, fields = "", {}
        if is_section:
            section = line.rstrip().rstrip(":")
        elif found:
            key, begins = found["key"].strip("'\""), number
        elif field := _PNPM_FIELD.match(line) if key else None:
            fields[field["field"]] = field["value"]
        elif tarball := _PNPM_TARBALL.match(line) if key else None:
            fields["tarball"] = tarball["value"]
        elif section not in _PNPM_WANTED and (link := _PNPM_LINK.match(line)):
            yield unread(link["place"], LOCAL, line=number)


def _pnpm_part(key: str, fields: dict[str, str], line: int) -> Named:
    if package := _PNPM_PACKAGE.fullmatch(key):
        name = package["name"]
        index = package["index"] or index_of(fields.get("tarball", ""), name)
        return _part(name, "", package["version"], index=index, line=line)
    name, place = _split(key.partition("(")[0])
    return _part(fields.get("name", name), place, fields.get("version", ""), line=line)


def read_yarn_lock(text: str) -> Iterator[Named]:
    """Yield the packages of a yarn.lock, of Yarn 1 or of a later one.

    Yarn 1 does not write YAML; later versions write the same lines with colons.
    """
    wanted, begins, fields = "", 0, dict[str, str]()
    for number, line in enumerate(f"{text}\nend:".split("\n"), 1):
        if line[:1].strip() not in ("", "#", ":"):
            if wanted and wanted != "__metadata":
                yield _yarn_part(wanted, fields, begins)
            wanted = line.removeprefix("? ").rstrip(": ").split(",")[0].strip('" ')
            begins, fields = number, {}
        elif field := _YARN_FIELD.match(line):
            fields[field["field"]] = field["value"]


def _yarn_part(wanted: str, fields: dict[str, str], line: int) -> Named:
    """Return a package by ``name@where``, of later Yarns by what that was resolved to."""
    name, place = _split(fields.get("resolution", wanted))
    resolved = fields.get("resolved", "")
    place = resolved if repository_in(resolved) else place
    archive = unquote(place.partition("::__archiveUrl=")[2])
    is_later, address = "resolution" in fields, archive or resolved
    index = index_of(address, name) or ("" if is_later else None)
    return _part(name, place, fields.get("version", ""), index=index, line=line)


def _split(descriptor: str) -> tuple[str, str]:
    """Return the name and the rest of ``@scope/name@rest``; no name where there is none."""
    at = descriptor.find("@", 1)
    return (descriptor[:at], descriptor[at + 1 :]) if at > 0 else ("", descriptor)
