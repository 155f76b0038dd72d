"""Find references that do not exist or lead back to themselves, and names that are not text."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from contract_diff.document import Document, Node

_IN_PLACE = ("allOf", "anyOf", "oneOf")
"""Keywords whose schemas describe the same value as the schema around them."""
_DATA = frozenset({"example", "examples", "default", "enum", "const"})
"""Members that hold values, in which `$ref` is a name like any other."""


def dangling_references(contract: Node) -> Iterator[str]:
    """Yield a sentence for each reference to something the contract does not have."""
    yield from _inside(Document(contract), contract, "")


def _inside(document: Document, node: Any, where: str) -> Iterator[str]:
    reference = node.get("$ref") if isinstance(node, Mapping) else None
    if isinstance(reference, str) and document.target(reference) is None:
        yield f"{where}: {reference} does not exist"
    children = node.items() if isinstance(node, Mapping) else enumerate(node)
    for name, child in children:
        if isinstance(child, Mapping | list):
            yield from _inside(document, child, f"{where}/{name}".lstrip("/"))


def references_of(contract: Node) -> set[str]:
    """Return every reference of a contract; in data, `$ref` is a name like any other."""
    references: set[str] = set()
    visited: set[int] = set()
    left: list[Any] = [contract]
    while left:
        node = left.pop()
        if id(node) in visited:  # aliases of YAML may share a node many times
            continue
        visited.add(id(node))
        if isinstance(node, Mapping):
            if isinstance(node.get("$ref"), str):
                references.add(node["$ref"])
            left += [value for name, value in node.items() if name not in _DATA]
        elif isinstance(node, list):
            left += node
    return references


def circular_references(contract: Node, references: Iterable[str]) -> list[str]:
    """Return the references that lead back to themselves before they describe anything.

    A schema may hold itself in a property or an item, but not in its own place.
    """
    document = Document(contract)
    steps = {reference: _in_place(document.target(reference)) for reference in references}
    return sorted(reference for reference in steps if reference in _reached(steps, reference))


def _reached(steps: Mapping[str, frozenset[str]], start: str) -> set[str]:
    reached: set[str] = set()
    left = [start]
    while left:
        further = steps.get(left.pop(), frozenset()) - reached
        reached |= further
        left += further
    return reached


def _in_place(node: Any) -> frozenset[str]:
    """Return the references of a node that describe the same value as the node."""
    references: set[str] = set()
    left = [node]
    while left:
        schema = left.pop()
        if not isinstance(schema, Mapping):
            continue
        if isinstance(schema.get("$ref"), str):
            references.add(schema["$ref"])
        left.append(schema.get("not"))
        for keyword in _IN_PLACE:
            variants = schema.get(keyword)
            left += variants if isinstance(variants, list) else []
    return frozenset(references)


def unquoted_names(node: Any, where: str = "") -> Iterator[str]:
    """Yield a sentence for each name that YAML reads as something else, such as a status."""
    children = node.items() if isinstance(node, Mapping) else enumerate(node)
    for name, child in children:
        if isinstance(node, Mapping) and not isinstance(name, str):
            yield f"{where}: {name} is no text; put it in quotes"
        if isinstance(child, Mapping | list):
            yield from unquoted_names(child, f"{where}/{name}".lstrip("/"))
