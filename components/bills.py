"""Bills of materials: CycloneDX in JSON and XML, SPDX in JSON and tag-value."""

import re
from collections.abc import Iterable, Iterator
from typing import Any, Final
from xml.etree.ElementTree import Element

from components.component import Component, of_purl
from components.trees import child_text, dicts, local_name

_TAG: Final = re.compile(r"(?P<tag>[A-Za-z]+):[ \t]*(?P<value>.*)")


def read_cyclonedx(document: dict[str, Any]) -> Iterator[Component]:
    """Yield the components of a CycloneDX bill, those within others too."""
    waiting = dicts(document.get("components"))[::-1]
    while waiting:
        each = waiting.pop()
        waiting.extend(dicts(each.get("components"))[::-1])
        links = dicts(each.get("externalReferences"))
        vcs = [str(link.get("url")) for link in links if link.get("type") == "vcs"]
        purl = str(each.get("purl") or "")
        mark = f'"purl": "{purl}"'
        found = of_purl(purl, vcs, version=str(each.get("version") or ""), mark=mark)
        if found is not None:
            yield found


def read_spdx(document: dict[str, Any]) -> Iterator[Component]:
    """Yield the packages of an SPDX bill that have a package URL."""
    for each in dicts(document.get("packages")):
        address = str(each.get("downloadLocation") or "")
        version = str(each.get("versionInfo") or "")
        for reference in dicts(each.get("externalRefs")):
            is_purl = reference.get("referenceType") == "purl"
            purl = str(reference.get("referenceLocator")) if is_purl else ""
            mark = f'"referenceLocator": "{purl}"'
            found = of_purl(purl, [address], version=version, mark=mark)
            if found is not None:
                yield found


def read_spdx_lines(text: str) -> Iterator[Component]:
    """Yield the packages of an SPDX bill in tags and values that have a package URL."""
    package: dict[str, str] = {}
    for number, line in enumerate(text.splitlines(), 1):
        found = _TAG.match(line)
        if found is None:
            continue
        tag, value = found["tag"], found["value"].strip()
        if tag == "PackageName":
            package = {}
        package[tag] = value
        kind, _, purl = value.removeprefix("PACKAGE-MANAGER ").partition(" ")
        if tag == "ExternalRef" and kind == "purl":
            yield from _spdx_package(purl.strip(), package, number)


def _spdx_package(purl: str, package: dict[str, str], line: int) -> Iterator[Component]:
    address, version = package.get("PackageDownloadLocation", ""), package.get("PackageVersion", "")
    part = of_purl(purl, [address], version=version)
    if part is not None:
        yield Component(
            part.type, part.name, part.repository, None, part.version, part.registry, line
        )


def read_cyclonedx_xml(root: Element) -> Iterator[Component]:
    """Yield the components of a CycloneDX bill in XML."""
    for each in root.iter():
        if local_name(each) == "component":
            purl, version = child_text(each, "purl"), child_text(each, "version")
            mark = f"<purl>{purl}</purl>"
            found = of_purl(purl, _addresses(each), version=version, mark=mark)
            if found is not None:
                yield found


def _addresses(component: Element) -> Iterable[str]:
    """Return where a component is developed; components within it are others."""
    lists = (each for each in component if local_name(each) == "externalReferences")
    links = (link for each in lists for link in each if link.get("type") == "vcs")
    return [child_text(link, "url") for link in links]
