"""The contract as this service holds itself to it, made from the published one by two rules.

Published schemas are open, so that a later 1.x may add to responses and breaks no client or
validator of an earlier one. This service refuses to send what its own contract does not name
(docs/decisions/0001).
"""

from collections.abc import Iterator, Mapping
from copy import deepcopy
from typing import Any

from contract_diff.values import EXTENSIBLE_ENUM


def choices(schema: Mapping[str, Any]) -> list[Any]:
    """Return the values that a schema lists, whether the list may grow or not; none without one."""
    return list(schema.get("enum", schema.get(EXTENSIBLE_ENUM, ())))


def strict(contract: Mapping[str, Any]) -> dict[str, Any]:
    """Return a copy of a contract whose schemas allow only what they name.

    An object that names its properties refuses others, unless it says itself whether it does. A
    list of values that may grow is an enumeration.
    """
    copy = deepcopy(dict(contract))
    for schema in _schemas(copy):
        if "properties" in schema:
            schema.setdefault("additionalProperties", False)
        if EXTENSIBLE_ENUM in schema:
            schema["enum"] = schema[EXTENSIBLE_ENUM]
    return copy


def _schemas(contract: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield every schema of the components, and those written out in bodies."""
    components = contract.get("components", {})
    waiting = list(components.get("schemas", {}).values())
    for group in ("responses", "requestBodies"):
        for node in components.get(group, {}).values():
            waiting += [media.get("schema", {}) for media in node.get("content", {}).values()]
    while waiting:
        schema = waiting.pop()
        if isinstance(schema, dict):
            yield schema
            waiting += schema.get("properties", {}).values()
            waiting += [schema.get(keyword) for keyword in ("items", "additionalProperties")]
            for keyword in ("anyOf", "oneOf"):
                waiting += schema.get(keyword, ())
