"""Lockfiles in TOML: poetry.lock, uv.lock, pdm.lock, Cargo.lock."""

import re
import tomllib
from collections.abc import Iterator
from typing import Any, Final

from packaging.utils import canonicalize_name

from package_versions.component import (
    ELSEWHERE,
    LOCAL,
    MOST,
    Component,
    Named,
    Unreadable,
    dicts,
    members,
    repository_in,
    short_version,
    too_many_parts,
    unread,
)

_TABLE: Final = re.compile(r"\[\[?(?P<name>[^\[\]{}'\s,]+)\]")
_TABLES: Final = ("", "package", "package.source", "metadata")
_FIELD: Final = re.compile(
    r"(?:name|version|source|type|url|git|path|requires-python|lock[-_]version)\s*="
)
_LOCAL: Final = ("editable", "virtual", "directory", "path", "workspace")


def read_toml_lock(text: str) -> Iterator[Named]:
    """Yield the packages of a lockfile in TOML. Raises Unreadable.

    Only lines that are needed are parsed: most of a file is hashes and dependencies.
    """
    if text.count("[[package]]") > MOST:
        raise too_many_parts()
    try:
        document = tomllib.loads("\n".join(_needed(text)))
    except (tomllib.TOMLDecodeError, ValueError):
        raise Unreadable("This lockfile is not valid TOML.") from None
    packages = dicts(document.get("package"))
    is_python = _is_python(document, packages)
    for package in packages:
        name, source = str(package.get("name") or ""), package.get("source")
        if _is_local(package, source, is_python=is_python):
            yield unread(name, LOCAL, mark=f'name = "{name}"')
        else:
            yield _package(name, package, source, is_python=is_python)


def _needed(text: str) -> Iterator[str]:
    """Yield the lines that say what packages are called and where they are from."""
    table = ""
    for line in text.split("\n"):
        if header := _TABLE.match(line):
            table = header["name"]
        if table in _TABLES and (header or _FIELD.match(line)):
            yield line


def _is_python(document: dict[str, Any], packages: list[dict[str, Any]]) -> bool:
    """Return whether it is a lockfile of Python, in which a source is a table, not of Cargo."""
    metadata = members(document.get("metadata"))
    named = "lock-version" in metadata or "lock_version" in metadata
    in_tables = any(isinstance(package.get("source"), dict) for package in packages)
    return named or "requires-python" in document or in_tables


def _is_local(package: dict[str, Any], source: object, *, is_python: bool) -> bool:
    """Return whether it is the project's own: Cargo gives it no source, uv and Poetry say so."""
    table = members(source)
    is_own = table.get("type") in ("directory", "file") or any(name in table for name in _LOCAL)
    return is_own or "path" in package or (not is_python and "source" not in package)


def _package(name: str, package: dict[str, Any], source: object, *, is_python: bool) -> Component:
    table = members(source)
    place = str(table.get("git") or table.get("url") or source or package.get("git") or "")
    is_git = "git" in table or "git" in (table.get("type"), *package) or place.startswith("git+")
    is_file = "url" in package or ("url" in table and table.get("type") in (None, "url"))
    repository = repository_in(place) if is_git else None
    is_placed = is_git or is_file
    return Component(
        "pypi" if is_python else "cargo",
        (canonicalize_name(name) if is_python else name),
        repository,
        short_version(package.get("version")),
        ELSEWHERE if is_placed and repository is None else None,
        None if is_placed else str(table.get("registry") or place).rstrip("/"),
        mark=f'name = "{name}"',
    )
