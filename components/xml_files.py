"""Files of XML: pom.xml, OPML."""

import re
from collections.abc import Iterator
from typing import Final
from xml.etree.ElementTree import Element

from components.component import (
    LONGEST_NAME,
    Component,
    Named,
    repository_in,
    short_version,
    unread,
)
from components.trees import child_text, local_name

_PROPERTY: Final = re.compile(r"\$\{([\w.-]{1,200})\}", re.ASCII)
_DEEPEST: Final = 5


def read_pom(root: Element) -> Iterator[Named]:
    """Yield the dependencies of a pom.xml and its parent; a version may be a property of the file.

    What only the parent says is not known: such a version is none.
    """
    properties = _properties(root)
    versions: dict[str, str | None] = {}
    parts: list[tuple[str, str]] = []
    for dependency in _dependencies(root):
        named = [child_text(dependency, name) for name in ("groupId", "artifactId", "version")]
        group, artifact, version = (_resolved(text, properties) for text in named)
        mark = f"<artifactId>{named[1]}</artifactId>"
        if group and artifact:
            name = f"{group}:{artifact}"[:LONGEST_NAME]
            parts.append((name, mark))
            versions[name] = versions.get(name) or _settled(version)
        elif named[1]:
            yield unread(f"{named[0]}:{named[1]}", "its name is not said in this file", mark=mark)
    for name, mark in parts:  # dependencyManagement has the versions of others
        yield Component("maven", name, version=versions[name], mark=mark)


def _dependencies(root: Element) -> Iterator[Element]:
    """Yield what a file names: its parent, then the dependencies, those of profiles too."""
    yield from _children(root, "parent")
    yield from (element for element in root.iter() if local_name(element) == "dependency")


def _children(element: Element, name: str) -> Iterator[Element]:
    return (child for child in element if local_name(child) == name)


def _properties(root: Element) -> dict[str, str]:
    """Return the properties of a file; version and group are the parent's where it has none."""
    parent = next(_children(root, "parent"), None)
    properties: dict[str, str] = {}
    for name in ("version", "groupId", "artifactId"):
        of_parent = "" if parent is None else child_text(parent, name)
        own = child_text(root, name) or ("" if name == "artifactId" else of_parent)
        properties |= {f"project.parent.{name}": of_parent, f"parent.{name}": of_parent}
        properties |= {f"project.{name}": own, f"pom.{name}": own}
    for section in _children(root, "properties"):
        properties |= {
            local_name(child): (child.text or "").strip()[:LONGEST_NAME] for child in section
        }
    return properties


def _resolved(text: str, properties: dict[str, str]) -> str:
    """Return a text with its properties, or nothing if one is not in the file."""
    resolved = text
    for _ in range(_DEEPEST):  # a property may name others
        resolved = _PROPERTY.sub(lambda match: properties.get(match[1]) or "$", resolved)
        resolved = resolved[:LONGEST_NAME]
    return "" if "$" in resolved else resolved


def _settled(version: str) -> str | None:
    is_range = any(character in version for character in "[](),")
    return None if is_range or version in ("LATEST", "RELEASE") else short_version(version)


def read_opml(root: Element) -> Iterator[Component]:
    """Yield the feeds of a list of feeds."""
    for element in root.iter():
        fields = {key.lower(): value.strip() for key, value in element.attrib.items()}
        address = fields.get("htmlurl") or fields.get("xmlurl")
        if local_name(element) == "outline" and address:
            name = fields.get("title") or fields.get("text") or address
            short, page = name[:LONGEST_NAME], address[:2000]
            yield Component("feed", short, repository_in(page), page)
