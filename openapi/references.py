"""Find references that do not exist and names that are not text."""

from collections.abc import Iterator, Mapping
from typing import Any

from openapi.contract import resolve


def dangling_references(contract: Mapping[str, Any]) -> Iterator[str]:
    """Yield a sentence for each reference to something the contract does not have."""
    yield from _inside(contract, contract, "")


def _inside(contract: Mapping[str, Any], node: Any, where: str) -> Iterator[str]:
    reference = node.get("$ref") if isinstance(node, Mapping) else None
    if isinstance(reference, str) and not _leads_somewhere(contract, reference):
        yield f"{where}: {reference} does not exist"
    children = node.items() if isinstance(node, Mapping) else enumerate(node)
    for name, child in children:
        if isinstance(child, Mapping | list):
            yield from _inside(contract, child, f"{where}/{name}".lstrip("/"))


def unquoted_names(node: Any, where: str = "") -> Iterator[str]:
    """Yield a sentence for each name that YAML reads as something else, such as a status."""
    children = node.items() if isinstance(node, Mapping) else enumerate(node)
    for name, child in children:
        if isinstance(node, Mapping) and not isinstance(name, str):
            yield f"{where}: {name} is no text; put it in quotes"
        if isinstance(child, Mapping | list):
            yield from unquoted_names(child, f"{where}/{name}".lstrip("/"))


def _leads_somewhere(contract: Mapping[str, Any], reference: str) -> bool:
    try:
        resolve(contract, {"$ref": reference})
    except (LookupError, TypeError):
        return False
    return True
