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
        each = waiting.pop()
        waiting.extend(dicts(each.get("components"))[::-1])
        links = dicts(each.get("externalReferences"))
        vcs = [str(link.get("url")) for link in links if link.get("type") == "vcs"]
        name, version, purl = (str(each.get(key) or "") for key in ("name", "version", "purl"))
        mark = f'"purl": "{purl}"' if purl else f'"name": "{name}"'
        found = of_purl(purl, vcs, version=version, mark=mark)
        if found is not None:
            yield found
        elif each.get("type") not in _NO_PACKAGES:
            yield unnamed(name or purl, version, mark=mark)


def read_spdx(document: dict[str, Any]) -> Iterator[Named]:
    """Yield the packages of an SPDX bill; what the whole bill describes need not be one."""
    described = set(map(str, _list(document.get("documentDescribes"))))
    for relation in dicts(document.get("relationships")):
        if relation.get("relationshipType") == "DESCRIBES":
            described.add(str(relation.get("relatedSpdxElement")))
    for each in dicts(document.get("packages")):
        address = str(each.get("downloadLocation") or "")
        name, version = (str(each.get(key) or "") for key in ("name", "versionInfo"))
        references = dicts(each.get("externalRefs"))
        purls = [
            str(it.get("referenceLocator"))
            for it in references
            if it.get("referenceType") == "purl"
        ]
        found = [
            of_purl(purl, [address], version=version, mark=f'"referenceLocator": "{purl}"')
            for purl in purls
        ]
        yield from filter(None, found)
        if not any(found) and each.get("SPDXID") not in described:
            yield unnamed(name, version, mark=f'"name": "{name}"')


def read_spdx_graph(document: dict[str, Any]) -> Iterator[Named]:
    """Yield the packages of a bill of SPDX 3, whose elements stand in one list."""
    elements = dicts(document.get("@graph"))
    roots = {str(root) for each in elements for root in _list(each.get("rootElement"))}
    for each in elements:
        if each.get("type") not in _SPDX_PACKAGES:
            continue
        identifiers = [
            str(it.get("identifier"))
            for it in dicts(each.get("externalIdentifier"))
            if it.get("externalIdentifierType") in _SPDX_PURLS
        ]
        purl = str(each.get("software_packageUrl") or next(iter(identifiers), ""))
        name, version, address = (
            str(each.get(key) or "")
            for key in ("name", "software_packageVersion", "software_downloadLocation")
        )
        found = of_purl(purl, [address], version=version, mark=f'"name": "{name}"')
        if found is not None:
            yield found
        elif str(each.get("spdxId")) not in roots:
            yield unnamed(name, version, mark=f'"name": "{name}"')


def read_spdx_lines(text: str) -> Iterator[Named]:
    """Yield the packages of an SPDX bill in tags and values."""
    described = {found["id"] for found in _DESCRIBES.finditer(text)}
    package: dict[str, str] = {}
    found: list[Component] = []
    begins = 0
    for number, line in enumerate(f"{text}\nPackageName:".splitlines(), 1):
        pair = _TAG.match(line)
        if pair is None:
            continue
        tag, value = pair["tag"], pair["value"].strip()
        if tag == "PackageName":
            if package and not found and package.get("SPDXID") not in described:
                yield unnamed(
                    package["PackageName"], package.get("PackageVersion", ""), line=begins
                )
            package, found, begins = {tag: value}, [], number
            continue
        if package:
            package.setdefault(tag, value)
        kind, _, purl = value.removeprefix("PACKAGE-MANAGER ").partition(" ")
        if tag == "ExternalRef" and kind == "purl":
            found += _spdx_package(purl.strip(), package, number)
            yield from found[-1:]


def _spdx_package(purl: str, package: dict[str, str], line: int) -> Iterator[Component]:
    address, version = package.get("PackageDownloadLocation", ""), package.get("PackageVersion", "")
    part = of_purl(purl, [address], version=version)
    if part is not None:
        yield replace(part, line=line)


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def read_cyclonedx_xml(root: Element) -> Iterator[Named]:
    """Yield the components of a CycloneDX bill in XML."""
    for each in root.iter():
        if local_name(each) == "components":
            yield from filter(None, map(_xml_component, each))


def _xml_component(element: Element) -> Named | None:
    name, purl, version = (child_text(element, it) for it in ("name", "purl", "version"))
    mark = f"<purl>{purl}</purl>" if purl else f"<name>{name}</name>"
    found = of_purl(purl, _addresses(element), version=version, mark=mark)
    if found is None and element.get("type") not in _NO_PACKAGES:
        return unnamed(name or purl, version, mark=mark)
    return found


def _addresses(component: Element) -> Iterable[str]:
    """Return where a component is developed; components within it are others."""
    lists = (each for each in component if local_name(each) == "externalReferences")
    links = (link for each in lists for link in each if link.get("type") == "vcs")
    return [child_text(link, "url") for link in links]
