"""Detection of a file's format, and its components (docs/decisions/0141)."""

import codecs
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any, Final

import orjson

from package_versions.bills import read_cyclonedx, read_spdx, read_spdx_graph
from package_versions.component import (
    ELSEWHERE,
    LONGEST_NAME,
    MOST,
    Component,
    FileParts,
    Named,
    Unread,
    Unreadable,
    members,
    too_many_parts,
    unread,
)
from package_versions.gemfile_lock import read_gemfile_lock
from package_versions.go_modules import read_go_mod
from package_versions.javascript import (
    KEYS,
    read_package_json,
    read_package_lock,
    read_pnpm_lock,
    read_yarn_lock,
)
from package_versions.refused import refusal_of
from package_versions.requirements import read_requirements
from package_versions.toml_locks import read_toml_lock

MOST_UNREAD: Final = 1_000  # remarks on one file
LARGEST_BYTES: Final = 64 * 1024 * 1024  # of a file
MOST_LINES: Final = 1_000_000
"""Lines of a file that is read line by line."""
FORMATS: Final = (
    "CycloneDX and SPDX in JSON, requirements.txt, poetry.lock, pdm.lock, uv.lock, package.json, "
    "package-lock.json, pnpm-lock.yaml, yarn.lock, go.mod, Cargo.lock, Gemfile.lock"
)
Reader = Callable[[str], Iterator[Named]]
_TABLE: Final = re.compile(r"\[\[?[A-Za-z]")


_TEXTS: Final[tuple[tuple[str, Reader], ...]] = (
    (r"^lockfileVersion:", read_pnpm_lock),
    (r"^(?:# yarn lockfile v\d|__metadata:\s*$)", read_yarn_lock),
    (r"^\[\[package\]\]\s*$", read_toml_lock),
    (r"^module\s+\S+\s*(?://.*)?$", read_go_mod),
    (r"^(?:GEM|GIT|PATH)$", read_gemfile_lock),
)


def read_components(document: bytes) -> FileParts:
    """Return what a file names: each component once and sorted, and what was not read.

    The format is detected from the content, because a pasted text has no file name. Raises
    Unreadable.
    """
    text = _text(document)
    try:
        named_once = _settled(_distinct(map(_printable, _components(text))))
    except RecursionError:
        raise Unreadable("This file is nested too deeply.") from None
    named = list(_with_lines(named_once, text))
    components = [part for part in named if isinstance(part, Component)]
    others = [part for part in named if isinstance(part, Unread)]
    if not components:
        why = f" {others[0].sentence}" if others else ""
        raise Unreadable(f"This file names nothing that could be followed.{why}")
    components.sort(key=lambda it: (it.name.lower(), it.type, it.version or ""))
    return FileParts(components, _listed(others))


def _listed(others: list[Unread]) -> list[Unread]:
    """Return what was not read, in the order of the file; beyond a bound only its number."""
    ordered = sorted(others, key=lambda entry: entry.line or 0)
    if len(ordered) <= MOST_UNREAD:
        return ordered
    left = len(ordered) - MOST_UNREAD
    return [*ordered[:MOST_UNREAD], unread(f"{left:,} more", "not listed one by one")]


def _printable(named: Named) -> Named:
    """Return a component as it is, or as unread if its name is none that a package has."""
    if isinstance(named, Unread):
        return named
    if named.name and named.name.isprintable() and (named.registry or "").isprintable():
        return replace(named, name=named.name[:LONGEST_NAME])
    reason = "a name that no package has"
    return unread(named.name, reason, line=named.line, mark=named.mark, is_unnamed=True)


