"""Schemas of the contract, turned into JSON Schema and compiled.

OpenAPI 3.0 writes schemas in a dialect: ``nullable`` instead of a null type, and a ``$ref``
hides what stands beside it. Validators know JSON Schema only, so both are spelled out first.
"""

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Final

import orjson
from jsonschema_rs import Draft202012Validator

from openapi.contract import Schema

_REFERENCE: Final = re.compile(rb'"\$ref":"#/\$defs/([^"]+)"')
_LISTS_OF_SCHEMAS = ("allOf", "anyOf", "oneOf")
_SCHEMAS = ("items", "not", "additionalProperties")
_CHECKED = (
    *("type", "enum", "format", "pattern", "minLength", "maxLength", "minimum", "maximum"),
    *("multipleOf", "minItems", "maxItems", "uniqueItems", "required"),
)
_NO_NUL = r"^[^\x00]*$"
"""The pattern of text that a database can hold: PostgreSQL stores no NUL."""
_NUL = {"type": "string", "pattern": r"\x00"}
"""Not to match this takes half as long as to match all characters of a long text."""
READ = frozenset({*_CHECKED, *_SCHEMAS, *_LISTS_OF_SCHEMAS, "properties", "nullable", "$ref"})
"""Keywords that mean something to a compiled schema; every other one is passed over."""


def as_json_schema(schema: Schema) -> dict[str, Any]:
    """Return ``schema`` as JSON Schema 2020-12 that refers to ``#/$defs/…``; prose is left out."""
    if "$ref" in schema:
        return {"$ref": schema["$ref"].replace("#/components/schemas/", "#/$defs/")}
    converted = {name: schema[name] for name in _CHECKED if name in schema}
    if schema.get("pattern") == _NO_NUL:
        del converted["pattern"]
        converted["not"] = _NUL
    for name in _SCHEMAS:
        if name in schema:
            inner = schema[name]
            converted[name] = as_json_schema(inner) if isinstance(inner, Mapping) else inner
    for name in _LISTS_OF_SCHEMAS:
        if name in schema:
            converted[name] = [as_json_schema(part) for part in schema[name]]
    if "properties" in schema:
        converted["properties"] = {
            name: as_json_schema(part) for name, part in schema["properties"].items()
        }
    if schema.get("nullable"):
        _admit_null(converted)
    return converted


def _admit_null(converted: dict[str, Any]) -> None:
    if "type" in converted:
        converted["type"] = [converted["type"], "null"]
    if "enum" in converted:
        converted["enum"] = [*converted["enum"], None]


def self_contained(schema: Schema, contract: Mapping[str, Any]) -> dict[str, Any]:
    """Return ``schema`` as JSON Schema together with the component schemas that it leads to."""
    components = contract.get("components", {}).get("schemas", {})
    converted, definitions = as_json_schema(schema), dict[str, Any]()
    left = [converted]
    while left:
        for name in _REFERENCE.findall(orjson.dumps(left.pop())):
            part = name.decode()
            if part in components and part not in definitions:
                definitions[part] = as_json_schema(components[part])
                left.append(definitions[part])
    return {**converted, "$defs": definitions}


def compiled(schema: Schema, contract: Mapping[str, Any]) -> Draft202012Validator:
    """Return a validator for ``schema`` that checks formats too, the same for equal schemas."""
    return _validator(orjson.dumps(self_contained(schema, contract)))


@lru_cache(maxsize=1_000)
def _validator(schema: bytes) -> Draft202012Validator:
    return Draft202012Validator(orjson.loads(schema), validate_formats=True)
