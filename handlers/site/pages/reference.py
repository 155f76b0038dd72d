"""The API reference under /docs: a list of the operations, and a page for each of them."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Final
from urllib.parse import urlencode

from flask import Blueprint, render_template
from markupsafe import Markup

from contract_diff.parse import METHODS
from handlers.site.error_pages import or_404
from handlers.site.prose import as_html, as_inline_html
from handlers.site.samples import samples_of, tabs_of
from handlers.site.services import site_services
from openapi.contract import base_path, component_name, examples_in, load_contract, resolve
from openapi.strictness import choices

reference = Blueprint("reference", __name__)
JSON: Final = "application/json"
NEEDED: Final = {"list_upgrades": "purl"}
"""What a sample sends although the contract requires it not: one of two parameters is enough."""
FILES: Final = {"export_entries": "entries.csv", "download_bulk": "changewire.jsonl.zst"}
"""Where a sample writes what is no JSON."""
_FORMATS: Final = {"date-time": "time", "date": "day", "uri": "URL", "email": "email address"}


@dataclass(frozen=True, slots=True)
class FieldView:
    """A parameter or a field. ``kind`` says in words what it takes; ``choices`` may be empty."""

    name: str
    kind: str
    description: Markup
    required: bool
    choices: tuple[str, ...]
    example: str


Objects = dict[str, tuple[Markup, list[FieldView]]]
"""Objects of the API by name, each with its description and its fields."""


@dataclass(frozen=True, slots=True)
class OperationView:
    """One operation. ``body`` holds the fields of its request body, ``sent`` an example of one.

    ``responses``: status, description, and the example of one that is not a refusal. ``objects``:
    those that a response has in it.
    """

    id: str
    method: str
    path: str
    summary: str
    description: Markup
    needs_key: bool
    parameters: list[FieldView]
    body: list[FieldView]
    sent: Mapping[str, Any] | None
    responses: list[tuple[str, Markup, Markup | None]]
    objects: Objects


Group = tuple[str, Markup, list[OperationView]]
"""The operations of one tag, with its name and description."""


@reference.get("/docs")
def page() -> str:
    """List the operations."""
    address = f"{site_services().site_url}{base_path()}"
    important = samples_of(f"{address}/important?limit=5")
    entries = samples_of(f"{address}/entries?sources=kubernetes.kubernetes", "cw_…")
    return render_template(
        "reference.html",
        without_key=tabs_of("without", "A request without a key", important),
        with_key=tabs_of("with-key", "A request with a key", entries),
        base=base_path(),
        introduction=as_html(load_contract()["info"]["description"]),
        groups=arranged(),
    )


@reference.get("/docs/<operation_id>")
def show(operation_id: str) -> str:
    """Show an operation: what it takes and returns, as code, and to try out."""
    operations = {each.id: each for *_, of_group in arranged() for each in of_group}
    operation = or_404(operations.get(operation_id))
    return render_template(
        "operation.html",
        operation=operation,
        sample=sample_of(operation, f"{site_services().site_url}{base_path()}"),
        base=base_path(),
        groups=arranged(),
    )


def sample_of(operation: OperationView, address: str) -> Markup:
    """Return how an operation is called: what it requires filled in with the examples."""
    needed = NEEDED.get(operation.id)
    required = {
        field.name: field.example
        for field in operation.parameters
        if field.required or field.name == needed
    }
    url = f"{address}{operation.path}"
    url += f"?{urlencode(required, safe=',')}" if required else ""
    key = "cw_…" if operation.needs_key else None
    samples = samples_of(url, key, operation.sent, file=FILES.get(operation.id, ""))
    return tabs_of(operation.id, f"{operation.method} {operation.path}", samples)


@cache
def arranged() -> tuple[Group, ...]:
    """Return the contract's operations by tag, in its order, arranged once."""
    contract = load_contract()
    operations = [
        (item[method]["tags"], _operation(contract, method, path, item[method]))
        for path, item in contract["paths"].items()
        for method in METHODS
        if method in item
    ]
    return tuple(
        (
            tag["name"].capitalize(),
            as_inline_html(tag["description"]),
            [view for tags, view in operations if tag["name"] in tags],
        )
        for tag in contract["tags"]
    )


