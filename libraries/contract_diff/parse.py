"""Parse contracts written in YAML or JSON."""

from typing import Any

import yaml

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # six times as fast, with libyaml
METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace")
"""The methods a path item can hold, in the order of the OpenAPI specification."""


def parse_contract(text: bytes | str) -> dict[str, Any]:
    """Parse a contract in YAML or JSON.

    Raises ValueError for other text, for what is no object, and for a circle of YAML aliases.
    """
    try:
        document = yaml.load(text, Loader=_LOADER)  # noqa: S506 - a safe one, see there
    except yaml.YAMLError as error:
        raise ValueError(f"This is not YAML: {error}") from error
    if not isinstance(document, dict) or "paths" not in document:
        raise ValueError("A contract is an object with openapi, info and paths.")
    if _is_circular(document):
        raise ValueError("A part is inside itself, through an alias; write it with $ref instead.")
    return document


def _is_circular(document: Any) -> bool:
    """Tell whether a value contains itself; a part may be shared."""
    ancestors: set[int] = set()
    done: set[int] = set()
    stack = [(document, False)]
    while stack:
        node, is_leaving = stack.pop()
        if is_leaving:
            ancestors.remove(id(node))
            done.add(id(node))
        elif id(node) in ancestors:
            return True
        elif isinstance(node, dict | list) and id(node) not in done:
            ancestors.add(id(node))
            stack.append((node, True))
            children = node.values() if isinstance(node, dict) else node
            stack += ((child, False) for child in children)
    return False
