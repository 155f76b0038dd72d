"""Files of XML: pom.xml, OPML."""

import re
from collections.abc import Iterator
from typing import Final
from xml.etree.ElementTree import Element

from components.component import LONGEST_NAME, Component, repository_in, short_version
from components.trees import child_text, local_name

_PROPERTY: Final = re.compile(r"\$\{([\w.-]{1,200})\}", re.ASCII)


def read_pom(root: Element) -> Iterator[Component]:
    """Yield the dependencies of a pom.xml; a version may be a property of the file."""
    properties = _properties(root)
    found = [each for each in root.iter() if local_name(each) == "dependency"]
    versions: dict[str, str | None] = {}
    parts: list[tuple[str, str]] = []
    for each in found:
        group, artifact, version = (
            _resolved(child_text(each, name), properties)
            for name in ("groupId", "artifactId", "version")
        )
        if group and artifact:
            name = f"{group}:{artifact}"[:LONGEST_NAME]
            parts.append((name, f"<artifactId>{child_text(each, 'artifactId')}</artifactId>"))
            versions[name] = versions.get(name) or _settled(version)
    for name, mark in parts:  # dependencyManagement has the versions of others
        yield Component("maven", name, version=versions[name], mark=mark)


def _properties(root: Element) -> dict[str, str]:
    own = {f"project.{name}": child_text(root, name) for name in ("version", "groupId")}
    sections = (each for each in root if local_name(each) == "properties")
    named = {local_name(each): (each.text or "").strip() for part in sections for each in part}
    return {**own, **named}


def _resolved(text: str, properties: dict[str, str]) -> str:
    """Return a text with its properties, or nothing if one is not in the file."""
    resolved = _PROPERTY.sub(lambda found: properties.get(found[1], "$"), text)[:LONGEST_NAME]
    return "" if "$" in resolved else resolved


def _settled(version: str) -> str | None:
    is_range = any(character in version for character in "[](),")
    return None if is_range or version in ("LATEST", "RELEASE") else short_version(version)


def read_opml(root: Element) -> Iterator[Component]:
    """Yield the feeds of a list of feeds."""
    for each in root.iter():
        fields = {key.lower(): value.strip() for key, value in each.attrib.items()}
        address = fields.get("htmlurl") or fields.get("xmlurl")
        if local_name(each) == "outline" and address:
            name = fields.get("title") or fields.get("text") or address
            short, page = name[:LONGEST_NAME], address[:2000]
            yield Component("feed", short, repository_in(page), page)
