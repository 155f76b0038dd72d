"""The contract document: loaded once, handed out as a dictionary, as bytes, as operations.

``openapi.yaml`` beside this module is the only copy. What is routed, validated and served
comes from here (docs/decisions/0001).
"""

import re
from collections.abc import Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, TypeAlias

import orjson
import yaml

Schema: TypeAlias = Mapping[str, Any]
"""A schema as OpenAPI 3.0 writes it; its references point into the contract."""

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # six times as fast where libyaml is there
METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace")


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter of an operation. ``example`` is a value as it stands in an address.

    ``component`` is the schema under components that it refers to, ``excludes`` the parameters
    that it cannot be sent with (``x-excludes``).
    """

    name: str
    location: str
    required: bool
    description: str
    schema: Schema
    component: str | None
    example: str | None
    excludes: frozenset[str]

    @property
    def python_name(self) -> str:
        """What Python calls it: ``adapterType`` is ``adapter_type``."""
        return python_name(self.name)

    @property
    def type(self) -> str:
        """The JSON type its value has."""
        return str(self.schema["type"])


@dataclass(frozen=True, slots=True)
class Response:
    """One answer of an operation: its headers and, by media type, its bodies."""

    status: int
    description: str
    headers: Mapping[str, Mapping[str, Any]]
    content: Mapping[str, Schema]


@dataclass(frozen=True, slots=True)
class Operation:
    """One thing the API does.

    ``security`` lists the alternatives, each the names of the schemes it takes; an empty
    alternative means that no key is needed. ``body`` maps media types to schemas.
    """

    operation_id: str
    method: str
    path: str
    tag: str
    summary: str
    security: tuple[tuple[str, ...], ...]
    parameters: tuple[Parameter, ...]
    body: Mapping[str, Schema]
    body_required: bool
    responses: Mapping[int, Response]
    deprecated: bool

    @property
    def public(self) -> bool:
        """Whether it answers callers without a key."""
        return not self.security or () in self.security


def python_name(name: str) -> str:
    """Return what Python calls a name of the contract: ``adapterType`` is ``adapter_type``."""
    return re.sub(r"(?<=[a-z0-9])([A-Z])", r"_\1", name).replace("-", "_").lower()


@cache
def contract_text() -> bytes:
    """Return the contract as it is written, for ``/openapi.yaml``."""
    return files(__package__).joinpath("openapi.yaml").read_bytes()


@cache
def contract_json() -> bytes:
    """Return the same contract as JSON, for ``/openapi.json``."""
    return orjson.dumps(_parsed())


@cache
def _parsed() -> dict[str, Any]:
    return parse_contract(contract_text())


def parse_contract(text: bytes | str) -> dict[str, Any]:
    """Return the contract that ``text`` spells in YAML or JSON.

    Raises ValueError when it is neither, or not an object, or inside itself, as YAML allows.
    """
    try:
        document = yaml.load(text, Loader=_LOADER)  # noqa: S506 - a safe one, see there
    except yaml.YAMLError as error:
        raise ValueError(f"This is not YAML: {error}") from error
    if not isinstance(document, dict) or "paths" not in document:
        raise ValueError("A contract is an object with openapi, info and paths.")
    if _is_inside_itself(document):
        raise ValueError("A part is inside itself, through an alias; write it with $ref instead.")
    return document


def _is_inside_itself(document: Any) -> bool:
    """Tell whether following a value's members leads back to it; shared parts count once."""
    around: set[int] = set()
    done: set[int] = set()
    left = [(document, False)]
    while left:
        node, seen_through = left.pop()
        if seen_through:
            around.remove(id(node))
            done.add(id(node))
        elif id(node) in around:
            return True
        elif isinstance(node, dict | list) and id(node) not in done:
            around.add(id(node))
            left.append((node, True))
            left += ((each, False) for each in (node.values() if isinstance(node, dict) else node))
    return False


def load_contract() -> dict[str, Any]:
    """Return a copy of the contract that the caller may change."""
    return deepcopy(_parsed())


@cache
def load_operations() -> tuple[Operation, ...]:
    """Return the operations of the contract, in the order it lists them."""
    return tuple(operations_of(_parsed()))


def base_path() -> str:
    """Return the path that all operations are under: ``/api/v1``."""
    return str(_parsed()["servers"][0]["url"])


def operations_of(contract: Mapping[str, Any]) -> Iterator[Operation]:
    """Yield the operations of any contract whose references are all local."""
    for path, item in contract["paths"].items():
        for method in METHODS:
            if method in item:
                shared = item.get("parameters", [])
                card = item[method] | {"parameters": [*shared, *item[method].get("parameters", [])]}
                yield _operation(contract, path, method, card)


def resolve(contract: Mapping[str, Any], node: Any) -> Any:
    """Return what ``node`` refers to, or ``node`` itself. Only its own reference is followed.

    Raises KeyError when the reference points nowhere, or round in a circle.
    """
    seen: set[str] = set()
    while isinstance(node, Mapping) and "$ref" in node:
        if node["$ref"] in seen:
            raise KeyError(node["$ref"])
        seen.add(node["$ref"])
        target: Any = contract
        for step in node["$ref"].removeprefix("#/").split("/"):
            target = target[step.replace("~1", "/").replace("~0", "~")]
        node = target
    return node


def _operation(
    contract: Mapping[str, Any], path: str, method: str, card: Mapping[str, Any]
) -> Operation:
    body = resolve(contract, card.get("requestBody", {}))
    security = card.get("security", contract.get("security", []))
    return Operation(
        operation_id=card["operationId"],
        method=method.upper(),
        path=path,
        tag=card["tags"][0],
        summary=card["summary"],
        security=tuple(tuple(alternative) for alternative in security),
        parameters=tuple(_parameter(contract, each) for each in card["parameters"]),
        body=_content(body),
        body_required=body.get("required", False),
        responses={
            int(status): _response(contract, int(status), each)
            for status, each in card["responses"].items()
        },
        deprecated=card.get("deprecated", False),
    )


def _parameter(contract: Mapping[str, Any], node: Any) -> Parameter:
    found = resolve(contract, node)
    return Parameter(
        name=found["name"],
        location=found["in"],
        required=found.get("required", False),
        description=found.get("description", ""),
        schema=resolve(contract, found["schema"]),
        component=component_name(found["schema"]),
        example=_written(found["example"]) if "example" in found else None,
        excludes=frozenset(found.get("x-excludes", ())),
    )


def component_name(node: Any) -> str | None:
    """Return the name of the component that a reference leads to; None if it is no reference."""
    reference = node.get("$ref") if isinstance(node, Mapping) else None
    return None if reference is None else str(reference).rpartition("/")[2]


def _written(value: Any) -> str:
    return ",".join(value) if isinstance(value, list) else str(value)


def _response(contract: Mapping[str, Any], status: int, node: Any) -> Response:
    found = resolve(contract, node)
    return Response(
        status=status,
        description=found["description"],
        headers={
            name: resolve(contract, header) for name, header in found.get("headers", {}).items()
        },
        content=_content(found),
    )


def _content(node: Mapping[str, Any]) -> dict[str, Schema]:
    return {media_type: each["schema"] for media_type, each in node.get("content", {}).items()}
