"""Evidence in the metadata of packages that are installed on a machine."""

import json
import re
from collections.abc import Iterator
from email.parser import HeaderParser
from pathlib import Path
from typing import Any, Final
from xml.etree.ElementTree import Element, ParseError

from defusedxml.ElementTree import parse

from packages.evidence import Evidence, evidence, is_exactly

_SOURCE_LABELS: Final = frozenset(
    {"source", "sourcecode", "repository", "repo", "code", "github", "gitrepository"}
    | {"githubrepository", "sources", "git", "githubrepo", "githubproject"}
)
_GEM: Final = re.compile(r"s\.(name|homepage) = \"([^\"]+)\"")
_GEM_SOURCE: Final = re.compile(r"\"source_code_uri\" => \"([^\"]+)\"")
_SHORTHAND: Final = re.compile(r"(?:github:)?([\w.-]+/[\w.-]+)")


def from_installed(root: Path) -> Iterator[Evidence]:
    """Yield the evidence of everything below a folder."""
    for file in root.rglob("*.dist-info/METADATA"):
        yield from _python(file)
    for file in root.rglob("package.json"):
        if "node_modules" in file.parts:
            yield from _npm(file)
    for file in root.rglob("*.gemspec"):
        yield from _gem(file)
    for file in root.rglob("*.pom"):
        yield from _maven(file)


def _python(file: Path) -> Iterator[Evidence]:
    fields = HeaderParser().parsestr(file.read_text(encoding="utf-8", errors="replace"))
    name, version = fields["Name"], fields["Version"]
    links = [link.partition(",")[::2] for link in fields.get_all("Project-URL", [])]
    sources = {
        address.strip()
        for label, address in links
        if re.sub(r"[\W_]+", "", label.lower()) in _SOURCE_LABELS
    }
    homepages = [fields["Home-page"] or "", *(it[1] for it in links if it[0].lower() == "homepage")]
    for address in sources:
        seen_in = f"PyPI {name} {version}: Project-URL of its source"
        yield from evidence("pypi", name, address, seen_in, must_resemble=False)
    for address in homepages if not sources else ():
        if is_exactly(address):
            seen_in = f"PyPI {name} {version}: homepage"
            yield from evidence("pypi", name, address.strip(), seen_in, must_resemble=True)


def _npm(file: Path) -> Iterator[Evidence]:
    try:
        package: Any = json.loads(file.read_text(encoding="utf-8"))
    except ValueError:
        return
    named = package.get("repository") if isinstance(package, dict) else None
    address = str(named.get("url") if isinstance(named, dict) else named or "")
    if short := _SHORTHAND.fullmatch(address):
        address = f"https://github.com/{short[1]}"
    name, version = str(package.get("name") or ""), package.get("version")
    if name and version and file.parent.as_posix().endswith(f"node_modules/{name}"):
        address = re.sub(r"^(?:git\+)?(?:git|ssh|https?)://(?:git@)?", "https://", address)
        seen_in = f"npm {name} {version}: package.json, repository"
        yield from evidence("npm", name, address, seen_in, must_resemble=True)


def _gem(file: Path) -> Iterator[Evidence]:
    text = file.read_text(encoding="utf-8", errors="replace")
    fields = dict(_GEM.findall(text))
    source = _GEM_SOURCE.search(text)
    address = source[1] if source else fields.get("homepage", "")
    if fields.get("name"):
        seen_in = f"gem {fields['name']}: gemspec"
        yield from evidence("gem", fields["name"], address, seen_in, must_resemble=True)


def _maven(file: Path) -> Iterator[Evidence]:
    try:
        project = parse(file).getroot()
    except ParseError:
        return
    group = _text(project, "groupId") or _text(_child(project, "parent"), "groupId")
    artifact, address = _text(project, "artifactId"), _text(_child(project, "scm"), "url")
    if group and artifact and "$" not in group + artifact:
        address = re.sub(r"^(?:scm:git:)?(?:git|ssh|https?)://(?:git@)?", "https://", address)
        seen_in = f"Maven {group}:{artifact}: POM, scm"
        yield from evidence("maven", f"{group}/{artifact}", address, seen_in, must_resemble=True)


def _child(element: Element | None, name: str) -> Element | None:
    children = () if element is None else element
    return next((it for it in children if str(it.tag).rpartition("}")[2] == name), None)


def _text(element: Element | None, name: str) -> str:
    found = _child(element, name)
    return "" if found is None else (found.text or "").strip()
