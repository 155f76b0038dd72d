"""The API reference under /docs: a list of the operations, and a page for each of them."""

import json
from collections.abc import Mapping
from typing import Any, Final, NamedTuple
from urllib.parse import urlencode

from flask import Blueprint, render_template
from markupsafe import Markup

from handlers.site.error_pages import or_404
from handlers.site.samples import samples_of, tabs_of
from handlers.site.services import site_services
from openapi.contract import (
    Operation,
    base_path,
    component_name,
    load_contract,
    load_operations,
    resolve,
)
from openapi.strictness import choices

reference = Blueprint("reference", __name__)
CONTRACT: Final = load_contract()
JSON: Final = "application/json"
NEEDED: Final = {"list_upgrades": "purl"}
"""What a sample sends although the contract requires it not: one of two parameters is enough."""
FILES: Final = {"export_entries": "entries.csv", "download_bulk": "changewire.jsonl.zst"}
"""Where a sample writes what is no JSON."""
_FORMATS: Final = {"date-time": "time", "date": "day", "uri": "URL", "email": "email address"}


class Field(NamedTuple):
    """A parameter or a field. ``kind`` says in words what it takes; ``choices`` may be empty."""

    name: str
    kind: str
    description: str
    required: bool
    choices: tuple[str, ...]
    example: str


Objects = dict[str, tuple[str, list[Field]]]
"""Objects of the API by name, each with its description and its fields."""


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
        introduction=CONTRACT["info"]["description"],
        tags=CONTRACT["tags"],
        operations=load_operations(),
    )


@reference.get("/docs/<operation_id>")
def show(operation_id: str) -> str:
    """Show an operation: what it takes and returns, as code, and to try out."""
    operations = {each.operation_id: each for each in load_operations()}
    operation = or_404(operations.get(operation_id))
    return render_template(
        "operation.html",
        operation=operation,
        parameters=parameters_of(operation),
        body=fields_of(operation.body.get(JSON, {})),
        objects=objects_of(operation),
        sample=sample_of(operation, f"{site_services().site_url}{base_path()}"),
        base=base_path(),
        operations=load_operations(),
        as_json=as_json,
    )


def sample_of(operation: Operation, address: str) -> Markup:
    """Return how an operation is called: what it requires filled in with the examples."""
    id_ = operation.operation_id
    required = {
        each.name: each.example
        for each in operation.parameters
        if each.required or each.name == NEEDED.get(id_)
    }
    url = f"{address}{operation.path}"
    url += f"?{urlencode(required, safe=',')}" if required else ""
    key = None if operation.public else "cw_…"
    samples = samples_of(url, key, operation.example, file=FILES.get(id_, ""))
    return tabs_of(id_, f"{operation.method} {operation.path}", samples)


def as_json(value: Any) -> Markup:
    """Return a value as JSON for a page; its quotation marks stay: escaped they weigh 5 kB."""
    return Markup('"').join(json.dumps(value, indent=2, ensure_ascii=False).split('"'))


def objects_of(operation: Operation) -> Objects:
    """Return the objects that the responses of an operation have in them, the outermost first."""
    found: Objects = {}
    for response in operation.responses.values():
        if response.status < 300:
            _collect_objects(response.content.get(JSON, {}), found)
    return found


def _collect_objects(node: Mapping[str, Any], found: Objects) -> None:
    """Add the objects with names that a schema has in it."""
    name, schema = component_name(node), resolve(CONTRACT, node)
    if name in found:
        return
    if name and "properties" in schema:
        found[name] = schema["description"], fields_of(schema)
    inner = [*schema.get("properties", {}).values(), *schema.get("oneOf", ())]
    for child in [*inner, schema["items"]] if "items" in schema else inner:
        _collect_objects(child, found)


def parameters_of(operation: Operation) -> list[Field]:
    """Return the parameters of an operation."""
    return [
        _field(each.name, each.schema, each.description, each.required, each.example or "")
        for each in operation.parameters
    ]


def fields_of(node: Mapping[str, Any]) -> list[Field]:
    """Return the fields of an object."""
    schema, fields = resolve(CONTRACT, node), []
    for name, each in schema.get("properties", {}).items():
        known = resolve(CONTRACT, each)
        example, is_required = str(known.get("example", "")), name in schema.get("required", ())
        fields.append(_field(name, each, known.get("description", ""), is_required, example))
    return fields


def _field(name: str, node: Any, description: str, required: bool, example: str) -> Field:
    values = tuple(map(str, choices(resolve(CONTRACT, node))))
    return Field(name, _kind(node), description, required, values, example)


def _kind(node: Mapping[str, Any]) -> str:
    """Say in words what a schema takes; objects by their name."""
    schema = resolve(CONTRACT, node)
    if "properties" in schema and "$ref" in node:
        return component_name(node) or ""
    if schema.get("type") == "array":
        return f"list of {_kind(schema['items'])}"
    words = _FORMATS.get(schema.get("format", ""), schema.get("type", "one of several types"))
    if "minimum" in schema:
        words += f" from {schema['minimum']}"
    if schema.get("maximum", 2**31) < 2**31:
        words += f" to {schema['maximum']}"
    if "default" in schema:
        words += f", default {schema['default']}"
    return f"{words} or null" if schema.get("nullable") else str(words)
