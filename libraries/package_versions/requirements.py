"""requirements.txt: the projects that its lines name."""

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from typing import Final

from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import (
    InvalidSdistFilename,
    InvalidWheelFilename,
    canonicalize_name,
    parse_sdist_filename,
    parse_wheel_filename,
)

from package_versions.component import (
    ELSEWHERE,
    MOST,
    Component,
    Named,
    Unread,
    Unreadable,
    repository_in,
    short_version,
    too_many_parts,
    unread,
)

_COMMENT: Final = re.compile(r"(?:^|\s)#.*$")
_PER_LINE: Final = re.compile(r"\s--\S")
_LONGEST: Final = 2_000
"""Characters of a requirement, without its marker and hashes; a longer line is none."""
_OPTION: Final = re.compile(r"(?P<name>-[a-zA-Z]|--[\w-]+)[\s=]*(?P<value>.*)")
_FILES: Final = frozenset({"-r", "--requirement", "-c", "--constraint"})
_EDITABLE: Final = frozenset({"-e", "--editable"})
_OTHERS: Final = re.compile(r"(?:^|\s)(?:-f|--find-links\b|--extra-index-url\b)")
"""Options that name further places of packages, and not which packages are from there."""
_EGG: Final = re.compile(r"[#&]egg=(?P<name>[\w.-]+)", re.ASCII)
_REVISION: Final = re.compile(r"@(?P<version>v?\d[\w.+-]*)(?:#|$)", re.ASCII)
_PATH: Final = re.compile(r"[./~\\]|[a-zA-Z]:\\|.*\.(?:whl|zip|tar\.\w+|tgz)(?:\[|$)|[\w.-]+/")
_WITH_VERSION: Final = re.compile(r"(?:^|[-_])v?\d+\.\d", re.ASCII)  # python-3.12.1
_ANOTHER_FILE: Final = "includes another file; upload it separately"
_ODD: Final = "not a valid requirement"
_UNKNOWN: Final = "Unsupported file format."


def read_requirements(text: str) -> Iterator[Named]:
    """Yield the projects of a requirements.txt by their normalized names, and what was not read.

    If it names further registries, each may be from one of them. Raises Unreadable for another
    file: most of its lines are no requirements, or some are none and the others only words.
    """
    lines = [*_joined_lines(text)]
    named = (_of_line(line, number) for number, line in lines)
    projects = list(islice((project for project in named if project is not None), MOST + 1))
    odd = [
        project for project in projects if isinstance(project, Unread) and project.reason == _ODD
    ]
    is_certain = any(isinstance(it, Component) and it.version for it in projects)
    if len(odd) * 2 > len(projects) or (odd and not is_certain):
        raise Unreadable(f"{_UNKNOWN} Line {odd[0].line} is {_ODD}.")
    if len(projects) > MOST:
        raise too_many_parts()
    others = any(line.startswith("-") and _OTHERS.search(line) for _, line in lines)
    for it in projects:
        if others and isinstance(it, Component) and it.repository is None:
            yield replace(it, registry=ELSEWHERE)
        else:
            yield it


def _joined_lines(text: str) -> Iterator[tuple[int, str]]:
    """Yield lines with their numbers; a line that ends with a backslash is joined with the next.

    As in pip, a line that is a comment ends what it is joined to.
    """
    parts: list[str] = []
    begins = 0
    for number, raw in enumerate(f"{text}\n".split("\n"), 1):
        begins = begins if parts else number
        is_comment = raw.lstrip().startswith("#")
        parts.append("" if is_comment else raw.rstrip().removesuffix("\\").strip())
        if is_comment or not raw.rstrip().endswith("\\"):
            yield begins, " ".join(parts)
            parts = []


def _of_line(raw: str, number: int) -> Named | None:
    """Return what a line names; None for an option and for nothing."""
    line = _COMMENT.sub("", raw).strip()
    if line.startswith("-"):
        return _of_option(line, number)
    line = _PER_LINE.split(line, maxsplit=1)[0]
    line = re.split(r"\s;" if "://" in line else ";", line, maxsplit=1)[0].strip()
    if not line:
        return None
    if len(line) > _LONGEST:
        return unread(line, _ODD, line=number)
    try:
        needed = Requirement(line)
        is_name = needed.url or needed.specifier or not _WITH_VERSION.search(needed.name)
    except InvalidRequirement:
        is_elsewhere = " " not in line and ("://" in line or _PATH.match(line))
        return _at(line, line, number) if is_elsewhere else unread(line, _ODD, line=number)
    if not is_name:
        return unread(line, _ODD, line=number)
    repository = repository_in(needed.url) if needed.url else None
    file = _file_in(needed.url or "")
    version = _pinned(needed) or (short_version(file[1]) if file else None)
    name = str(canonicalize_name(needed.name))
    registry = ELSEWHERE if needed.url and repository is None else None
    return Component("pypi", name, repository, version, registry, line=number)


def _of_option(line: str, number: int) -> Named | None:
    option = _OPTION.fullmatch(line)
    if option is None:
        return unread(line, _ODD, line=number)
    if option["name"] in _FILES:
        return unread(line, _ANOTHER_FILE, line=number)
    return _at(option["value"], line, number) if option["name"] in _EDITABLE else None


def _at(address: str, line: str, number: int) -> Named:
    """Return what an address or a path names: a file's name, an egg, or a repository."""
    file, egg, repository = _file_in(address), _EGG.search(address), repository_in(address)
    registry = ELSEWHERE if repository is None else None
    if file is not None:
        return Component("pypi", file[0], repository, file[1], registry, line=number)
    if egg is not None:
        name = str(canonicalize_name(egg["name"]))
        return Component("pypi", name, repository, None, registry, line=number)
    if repository is not None:
        revision = _REVISION.search(address)
        version = short_version(revision["version"]) if revision else None
        return Component("github", repository, repository, version=version, line=number)
    place = "an address" if "://" in address else "a local path"
    return unread(line, f"{place} without a project name", line=number)


def _file_in(address: str) -> tuple[str, str] | None:
    """Return the project and the version that the name of a wheel or an archive says."""
    name = re.split(r"[?#\[]", address, maxsplit=1)[0].replace("\\", "/").rpartition("/")[2]
    try:
        if name.endswith(".whl"):
            project, version, _, _ = parse_wheel_filename(name)
        else:
            project, version = parse_sdist_filename(name)
    except (InvalidWheelFilename, InvalidSdistFilename):
        return None
    return str(project), str(version)


def _pinned(needed: Requirement) -> str | None:
    """Return the version that a requirement settles on."""
    pins = [
        specifier.version
        for specifier in needed.specifier
        if specifier.operator in ("==", "===") and not specifier.version.endswith(".*")
    ]
    return short_version(pins[0]) if len(pins) == 1 else None
