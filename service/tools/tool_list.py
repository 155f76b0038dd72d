"""The tools' names, descriptions and schemas: tools.toml, and the parameters of the contract."""

import tomllib
from collections.abc import Mapping
from importlib.resources import files
from typing import Any, Final

from mcp_types import Tool, ToolAnnotations

from openapi.contract import Parameter, load_contract, load_operations, resolve
from openapi.generation.types import is_flag

PAGE: Final = 20
TIMES: Final[Mapping[str, dict[str, Any]]] = {
    "since": {"type": "string", "description": "After this: 7d, 12h, ISO 8601."},
    "until": {"type": "string"},
}
OUTPUT: Final = {"type": "object", "required": ["total", "items", "truncated", "next_offset"]}
READS: Final = ToolAnnotations(read_only_hint=True)
REQUESTS: Final = ToolAnnotations(
    read_only_hint=False, destructive_hint=False, idempotent_hint=True
)
REQUESTING: Final = "request_source"
LEFT_TO_THE_API: Final = frozenset({"minLength", "minItems"})
LEFT_OUT: Final = frozenset({"description", "example", "format"})
"""What a schema says to people, or what its other keywords say as well."""
_CONTRACT: Final = load_contract()
UNTOLD: Final = (("pattern", r"^[^\x00]*$"), ("pattern", r'^[^\x00-\x1f\x7f",\\]*$'))
_LIST: Final = tomllib.loads((files(__package__) / "tools.toml").read_text(encoding="utf-8"))
INSTRUCTIONS: Final[str] = _LIST["instructions"]
NEXT: Final[Mapping[str, str]] = _LIST["next"]
"""The next step for each code of an error."""


def _tool(row: Mapping[str, Any]) -> Tool:
    changes = {"limit": {"default": PAGE}} if "operation" in row else {}
    changes |= row.get("changes", {})
    properties = _parameters(row) | without_references(row.get("properties", {}))
    told = {name: {**schema, **changes.get(name, {})} for name, schema in properties.items()}
    schema = {"type": "object", "properties": told, "additionalProperties": False}
    required = {"required": row["required"]} if "required" in row else {}
    return Tool(
        name=row["name"],
        description=row["description"],
        input_schema={**schema, **required},
        output_schema=OUTPUT,
        annotations=REQUESTS if row["name"] == REQUESTING else READS,
    )


def _parameters(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return the schemas of the parameters that a tool has of its operation."""
    return {
        parameter.name: _schema(parameter)
        for operation in load_operations()
        if operation.operation_id == row.get("operation")
        for parameter in operation.parameters
        if parameter.name not in row.get("without", ())
    }


def _schema(parameter: Parameter) -> dict[str, Any]:
    """Return the schema of a parameter; a flag is true or false here."""
    if is_flag(parameter):
        return {"type": "boolean"}
    return TIMES.get(parameter.name) or _short(parameter.schema)


def _short(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return a schema without what no agent needs to know; the API still refuses the rest."""
    return {
        name: _short(value) if name == "items" else value
        for name, value in without_references(schema).items()
        if name not in LEFT_TO_THE_API and (name, value) not in UNTOLD
    }


def without_references(node: Any) -> Any:
    """Return a schema of the contract with its references resolved, and without words."""
    node = resolve(_CONTRACT, node)
    if isinstance(node, Mapping):
        return {
            name: without_references(part) for name, part in node.items() if name not in LEFT_OUT
        }
    return [without_references(part) for part in node] if isinstance(node, list) else node


TOOLS: Final = {row["name"]: _tool(row) for row in _LIST["tool"]}
