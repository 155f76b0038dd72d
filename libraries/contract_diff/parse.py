"""Parse contracts written in YAML or JSON."""

import json
import re
from typing import Any

import yaml

_SAFE: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # six times as fast, with libyaml
METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace")
"""The methods a path item can hold, in the order of the OpenAPI specification."""


def _construct_mapping(loader: Any, node: yaml.MappingNode, deep: bool = False) -> Any:
    """Return an object; refuse one that has a name twice."""
    names = [str(key.value) for key, _ in node.value if key.tag != "tag:yaml.org,2002:merge"]
    _refuse_repeated(names)
    return _SAFE.construct_mapping(loader, node, deep=deep)


_Loader: Any = type("_Loader", (_SAFE,), {"construct_mapping": _construct_mapping})
"""A reader of YAML 1.2: `no`, `on` and `010` are text, and each name is given once."""
_Loader.yaml_implicit_resolvers = {"<": [("tag:yaml.org,2002:merge", re.compile(r"^<<$"))]}
for _tag, _pattern, _first in (
    ("null", r"^(?:~|null|Null|NULL|)$", ["~", "n", "N", ""]),
    ("bool", r"^(?:true|True|TRUE|false|False|FALSE)$", list("tTfF")),
    ("int", r"^-?(?:0|[1-9][0-9]*)$", list("-0123456789")),
    ("float", r"^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?$", list("-0123456789")),
):
    _Loader.add_implicit_resolver(f"tag:yaml.org,2002:{_tag}", re.compile(_pattern), _first)


def _refuse_repeated(names: list[str]) -> None:
    if len(set(names)) < len(names):
        repeated = next(name for index, name in enumerate(names) if name in names[:index])
        raise ValueError(f"The name {repeated} is given twice in one object.")


def _json_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    _refuse_repeated([name for name, _ in pairs])
    return dict(pairs)


def _read(text: bytes | str) -> Any:
    """Return a document, as JSON where it is JSON: YAML reads its escapes otherwise."""
    try:
        return json.loads(text, object_pairs_hook=_json_object)
    except (json.JSONDecodeError, UnicodeDecodeError):
        return _Loader(text).get_single_data()


def parse_contract(text: bytes | str) -> dict[str, Any]:
    """Parse a contract in YAML or JSON.

    Raises ValueError for other text, for what is not an object, and for a circle of YAML aliases.
    """
    try:
        document = _read(text)
    except yaml.YAMLError as error:
        raise ValueError(f"This is not YAML: {error}") from error
    if not isinstance(document, dict) or "paths" not in document:
        raise ValueError("A contract is an object with openapi, info and paths.")
    if _is_circular(document):
        raise ValueError("A part is inside itself, through an alias; write it with $ref instead.")
    return document


def _is_circular(document: Any) -> bool:
    """Return whether a value contains itself; a part may be shared."""
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