def _text(document: bytes) -> str:
    if len(document) > LARGEST_BYTES:
        raise Unreadable(f"This file is larger than {LARGEST_BYTES // 1024 // 1024} MB.")
    is_utf_16 = document.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    try:
        text = document.decode("utf-16" if is_utf_16 else "utf-8-sig")
    except UnicodeDecodeError:
        raise Unreadable("This is not UTF-8 text or marked UTF-16.") from None
    if "\x00" in text:
        raise Unreadable("This is not text: it has NUL characters.")
    if not text.strip():
        raise Unreadable("This file is empty.")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _components(text: str) -> Iterable[Named]:
    stripped = text.lstrip()
    if stripped[0] == "{" or (stripped[0] == "[" and not _TABLE.match(stripped)):
        return _read_json(stripped)
    refusal = refusal_of(stripped)
    if refusal is not None:
        raise Unreadable(refusal)
    if text.count("\n") > MOST_LINES:
        raise Unreadable(f"This file has more than {MOST_LINES:,} lines.")
    readers = (read for line, read in _TEXTS if re.search(line, text, re.MULTILINE))
    return next(readers, read_requirements)(text)


def _distinct(components: Iterable[Named]) -> list[Named]:
    """Return each component once, the first of equal ones, up to the bound."""
    distinct: dict[Named, None] = {}
    count = 0
    for component in components:
        count += isinstance(component, Component) and component not in distinct
        distinct.setdefault(component)
        if count > MOST:
            raise too_many_parts()
    return list(distinct)


def _settled(named: list[Named]) -> list[Named]:
    """Return components, those of another registry than the file's usual one marked as such.

    The usual one is that which the file leaves out, else that of most packages, of which a scope
    counts as one. A file that names one registry alone says that this is, or mirrors, the usual.
    """
    indexes = {part.index for part in named if isinstance(part, Component)} - {None}
    usual = "" if "" in indexes else _of_most(named)
    return list(
        dict.fromkeys(
            replace(part, index=None, registry=part.registry or _registry(part.index, usual))
            if isinstance(part, Component)
            else part
            for part in named
        )
    )


def _registry(index: str | None, usual: str | None) -> str | None:
    return None if index in (None, usual) else ELSEWHERE


def _of_most(named: Iterable[Named]) -> str | None:
    """Return the registry of more than half of the packages of a file; None without one."""
    owners = {
        (part.index, part.name.partition("/")[0])
        for part in named
        if isinstance(part, Component) and part.index is not None
        if part.registry is None and part.repository is None
    }
    counts = Counter[str]()
    for index, owner in owners:
        counts[index] += 1 if owner.startswith("@") else 2
    return next((index for index, n in counts.items() if n * 2 > counts.total()), None)


def _read_json(text: str) -> Iterator[Named]:
    try:
        document: Any = orjson.loads(text)
    except orjson.JSONDecodeError as error:
        if error.msg.startswith("depth limit"):
            raise Unreadable("This file is nested too deeply.") from None
        raise Unreadable(f"This is not valid JSON (line {error.lineno}).") from None
    if not isinstance(document, dict):
        raise Unreadable("This JSON is neither a package.json nor an SBOM.")
    document = members(document.get("sbom")) or document  # as GitHub's API wraps one
    if document.get("bomFormat") == "CycloneDX":
        return read_cyclonedx(document)
    if "spdxVersion" in document:
        return read_spdx(document)
    if "@graph" in document and "spdx" in str(document.get("@context")):
        return read_spdx_graph(document)
    if "lockfileVersion" in document:
        return read_package_lock(document)
    if any(isinstance(document.get(key), dict) for key in KEYS):
        return read_package_json(document)
    raise Unreadable("This JSON is neither a package.json with dependencies nor an SBOM.")


def _with_lines(components: list[Named], text: str) -> Iterator[Named]:
    """Yield components with the lines at which their marks stand, equal marks one after another."""
    places: dict[str, list[int]] = defaultdict(list)
    marks = {component.mark for component in components if component.mark is not None}
    for number, line in enumerate(text.split("\n") if marks else (), 1):
        stripped = line.strip().rstrip(",")
        if stripped in marks:
            places[stripped].append(number)
    for component in components:
        if component.mark is None:
            yield component
            continue
        lines = places.get(component.mark, [])
        place = lines.pop(0) if len(lines) > 1 else next(iter(lines), None)
        yield replace(component, line=place, mark=None)
