"""Bills of materials: CycloneDX in JSON and XML, SPDX in JSON, JSON-LD and tag-value."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any, Final
from xml.etree.ElementTree import Element

from components.component import Component, Named, of_purl, unnamed
from components.trees import child_text, dicts, local_name

_TAG: Final = re.compile(r"(?P<tag>[A-Za-z]+):[ \t]*(?P<value>.*)")
_DESCRIBES: Final = re.compile(r"^Relationship:\s*\S+\s+DESCRIBES\s+(?P<id>\S+)", re.MULTILINE)
_NO_PACKAGES: Final = ("file", "data", "cryptographic-asset")
_SPDX_PACKAGES: Final = ("software_Package", "Package")
_SPDX_PURLS: Final = ("packageUrl", "purl")


def read_cyclonedx(document: dict[str, Any]) -> Iterator[Named]:
    """Yield the components of a CycloneDX bill, those within others too."""
    waiting = dicts(document.get("components"))[::-1]
    while waiting:
        component = waiting.pop()
        waiting.extend(dicts(component.get("components"))[::-1])
        links = dicts(component.get("externalReferences"))
        vcs = [str(link.get("url")) for link in links if link.get("type") == "vcs"]
        name, version, purl = (str(component.get(key) or "") for key in ("name", "version", "purl"))
        mark = f'"purl": "{purl}"' if purl else f'"name": "{name}"'
        part = of_purl(purl, vcs, version=version, mark=mark)
        if part is not None:
            yield part
        elif component.get("type") not in _NO_PACKAGES:
            yield unnamed(name or purl, version, mark=mark)


def read_spdx(document: dict[str, Any]) -> Iterator[Named]:
    """Yield the packages of an SPDX bill; the product that it describes may lack a package URL."""
    described = set(map(str, _list(document.get("documentDescribes"))))
    for relation in dicts(document.get("relationships")):
        if relation.get("relationshipType") == "DESCRIBES":
            described.add(str(relation.get("relatedSpdxElement")))
    for package in dicts(document.get("packages")):
        address = str(package.get("downloadLocation") or "")
        name, version = (str(package.get(key) or "") for key in ("name", "versionInfo"))
        references = dicts(package.get("externalRefs"))
        purls = [
            str(it.get("referenceLocator"))
            for it in references
            if it.get("referenceType") == "purl"
        ]
        components = [
            of_purl(purl, [address], version=version, mark=f'"referenceLocator": "{purl}"')
            for purl in purls
        ]
        yield from filter(None, components)
        if not any(components) and package.get("SPDXID") not in described:
            yield unnamed(name, version, mark=f'"name": "{name}"')


def read_spdx_graph(document: dict[str, Any]) -> Iterator[Named]:
    """Yield the packages of an SPDX 3 bill, a single list of elements."""
    elements = dicts(document.get("@graph"))
    roots = {str(root) for element in elements for root in _list(element.get("rootElement"))}
    for element in elements:
        if element.get("type") not in _SPDX_PACKAGES:
            continue
        identifiers = [
            str(it.get("identifier"))
            for it in dicts(element.get("externalIdentifier"))
            if it.get("externalIdentifierType") in _SPDX_PURLS
        ]
        purl = str(element.get("software_packageUrl") or next(iter(identifiers), ""))
        name, version, address = (
            str(element.get(key) or "")
            for key in ("name", "software_packageVersion", "software_downloadLocation")
        )
        component = of_purl(purl, [address], version=version, mark=f'"name": "{name}"')
        if component is not None:
            yield component
        elif str(element.get("spdxId")) not in roots:
            yield unnamed(name, version, mark=f'"name": "{name}"')


def read_spdx_lines(text: str) -> Iterator[Named]:
    """Yield the packages of an SPDX bill in tags and values."""
    described = {match["id"] for match in _DESCRIBES.finditer(text)}
    package: dict[str, str] = {}
    components: list[Component] = []
    begins = 0
    for number, line in enumerate(f"{text}\nPackageName:".splitlines(), 1):
        pair = _TAG.match(line)
        if pair is None:
            continue
        tag, value = pair["tag"], pair["value"].strip()
        if tag == "PackageName":
            if package and not components and package.get("SPDXID") not in described:
                yield unnamed(
                    package["PackageName"], package.get("PackageVersion", ""), line=begins
                )
            package, components, begins = {tag: value}, [], number
            continue
        if package:
            package.setdefault(tag, value)
        kind, _, purl = value.removeprefix("PACKAGE-MANAGER ").partition(" ")
        if tag == "ExternalRef" and kind == "purl":
            components += _spdx_package(purl.strip(), package, number)
            yield from components[-1:]


def _spdx_package(purl: str, package: dict[str, str], line: int) -> Iterator[Component]:
    address, version = package.get("PackageDownloadLocation", ""), package.get("PackageVersion", "")
    part = of_purl(purl, [address], version=version)
    if part is not None:
        yield replace(part, line=line)


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def read_cyclonedx_xml(root: Element) -> Iterator[Named]:
    """Yield the components of a CycloneDX bill in XML."""
    for element in root.iter():
        if local_name(element) == "components":
            yield from filter(None, map(_xml_component, element))


def _xml_component(element: Element) -> Named | None:
    name, purl, version = (child_text(element, it) for it in ("name", "purl", "version"))
    mark = f"<purl>{purl}</purl>" if purl else f"<name>{name}</name>"
    component = of_purl(purl, _addresses(element), version=version, mark=mark)
    if component is None and element.get("type") not in _NO_PACKAGES:
        return unnamed(name or purl, version, mark=mark)
    return component


def _addresses(component: Element) -> Iterable[str]:
    """Return where a component is developed; components within it are others."""
    lists = (child for child in component if local_name(child) == "externalReferences")
    links = (link for references in lists for link in references if link.get("type") == "vcs")
    return [child_text(link, "url") for link in links]
