"""Schemas of the contract as plain JSON Schema, for programs that do not know OpenAPI."""

from collections.abc import Mapping
from functools import cache
from typing import Any

from openapi.contract import load_contract, resolve

LEFT_OUT = frozenset({"description", "example", "format"})
"""What a schema says to people, or what its other keywords say as well."""


def without_references(schema: Any) -> Any:
    """Return a schema of the contract with its references resolved, and without words."""
    return _resolved(_contract(), schema)


_contract = cache(load_contract)  # a copy of the whole, of which nothing is changed


def _resolved(contract: Mapping[str, Any], node: Any) -> Any:
    node = resolve(contract, node)
    if isinstance(node, Mapping):
        return {
            name: _resolved(contract, part) for name, part in node.items() if name not in LEFT_OUT
        }
    return [_resolved(contract, part) for part in node] if isinstance(node, list) else node
