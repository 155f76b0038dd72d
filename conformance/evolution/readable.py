"""Finds out whether a document can be compared: an unreadable schema would allow anything."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from conformance.evolution.document import Document

_READ = re.compile(r"3\.[01](\.\d+)?")
_DATA = frozenset({"example", "examples", "default", "enum", "const"})
"""Members that hold values, in which `$ref` is a name like any other."""


def reasons_against(root: Mapping[str, Any]) -> list[str]:
    """Return sentences that say why a document cannot be compared; none if it can."""
    version = root.get("openapi")
    if not isinstance(version, str) or not _READ.fullmatch(version):
        return ["It is not written in OpenAPI 3.0 or 3.1."]
    if not isinstance(root.get("paths"), Mapping):
        return ["Its paths are no object."]
    document = Document(root)
    references = set(_references(root))
    lost = {ref for ref in references if document.target(ref) is None}
    circular = {ref for ref in references - lost if _is_circular(document, ref)}
    return [f"{reference} leads back to itself." for reference in sorted(circular)] + [
        f"{reference} leads nowhere."
        if reference.startswith("#")
        else f"{reference} leads out of the document; bundle it into one file first."
        for reference in sorted(lost)
    ]


def _is_circular(document: Document, reference: str) -> bool:
    """Return whether a reference leads to references alone, and in the end to itself."""
    end = document.resolve({"$ref": reference}).get("$ref")
    return isinstance(end, str) and isinstance(document.target(end), Mapping)


def _references(root: Any) -> Iterator[str]:
    visited: set[int] = set()
    left = [root]
    while left:
        node = left.pop()
        if id(node) in visited:  # aliases of YAML may share a node many times
            continue
        if isinstance(node, Mapping):
            visited.add(id(node))
            reference = node.get("$ref")
            if isinstance(reference, str):
                yield reference
            left += [value for name, value in node.items() if name not in _DATA]
        elif isinstance(node, list):
            visited.add(id(node))
            left += node
