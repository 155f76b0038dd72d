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
    document = Document(contract)
    for where, node in _nodes(contract):
        reference = node.get("$ref") if isinstance(node, Mapping) else None
        if isinstance(reference, str) and document.target(reference) is None:
            yield f"{where}: {reference} does not exist"


def _nodes(node: Any, where: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the objects and lists of a contract with their places."""
    yield where, node
    for name, child in node.items() if isinstance(node, Mapping) else enumerate(node):
        if isinstance(child, Mapping | list):
            yield from _nodes(child, f"{where}/{name}".lstrip("/"))


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


def unquoted_names(contract: Node) -> Iterator[str]:
    """Yield a sentence for each name that YAML reads as something else, such as a status."""
    for where, node in _nodes(contract):
        for name in node if isinstance(node, Mapping) else ():
            if not isinstance(name, str):
                yield f"{where}: {name} is not a string; put it in quotes"
