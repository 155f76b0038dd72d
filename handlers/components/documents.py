"""Files of JSON and XML: package.json, CycloneDX, SPDX, pom.xml, OPML."""

from collections.abc import Iterable, Iterator
from typing import Any, Final
from xml.etree.ElementTree import Element, ParseError

import orjson
from defusedxml import DefusedXmlException
from defusedxml.ElementTree import fromstring
from packageurl import PackageURL

from handlers.components.component import Component, Unreadable, repository_in

_NPM_KEYS: Final = (
    "dependencies",
    "devDependencies",
    "peerDependencies",
    "optionalDependencies",
)
_LONGEST_NAME: Final = 300


def read_json(text: str) -> list[Component]:
    """Return the components of a package.json or a bill of materials. Raises Unreadable."""
    try:
        document = orjson.loads(text)
    except orjson.JSONDecodeError as error:
        raise Unreadable(f"This is no JSON (line {error.lineno}).") from None
    if not isinstance(document, dict):
        raise Unreadable("This JSON is neither a package.json nor an SBOM.")
    if document.get("bomFormat") == "CycloneDX":
        return list(_cyclonedx(_dicts(document.get("components"))))
    if "spdxVersion" in document:
        return list(_spdx(_dicts(document.get("packages"))))
    if any(isinstance(document.get(key), dict) for key in _NPM_KEYS):
        return list(_package_json(document))
    raise Unreadable("This JSON is neither a package.json with dependencies nor an SBOM.")


def read_xml(text: str) -> list[Component]:
    """Return the components of a pom.xml, a CycloneDX bill or an OPML list. Raises Unreadable."""
    try:
        root = fromstring(text, forbid_dtd=True)
    except DefusedXmlException:
        raise Unreadable("A document type is not taken; save the file without one.") from None
    except (ParseError, ValueError, LookupError):
        raise Unreadable("This is no well-formed XML.") from None
    readers = {"project": _pom, "bom": _cyclonedx_xml, "opml": _opml}
    reader = readers.get(_local(root))
    if reader is None:
        raise Unreadable("This XML is neither a pom.xml, nor an SBOM, nor OPML.")
    return list(reader(root))


def of_purl(purl: str, addresses: Iterable[str] = ()) -> Component | None:
    """Return the component of a package URL, or None for one that is none."""
    try:
        parsed = PackageURL.from_string(purl[:1000])
    except ValueError:
        return None
    joiner = ":" if parsed.type == "maven" else "/"
    name = f"{parsed.namespace}{joiner}{parsed.name}" if parsed.namespace else parsed.name
    if parsed.type == "github":
        return Component("github", name, name.lower())
    hints = [f"{name}" if parsed.type == "golang" else "", *addresses]
    repository = next(filter(None, map(repository_in, hints)), None)
    return Component(parsed.type, name[:_LONGEST_NAME], repository)


def _dicts(value: object) -> list[dict[str, Any]]:
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def _package_json(document: dict[str, Any]) -> Iterator[Component]:
    for key in _NPM_KEYS:
        named = document.get(key)
        for name, wanted in named.items() if isinstance(named, dict) else ():
            text = str(wanted).replace("github:", "github.com/")
            yield Component("npm", name[:_LONGEST_NAME], repository_in(text))


def _cyclonedx(components: Iterable[dict[str, Any]]) -> Iterator[Component]:
    for each in components:
        links = _dicts(each.get("externalReferences"))
        vcs = [str(link.get("url")) for link in links if link.get("type") == "vcs"]
        found = of_purl(str(each.get("purl") or ""), vcs)
        if found is not None:
            yield found


def _spdx(packages: Iterable[dict[str, Any]]) -> Iterator[Component]:
    for each in packages:
        address = str(each.get("downloadLocation") or "")
        for reference in _dicts(each.get("externalRefs")):
            is_purl = reference.get("referenceType") == "purl"
            purl = str(reference.get("referenceLocator")) if is_purl else ""
            found = of_purl(purl, [address])
            if found is not None:
                yield found


def _local(element: Element) -> str:
    return element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""


def _child(element: Element, name: str) -> str:
    found = next((each for each in element if _local(each) == name), None)
    return "" if found is None else (found.text or "").strip()[:_LONGEST_NAME]


def _pom(root: Element) -> Iterator[Component]:
    for each in root.iter():
        if _local(each) == "dependency":
            group, artifact = _child(each, "groupId"), _child(each, "artifactId")
            if group and artifact and "$" not in group + artifact:
                yield Component("maven", f"{group}:{artifact}")


def _cyclonedx_xml(root: Element) -> Iterator[Component]:
    for each in root.iter():
        if _local(each) == "component":
            references = (link for link in each.iter() if link.get("type") == "vcs")
            found = of_purl(_child(each, "purl"), [_child(link, "url") for link in references])
            if found is not None:
                yield found


def _opml(root: Element) -> Iterator[Component]:
    for each in root.iter():
        fields = {key.lower(): value.strip() for key, value in each.attrib.items()}
        address = fields.get("htmlurl") or fields.get("xmlurl")
        if _local(each) == "outline" and address:
            name = fields.get("title") or fields.get("text") or address
            short, page = name[:_LONGEST_NAME], address[:2000]
            yield Component("feed", short, repository_in(page), page)
