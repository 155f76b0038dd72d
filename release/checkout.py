"""The checkout that a release is made of: its commit, its versions, its changelog."""

import re
import shutil
import subprocess
import tomllib
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Final

import yaml

from release.errors import NotReleasable

PROJECTS: Final = ("pyproject.toml", "clients/python/pyproject.toml")
"""The projects that are released together, under one version."""
CHANGELOG: Final = "CHANGELOG.md"
CONTRACT: Final = "openapi/openapi.yaml"
RELEASED: Final = "openapi/released"
_VERSION: Final = re.compile(r"(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)", re.ASCII)
_VERSION_LINE: Final = re.compile(r'^version = "[^"\n]*"$', re.MULTILINE)
_HEADING: Final = re.compile(r"^## (?P<version>\S+) \((?P<day>[^)]*)\)$", re.MULTILINE)
UNRELEASED: Final = "unreleased"


@dataclass(frozen=True, slots=True)
class Section:
    """What a changelog says of one version; ``day`` as its heading has it. ``text`` is Markdown."""

    version: str
    day: str
    text: str


def sections_of(changelog: str) -> list[Section]:
    """Return the versions of a changelog, newest first, as it lists them."""
    headings = list(_HEADING.finditer(changelog))
    ends = [heading.start() for heading in headings[1:]] + [len(changelog)]
    return [
        Section(heading["version"], heading["day"], changelog[heading.end() : end].strip())
        for heading, end in zip(headings, ends, strict=True)
    ]


def dated(changelog: str, version: str, day: date) -> str:
    """Return a changelog in which a version, its first, has the day of its release."""
    section = next(iter(sections_of(changelog)), None)
    if section is None or section.version != version or section.day != UNRELEASED:
        raise NotReleasable(
            f"{CHANGELOG} does not begin with: ## {version} ({UNRELEASED}); write what is new there"
        )
    return changelog.replace(f"## {version} ({UNRELEASED})", f"## {version} ({day})", 1)


def prepare(root: Path, version: str, day: date) -> list[str]:
    """Write a version into a checkout; return the names of the files that changed.

    The changelog gets its day, the projects their version, and the contract is kept as released
    unless it is the same as the one that was released under its version.
    """
    numbers = numbers_of(version)
    changelog = _read(root, CHANGELOG)
    texts = {CHANGELOG: dated(changelog, version, day)}
    before = [numbers_of(section.version) for section in sections_of(changelog)[1:]]
    if before and max(before) >= numbers:
        raise NotReleasable(f"{version} is not higher than the versions that {CHANGELOG} has")
    for project in PROJECTS:
        texts[project] = _VERSION_LINE.sub(f'version = "{version}"', _read(root, project), count=1)
    contract = _read(root, CONTRACT)
    texts[kept_contract(root, contract)] = contract
    changed = [name for name, text in texts.items() if _read(root, name) != text]
    for name in changed:
        (root / name).write_text(texts[name], encoding="utf-8")
    return changed


def kept_contract(root: Path, contract: str) -> str:
    """Return the file in which a contract is kept; raise where another has its version."""
    version = str(yaml.safe_load(contract)["info"]["version"])
    file = f"{RELEASED}/{version}.yaml"
    if _read(root, file) not in {"", contract}:
        raise NotReleasable(
            f"{CONTRACT} changed, and {version} of it is released; raise its info.version"
        )
    return file


def released_version(root: Path) -> str:
    """Return the version that a checkout is ready to release; raise NotReleasable otherwise."""
    versions = {
        name: str(tomllib.loads(_read(root, name))["project"]["version"]) for name in PROJECTS
    }
    version = versions[PROJECTS[0]]
    if set(versions.values()) != {version}:
        raise NotReleasable(f"The projects have different versions: {versions}")
    section = next(iter(sections_of(_read(root, CHANGELOG))), None)
    if section is None or section.version != version or section.day == UNRELEASED:
        raise NotReleasable(
            f"{version} is not prepared: {CHANGELOG} has no day for it; "
            f"./tests/run -e release -- prepare {version}, then commit"
        )
    contract = _read(root, CONTRACT)
    if not _read(root, kept_contract(root, contract)):
        raise NotReleasable(f"{RELEASED} lacks the contract; prepare {version} anew")
    return version


def notes_of(root: Path, version: str) -> str:
    """Return what CHANGELOG.md says of a version, as a document of its own."""
    for section in sections_of(_read(root, CHANGELOG)):
        if section.version == version:
            return f"# Changewire {version} ({section.day})\n\n{section.text}\n"
    raise NotReleasable(f"{CHANGELOG} says nothing of {version}")


def committed(root: Path) -> str:
    """Return the commit of a checkout; raise when it has changes that are not committed."""
    if changes := git(root, "status", "--porcelain").decode().splitlines():
        raise NotReleasable(f"Not as committed: {changes[0].strip()}")
    return git(root, "rev-parse", "HEAD").decode().strip()


def seconds_of(root: Path, commit: str) -> int:
    """Return when a commit was made, in seconds since 1970."""
    return int(git(root, "show", "--no-patch", "--format=%ct", commit))


def unpack(root: Path, commit: str, folder: Path) -> None:
    """Write the files of a commit into a folder, and no other files of the checkout."""
    folder.mkdir(parents=True)
    archive = git(root, "archive", "--format=tar", commit)
    # not by tarfile, whose filter="data" Debian 12's Python lacks
    subprocess.run(["/bin/tar", "--extract", "--directory", str(folder)], input=archive, check=True)


def git(root: Path, *arguments: str) -> bytes:
    """Run git in a checkout; return what it prints."""
    program = shutil.which("git")
    if program is None:
        raise NotReleasable("git is not installed")
    try:
        command = [program, "-C", str(root), *arguments]
        return subprocess.run(command, check=True, capture_output=True).stdout
    except subprocess.CalledProcessError as error:
        raise NotReleasable(f"git {arguments[0]}: {error.stderr.decode().strip()}") from error


def numbers_of(version: str) -> tuple[int, ...]:
    """Return the three numbers of a version."""
    match = _VERSION.fullmatch(version)
    if match is None:
        raise NotReleasable(f"{version} is no version such as 1.2.0")
    return tuple(map(int, match.groups()))


def _read(root: Path, name: str) -> str:
    file = root / name
    return file.read_text(encoding="utf-8") if file.exists() else ""
