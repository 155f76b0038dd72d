"""Evidence in the spec files of a distribution of RPM packages, Azure Linux.

The first source of a package has to be a download of the release or tag of a repository that has
the package's version in its name: then its versions are those of the repository's releases.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from packages.evidence import Evidence, evidence
from packages.repositories import git

DISTRIBUTION: Final = "azurelinux"
_SPEC: Final = re.compile(r"SPECS(?:-EXTENDED)?/[^/]+/[^/]+\.spec")
_TAG: Final = re.compile(r"^(Name|Version|URL|Source0?):\s*(\S+)", re.MULTILINE | re.IGNORECASE)
_MACRO: Final = re.compile(r"^%(?:global|define)\s+(\w+)\s+(\S+)\s*$", re.MULTILINE)
_USE: Final = re.compile(r"%\{\??(\w+)\}")
_DOWNLOAD: Final = re.compile(
    r"(?P<repository>https://github\.com/[\w.-]+/[\w.-]+)/"
    r"(?:archive/(?:refs/tags/)?(?P<archive>[^#]+?)\.(?:tar\.\w+|tgz|zip)"
    r"|releases/download/(?P<tag>[^/#]+)/).*"
)


def from_specs(home: Path) -> Iterator[Evidence]:
    """Yield the evidence of a git directory of spec files."""
    for path in git(home, "ls-tree", "-r", "--name-only", "HEAD").splitlines():
        if _SPEC.fullmatch(path):
            yield from evidence_of_spec(git(home, "show", f"HEAD:{path}"))


def evidence_of_spec(text: str) -> Iterator[Evidence]:
    """Yield the evidence of one spec file."""
    values = _values(text)
    name, version = (_expanded(values.get(tag, ""), values) for tag in ("name", "version"))
    source = _expanded(values.get("source0") or values.get("source", ""), values)
    found = _DOWNLOAD.fullmatch(source)
    if found is None or not name or not version or "%" in name + version:
        return
    tag = found["tag"] or found["archive"].split("/")[0]
    if re.search(rf"(?<![\d.]){re.escape(version)}(?![\d.])", tag):
        seen_in = f"Azure Linux {name}: spec, Source0 of its version"
        named = f"{DISTRIBUTION}/{name}"
        yield from evidence("rpm", named, found["repository"], seen_in, must_resemble=True)


def homepage_of_spec(text: str) -> tuple[str, str]:
    """Return the name of a package and its homepage."""
    values = _values(text)
    return _expanded(values.get("name", ""), values), _expanded(values.get("url", ""), values)


def _values(text: str) -> dict[str, str]:
    """Return the macros and tags of a spec file."""
    values = dict[str, str](_MACRO.findall(text))
    for tag, value in reversed(_TAG.findall(text)):  # the first one counts
        values[tag.lower()] = value
    return values


def _expanded(text: str, values: dict[str, str]) -> str:
    for _ in range(6):  # macros in macros
        text = _USE.sub(lambda macro: values.get(macro[1].lower(), macro[0]), text)
    return text
