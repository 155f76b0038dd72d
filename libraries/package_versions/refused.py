"""Formats that are not read, and what to use instead."""

import re
from collections.abc import Mapping
from typing import Final

_BEGINNING: Final = 65_536
"""Characters in which the root element of XML begins."""
_COMMENT: Final = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_ROOT: Final = re.compile(r"<(?:[\w.-]+:)?(?P<name>[A-Za-z]\w*)")
_XML: Final[Mapping[str, str]] = {
    "project": "A pom.xml is not supported: only Maven knows the versions that it resolves. Run "
    "mvn org.cyclonedx:cyclonedx-maven-plugin:makeAggregateBom and use target/bom.json.",
    "bom": "CycloneDX in XML is not supported. Export the SBOM as JSON, for example with cdxgen "
    "or the CycloneDX Maven plugin.",
    "opml": "OPML is a list of sources, not a stack. Import it where you select sources.",
}
_OTHER_XML: Final = "XML and HTML are not supported. Use a lockfile or an SBOM in JSON."
_TEXTS: Final = (
    (
        (r"^SPDXVersion:\s*SPDX-",),
        "SPDX in tag-value format is not supported. Export the SBOM as JSON, for example with "
        "cdxgen or from the dependency graph on GitHub.",
    ),
    (
        (r"\A(?:[ \t]*(?:#.*)?\r?\n)*[ \t]*(?:FROM|ARG)[ \t]", r"^[ \t]*FROM[ \t]"),
        "A Dockerfile is not supported. Create an SBOM of the image, for example with "
        "cdxgen -t docker IMAGE -o bom.json, and use that.",
    ),
    (
        (r"^(?:apiVersion:\s*['\"]?v[12]\b|generated:)", r"^(?:name|dependencies):"),
        "A Helm chart is not supported. Create an SBOM of the images that it installs, for example "
        "with cdxgen -t docker IMAGE -o bom.json, and use that.",
    ),
)


def refusal_of(text: str) -> str | None:
    """Return what to use instead of a file in a format that is not read; None for other files."""
    if text.startswith("<"):
        root = _ROOT.search(_COMMENT.sub("", text[:_BEGINNING]))
        return _OTHER_XML if root is None else _XML.get(root["name"], _OTHER_XML)
    for patterns, reason in _TEXTS:
        if all(re.search(pattern, text, re.MULTILINE) for pattern in patterns):
            return reason
    return None
