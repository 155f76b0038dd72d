"""Evidence in the indices of Debian: Packages, Sources, Contents and Translation-en.

The Homepage of a package has to be exactly a repository. The files of the package say what it has
of other ecosystems: metadata of Python, package.json, gemspecs. A crate is named in its
description.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

from packages.evidence import Evidence, evidence, is_exactly

RELEASE: Final = "Debian 12"
_FIELD: Final = re.compile(r"^(Package|Homepage|Source|Go-Import-Path): (.*)$")
_FILES: Final = (
    (
        "pypi",
        re.compile(
            r"usr/lib/python3/dist-packages/([^/]+?)-[^/-]+?(?:-py[\d.]+)?\.(?:egg|dist)-info"
        ),
    ),
    ("npm", re.compile(r"usr/share/nodejs/((?:@[^/]+/)?[^/@]+)/package\.json")),
    (
        "gem",
        re.compile(r"usr/share/rubygems-integration/[^/]+/specifications/(.+)-\d[^/-]*\.gemspec"),
    ),
)
_CRATE: Final = re.compile(r"contains the source for the\s+Rust (\S+)\s+crate")
_DOCUMENTS: Final = {"pypi": "its metadata", "npm": "its package.json", "gem": "its gemspec"}


class Stanza(NamedTuple):
    """A package of an index: what it is called, its homepage, the import path of a Go module."""

    name: str
    homepage: str
    import_path: str


def from_debian(folder: Path) -> Iterator[Evidence]:
    """Yield the evidence of a folder with Packages, Sources, Translation-en and Contents files."""
    homepages = {}
    for stanza in stanzas(folder / "Packages"):
        if is_exactly(stanza.homepage):
            homepages[stanza.name] = stanza.homepage
            seen_in = f"{RELEASE} {stanza.name}: Homepage"
            name = f"debian/{stanza.name}"
            yield from evidence("deb", name, stanza.homepage, seen_in, must_resemble=True)
    yield from _modules(folder / "Sources")
    yield from _crates(folder / "Translation-en", homepages)
    for contents in sorted(folder.glob("Contents-*")):
        yield from _files(contents, homepages)


def stanzas(index: Path) -> Iterator[Stanza]:
    """Yield the packages of an index."""
    fields: dict[str, str] = {}
    with index.open(encoding="utf-8") as lines:
        for line in lines:
            if found := _FIELD.match(line):
                fields[found[1]] = found[2].strip()
            elif line == "\n":
                yield _stanza(fields)
                fields = {}
    if fields:
        yield _stanza(fields)


def _stanza(fields: dict[str, str]) -> Stanza:
    return Stanza(
        fields.get("Package", ""), fields.get("Homepage", ""), fields.get("Go-Import-Path", "")
    )


def _modules(sources: Path) -> Iterator[Evidence]:
    for stanza in stanzas(sources):
        paths = [path.strip() for path in stanza.import_path.split(",") if path.strip()]
        for path in paths if is_exactly(stanza.homepage) and len(paths) == 1 else ():
            if not path.startswith("github.com/"):
                seen_in = f"{RELEASE} {stanza.name}: Go-Import-Path, Homepage"
                yield from evidence("golang", path, stanza.homepage, seen_in, must_resemble=True)


def _crates(translation: Path, homepages: dict[str, str]) -> Iterator[Evidence]:
    for stanza in translation.read_text(encoding="utf-8").split("\n\n"):
        name = stanza.partition("\n")[0].removeprefix("Package: ")
        crate = _CRATE.search(stanza)
        if crate and name in homepages:
            seen_in = f"{RELEASE} {name}: description, Homepage"
            yield from evidence("cargo", crate[1], homepages[name], seen_in, must_resemble=True)


def _files(contents: Path, homepages: dict[str, str]) -> Iterator[Evidence]:
    seen = set()
    with contents.open(encoding="utf-8", errors="replace") as lines:
        for line in lines:
            if not line.startswith(
                ("usr/lib/python3/dist-p", "usr/share/nodejs", "usr/share/rubyg")
            ):
                continue
            path, _, packages = line.rstrip().rpartition(" ")
            package = packages.rpartition("/")[2]
            for type_, pattern in _FILES:
                found = pattern.match(path.rstrip())
                if (
                    not found
                    or package not in homepages
                    or not _is_its_own(type_, found[1], package)
                ):
                    continue
                if (type_, found[1], package) not in seen:
                    seen.add((type_, found[1], package))
                    seen_in = f"{RELEASE} {package}: {_DOCUMENTS[type_]}, Homepage"
                    yield from evidence(
                        type_, found[1], homepages[package], seen_in, must_resemble=True
                    )


def _is_its_own(type_: str, name: str, package: str) -> bool:
    """Tell whether files are the package's own: Debian packs small modules of Node with others."""
    plain = re.sub(r"[@/_.]+", "-", name).strip("-").lower()
    return type_ != "npm" or package in (plain, f"node-{plain}")
