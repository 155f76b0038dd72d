"""Load the contract: as a dictionary, as bytes, as operations.

``openapi.yaml`` beside this module is what people edit. ``openapi.json`` is made from it by
``changewire contract update``, since YAML takes twenty times as long to read (docs/decisions/0001).
"""

import re
from collections.abc import Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass
from functools import cache
from http import HTTPMethod
from importlib.resources import files
from keyword import iskeyword
from typing import Any, Final, TypeAlias

import orjson

UNITS: Final = 60_000
"""Cost units of a key or an address per minute: 1,000 ordinary requests a second."""
Schema: TypeAlias = Mapping[str, Any]
"""A schema of OpenAPI 3.0; its references point into the contract."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter of an operation. ``example`` is a value as written in a URL.

    ``type`` is the JSON type of its value, ``component`` the schema under components that it refers
    to.
    """

    name: str
    location: str
    required: bool
    description: str
    schema: Schema
    type: str
    component: str | None
    example: str | None

    @property
    def python_name(self) -> str:
        """The name in Python: ``adapter_type`` for ``adapterType``."""
        return python_name(self.name)


@dataclass(frozen=True, slots=True)
class Response:
    """A response of an operation: its headers, its schemas by media type, an example in JSON."""

    status: int
    description: str
    headers: Mapping[str, Mapping[str, Any]]
    content: Mapping[str, Schema]
    example: Any = None


@dataclass(frozen=True, slots=True)
class Operation:
    """An operation of the API.

    ``security`` lists the alternatives, each with the names of its schemes; an empty one means
    that no key is needed. ``body`` maps media types to schemas, ``example`` is one in JSON;
    ``body_limit`` are the bytes that it may have. ``cost``: units of the allowance that a request
    costs.
    """

    operation_id: str
    method: str
    path: str
    tag: str
    summary: str
    description: str
    security: tuple[tuple[str, ...], ...]
    parameters: tuple[Parameter, ...]
    body: Mapping[str, Schema]
    body_required: bool
    example: Any
    responses: Mapping[int, Response]
    deprecated: bool
    cost: int
    body_limit: int | None

    @property
    def public(self) -> bool:
        """Return True if no key is needed."""
        return not self.security or () in self.security


def python_name(name: str) -> str:
    """Return a name of the contract in snake case: ``adapter_type`` for ``adapterType``.

    A word of Python's own gets an underscore: ``from_``.
    """
    snake = re.sub(r"(?<=[a-z0-9])([A-Z])", r"_\1", name).replace("-", "_").lower()
    return f"{snake}_" if iskeyword(snake) else snake


@cache
def contract_text() -> bytes:
    """Return the contract as YAML, for ``/openapi.yaml``."""
    return files(__package__).joinpath("openapi.yaml").read_bytes()


@cache
def contract_json() -> bytes:
    """Return the contract as JSON, for ``/openapi.json``."""
    return files(__package__).joinpath("openapi.json").read_bytes()


@cache
def _parsed() -> dict[str, Any]:
    contract: dict[str, Any] = orjson.loads(contract_json())
    return contract


def load_contract() -> dict[str, Any]:
    """Return a copy of the contract that the caller may change."""
    return deepcopy(_parsed())


@cache
def load_operations() -> tuple[Operation, ...]:
    """Return the operations of the contract, in its order."""
    return tuple(operations_of(_parsed()))


def base_path() -> str:
    """Return the path prefix of all operations: ``/api/v1``."""
    return base_path_of(_parsed())


def base_path_of(contract: Mapping[str, Any]) -> str:
    """Return the path prefix of the operations of any contract."""
    return str(contract["servers"][0]["url"]).rstrip("/")


def operations_of(contract: Mapping[str, Any]) -> Iterator[Operation]:
    """Yield the operations of any contract whose references are all local."""
    for path, item in contract["paths"].items():
        for method in map(str.lower, HTTPMethod):
            if method in item:
                shared = item.get("parameters", [])
                node = item[method] | {"parameters": [*shared, *item[method].get("parameters", [])]}
                yield _operation(contract, path, method, node)


def resolve(contract: Mapping[str, Any], node: Any) -> Any:
    """Return what ``node`` refers to, or ``node`` itself; references inside it stay.

    Raises KeyError when the reference does not exist or is circular.
    """
    visited: set[str] = set()
    while isinstance(node, Mapping) and "$ref" in node:
        if node["$ref"] in visited:
            raise KeyError(node["$ref"])
        visited.add(node["$ref"])
        target: Any = contract
        for step in node["$ref"].removeprefix("#/").split("/"):
            target = target[step.replace("~1", "/").replace("~0", "~")]
        node = target
    return node


def _operation(
    contract: Mapping[str, Any], path: str, method: str, node: Mapping[str, Any]
) -> Operation:
    body = resolve(contract, node.get("requestBody", {}))
    security = node.get("security", contract.get("security", []))
    return Operation(
        operation_id=node["operationId"],
        method=method.upper(),
        path=path,
        tag=node["tags"][0],
        summary=node["summary"],
        description=node.get("description", ""),
        security=tuple(tuple(alternative) for alternative in security),
        parameters=tuple(_parameter(contract, parameter) for parameter in node["parameters"]),
        body=_content(body),
        body_required=body.get("required", False),
        example=_example(body),
        responses={
            int(status): _response(contract, int(status), response)
            for status, response in node["responses"].items()
        },
        deprecated=node.get("deprecated", False),
        cost=node.get("x-cost", 1),
        body_limit=node.get("x-body-limit"),
    )


def _parameter(contract: Mapping[str, Any], node: Any) -> Parameter:
    parameter = resolve(contract, node)
    schema = resolve(contract, parameter["schema"])
    return Parameter(
        name=parameter["name"],
        location=parameter["in"],
        required=parameter.get("required", False),
        description=parameter.get("description", ""),
        schema=schema,
        type=schema["type"],
        component=component_name(parameter["schema"]),
        example=next(map(_as_text, examples_in(parameter)), None),
    )


def examples_in(parameter: Mapping[str, Any]) -> list[Any]:
    """Return the examples of a parameter or a field, the one or those with names."""
    named = [example["value"] for example in parameter.get("examples", {}).values()]
    return [parameter["example"]] if "example" in parameter else named


def component_name(node: Any) -> str | None:
    """Return the name of the component that a node refers to; None if it is no reference."""
    reference = node.get("$ref") if isinstance(node, Mapping) else None
    return None if reference is None else str(reference).rpartition("/")[2]


def _as_text(value: Any) -> str:
    return ",".join(value) if isinstance(value, list) else str(value)


def _response(contract: Mapping[str, Any], status: int, node: Any) -> Response:
    response = resolve(contract, node)
    return Response(
        status=status,
        description=response["description"],
        headers={
            name: resolve(contract, header) for name, header in response.get("headers", {}).items()
        },
        content=_content(response),
        example=_example(response),
    )


def _content(node: Mapping[str, Any]) -> dict[str, Schema]:
    return {media_type: body["schema"] for media_type, body in node.get("content", {}).items()}


def _example(node: Mapping[str, Any]) -> Any:
    examples = node.get("content", {}).get("application/json", {}).get("examples", {})
    return next((example["value"] for example in examples.values()), None)
