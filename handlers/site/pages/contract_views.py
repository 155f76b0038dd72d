"""The contract arranged for reading: operations by tag, objects by name. Pure."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from markupsafe import Markup

from contract_diff.parse import METHODS
from handlers.site.prose import as_html, as_inline_html
from openapi.contract import resolve
from openapi.strictness import choices

JSON: Final = "application/json"
_FORMATS: Final = {"date-time": "time", "date": "day", "uri": "address", "email": "e-mail address"}


@dataclass(frozen=True, slots=True)
class FieldView:
    """A parameter or a field. ``kind`` says in words what it takes; ``choices`` may be empty."""

    name: str
    kind: str
    description: Markup
    required: bool
    choices: tuple[str, ...]
    example: str


@dataclass(frozen=True, slots=True)
class ResponseView:
    """A response of an operation; one that is no refusal with an example, if it has one."""

    status: str
    description: Markup
    example: Markup | None


@dataclass(frozen=True, slots=True)
class OperationView:
    """One operation. ``body`` holds the fields of its request body."""

    id: str
    method: str
    path: str
    summary: str
    description: Markup
    needs_key: bool
    parameters: tuple[FieldView, ...]
    body: tuple[FieldView, ...]
    responses: tuple[ResponseView, ...]


@dataclass(frozen=True, slots=True)
class GroupView:
    """The operations of one tag."""

    name: str
    description: Markup
    operations: tuple[OperationView, ...]


@dataclass(frozen=True, slots=True)
class ObjectView:
    """An object in responses."""

    name: str
    description: Markup
    fields: tuple[FieldView, ...]


def groups_of(contract: Mapping[str, Any]) -> Iterator[GroupView]:
    """Yield the operations of a contract by tag, in the order it lists the tags."""
    operations = list(_operations(contract))
    for tag in contract["tags"]:
        own = tuple(view for tags, view in operations if tag["name"] in tags)
        yield GroupView(tag["name"].capitalize(), as_inline_html(tag["description"]), own)


def objects_of(contract: Mapping[str, Any]) -> Iterator[ObjectView]:
    """Yield the objects of a contract, in its order."""
    for name, schema in contract["components"]["schemas"].items():
        if "properties" in schema:
            fields = tuple(_fields(contract, schema))
            yield ObjectView(name, as_inline_html(schema["description"]), fields)


def _operations(contract: Mapping[str, Any]) -> Iterator[tuple[Sequence[str], OperationView]]:
    for path, item in contract["paths"].items():
        for method in METHODS:
            if method in item:
                yield item[method]["tags"], _operation(contract, method, path, item[method])


def _operation(
    contract: Mapping[str, Any], method: str, path: str, card: Mapping[str, Any]
) -> OperationView:
    body = resolve(contract, card.get("requestBody", {})).get("content", {}).get(JSON)
    schema = resolve(contract, body["schema"]) if body else {}
    responses = (
        _response(status, resolve(contract, node)) for status, node in card["responses"].items()
    )
    return OperationView(
        id=card["operationId"],
        method=method.upper(),
        path=path,
        summary=card["summary"],
        description=as_html(card["description"]),
        needs_key={} not in card["security"],
        parameters=tuple(
            _parameter(contract, parameter) for parameter in card.get("parameters", [])
        ),
        body=tuple(_fields(contract, schema)),
        responses=tuple(responses),
    )


def _response(status: str, response: Mapping[str, Any]) -> ResponseView:
    examples = response.get("content", {}).get(JSON, {}).get("examples", {})
    first = next(iter(examples.values()), None) if status.startswith("2") else None
    written = None if first is None else _as_code(first["value"])
    return ResponseView(status, as_inline_html(response["description"]), written)


def _as_code(value: Any) -> Markup:
    """Return a value as indented JSON whose quotation marks stay: escaped they weigh 5 kB."""
    return Markup('"').join(json.dumps(value, indent=2, ensure_ascii=False).split('"'))


def _parameter(contract: Mapping[str, Any], node: Mapping[str, Any]) -> FieldView:
    parameter = resolve(contract, node)
    example = parameter.get("example", "")
    return FieldView(
        name=parameter["name"],
        kind=_kind(contract, parameter["schema"]),
        description=as_inline_html(parameter["description"]),
        required=parameter.get("required", False),
        choices=_choices(contract, parameter["schema"]),
        example=",".join(example) if isinstance(example, list) else str(example),
    )


def _fields(contract: Mapping[str, Any], schema: Mapping[str, Any]) -> Iterator[FieldView]:
    required = schema.get("required", ())
    for name, node in schema.get("properties", {}).items():
        field = resolve(contract, node)
        yield FieldView(
            name=name,
            kind=_kind(contract, node),
            description=as_inline_html(field.get("description", "")),
            required=name in required,
            choices=_choices(contract, node),
            example=str(field.get("example", "")),
        )


def _kind(contract: Mapping[str, Any], node: Mapping[str, Any]) -> str:
    """Say in words what a schema takes; objects by their name."""
    schema = resolve(contract, node)
    if "properties" in schema and "$ref" in node:
        return str(node["$ref"]).rpartition("/")[2]
    if schema.get("type") == "array":
        return f"list of {_kind(contract, schema['items'])}"
    words = _FORMATS.get(schema.get("format", ""), schema.get("type", "one of several types"))
    if "minimum" in schema:
        words += f" from {schema['minimum']}"
    if schema.get("maximum", 2**31) < 2**31:
        words += f" to {schema['maximum']}"
    if "default" in schema:
        words += f", {schema['default']} unless told"
    return f"{words} or null" if schema.get("nullable") else str(words)


def _choices(contract: Mapping[str, Any], node: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(map(str, choices(resolve(contract, node))))