def _operation(
    contract: Mapping[str, Any], method: str, path: str, card: Mapping[str, Any]
) -> OperationView:
    body = resolve(contract, card.get("requestBody", {})).get("content", {}).get(JSON)
    responses = {status: resolve(contract, node) for status, node in card["responses"].items()}
    objects: Objects = {}
    for status, response in responses.items():
        if status.startswith("2"):
            answer = response.get("content", {}).get(JSON, {})
            _collect_objects(contract, answer.get("schema", {}), objects)
    return OperationView(
        id=card["operationId"],
        method=method.upper(),
        path=path,
        summary=card["summary"],
        description=as_html(card["description"]),
        needs_key={} not in card["security"],
        parameters=[_parameter(contract, parameter) for parameter in card.get("parameters", [])],
        body=list(_fields(contract, resolve(contract, body["schema"]))) if body else [],
        sent=next(iter(body["examples"].values()))["value"] if body else None,
        responses=[_response(status, response) for status, response in responses.items()],
        objects=objects,
    )


def _collect_objects(contract: Mapping[str, Any], node: Mapping[str, Any], found: Objects) -> None:
    """Add the objects with names that a schema has in it, the outermost first."""
    name, schema = component_name(node), resolve(contract, node)
    if name in found:
        return
    if name and "properties" in schema:
        description = as_inline_html(schema["description"])
        found[name] = description, list(_fields(contract, schema))
    inner = [*schema.get("properties", {}).values(), *schema.get("oneOf", ())]
    for child in [*inner, schema["items"]] if "items" in schema else inner:
        _collect_objects(contract, child, found)


def _response(status: str, response: Mapping[str, Any]) -> tuple[str, Markup, Markup | None]:
    examples = response.get("content", {}).get(JSON, {}).get("examples", {})
    first = next(iter(examples.values()), None) if status.startswith("2") else None
    written = None
    if first is not None:  # its quotation marks stay: escaped they weigh 5 kB
        code = json.dumps(first["value"], indent=2, ensure_ascii=False)
        written = Markup('"').join(code.split('"'))
    return status, as_inline_html(response["description"]), written


def _parameter(contract: Mapping[str, Any], node: Mapping[str, Any]) -> FieldView:
    parameter = resolve(contract, node)
    example = next(iter(examples_in(parameter)), "")
    return FieldView(
        name=parameter["name"],
        kind=_kind(contract, parameter["schema"]),
        description=as_inline_html(parameter["description"]),
        required=parameter.get("required", False),
        choices=_choices(contract, parameter["schema"]),
        example=",".join(example) if isinstance(example, list) else str(example),
    )


def _fields(contract: Mapping[str, Any], schema: Mapping[str, Any]) -> Iterator[FieldView]:
    for name, node in schema.get("properties", {}).items():
        field = resolve(contract, node)
        yield FieldView(
            name=name,
            kind=_kind(contract, node),
            description=as_inline_html(field.get("description", "")),
            required=name in schema.get("required", ()),
            choices=_choices(contract, node),
            example=str(field.get("example", "")),
        )


def _kind(contract: Mapping[str, Any], node: Mapping[str, Any]) -> str:
    """Return in words what a schema takes; objects by their name."""
    schema = resolve(contract, node)
    if "properties" in schema and "$ref" in node:
        return component_name(node) or ""
    if schema.get("type") == "array":
        return f"list of {_kind(contract, schema['items'])}"
    words = _FORMATS.get(schema.get("format", ""), schema.get("type", "one of several types"))
    if "minimum" in schema:
        words += f" from {schema['minimum']}"
    if schema.get("maximum", 2**31) < 2**31:
        words += f" to {schema['maximum']}"
    if "default" in schema:
        words += f", default {schema['default']}"
    return f"{words} or null" if schema.get("nullable") else str(words)


def _choices(contract: Mapping[str, Any], node: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(map(str, choices(resolve(contract, node))))
