"""Bills of materials in JSON: CycloneDX, SPDX 2, and SPDX 3 in JSON-LD."""

from collections import Counter
from collections.abc import Iterator
from typing import Any, Final

from package_versions.component import Named, dicts, members, of_purl, unnamed, unread

_NO_PACKAGES: Final = ("file", "data", "cryptographic-asset")
_OCI_SOURCE: Final = "org.opencontainers.image.source"  # a label, behind the name of a tool
_SPDX_PACKAGES: Final = ("software_Package", "Package")
_SPDX_PURLS: Final = ("packageUrl", "purl")


def read_cyclonedx(document: dict[str, Any]) -> Iterator[Named]:
    """Yield the components of a CycloneDX bill, those within others and the product too."""
    product = members(members(document.get("metadata")).get("component"))
    waiting = dicts(product.get("components")) + dicts(document.get("components"))
    waiting.reverse()
    others: Counter[str] = Counter()
    while waiting:
        component = waiting.pop()
        waiting.extend(dicts(component.get("components"))[::-1])
        links = dicts(component.get("externalReferences"))
        vcs = [str(link.get("url")) for link in links if link.get("type") == "vcs"]
        labels = dicts(component.get("properties"))
        vcs += [str(it.get("value")) for it in labels if str(it.get("name")).endswith(_OCI_SOURCE)]
        name, version, purl = (str(component.get(key) or "") for key in ("name", "version", "purl"))
        mark = f'"purl": "{purl}"' if purl else f'"name": "{name}"'
        part = of_purl(purl, vcs, version=version, mark=mark)
        if part is not None:
            yield part
        elif component.get("type") in _NO_PACKAGES:
            others[component["type"]] += 1
        else:
            yield unnamed(name or purl, version, mark=mark)
    for kind, count in others.items():
        yield unread(f"components of type {kind} ({count:,})", "not packages")


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
            if str(it.get("referenceType")).rpartition("/")[2] == "purl"
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


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else []
