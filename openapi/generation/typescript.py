"""Generate the types of ``clients/typescript``: the schemas of the contract, and its errors."""

import json
import re
import textwrap
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from openapi.contract import Schema, component_name
from openapi.generation.errors import GeneratorFailed

WIDTH = 96
HEADER = """\
// {words}
//
// Generated and never edited. Change openapi.yaml, then run `changewire contract update` at the
// top of the checkout.
"""
SIMPLE = {"string": "string", "integer": "number", "number": "number", "boolean": "boolean"}
_NAME = re.compile(r"[A-Za-z_$][A-Za-z0-9_$]*", re.ASCII)


def generated_types(contract: Mapping[str, Any]) -> str:
    """Return the text of ``shapes.ts``."""
    schemas = contract["components"]["schemas"]
    parts = [
        HEADER.format(words="The shapes of the contract: what requests and answers look like.")
    ]
    parts += [_declaration(name, schema) for name, schema in schemas.items()]
    return "\n".join(parts)


def generated_codes(contract: Mapping[str, Any]) -> str:
    """Return the text of ``codes.ts``: a class for each code of an error."""
    codes = contract["components"]["schemas"]["ErrorCode"]["x-extensible-enum"]
    classes = [
        f"/** The API answered `{code}`. */\nexport class {_class(code)} extends ApiError {{\n"
        f'  override readonly name = "{_class(code)}";\n}}\n'
        for code in codes
    ]
    listed = [
        "/** The class of each code. A code of a later contract is an ApiError. */",
        "export const ERRORS: Readonly<Record<string, typeof ApiError>> = {",
        *(f"  {code}: {_class(code)}," for code in codes),
        "};\n",
    ]
    head = HEADER.format(words="The errors of the contract: a class for each code.")
    return "\n".join([head, 'import { ApiError } from "./errors.js";\n', *classes, *listed])


def comment(text: str, indent: str = "") -> str:
    """Return a text as a comment that editors show."""
    lines = [
        line
        for paragraph in text.replace("*/", "* /").strip().split("\n\n")
        for line in ["", *textwrap.wrap(" ".join(paragraph.split()), WIDTH - len(indent))]
    ][1:]
    if len(lines) == 1:
        return f"{indent}/** {lines[0]} */\n"
    body = "".join(f"{indent} * {line}".rstrip() + "\n" for line in lines)
    return f"{indent}/**\n{body}{indent} */\n"


def typescript_type(schema: Schema, indent: str = "") -> str:
    """Return the type of a value. Raises GeneratorFailed for a schema that it does not know."""
    name = component_name(schema)
    if name is not None:
        return name
    written = _type(schema, indent)
    return f"{written} | null" if schema.get("nullable") and written != "null" else written


def property_name(name: str) -> str:
    """Return a name as it is written in an object type."""
    return name if _NAME.fullmatch(name) else json.dumps(name)


def _type(schema: Schema, indent: str) -> str:
    kind = schema.get("type")
    if "enum" in schema:
        return _union(map(json.dumps, schema["enum"]), indent)
    if "x-extensible-enum" in schema:  # texts that editors propose, and any other
        return _union([*map(json.dumps, schema["x-extensible-enum"]), "(string & {})"], indent)
    if "oneOf" in schema:
        return _union((typescript_type(part, indent) for part in schema["oneOf"]), indent)
    if kind == "array":
        item = typescript_type(schema["items"], indent)
        return f"Array<{item}>"
    if kind == "object":
        return _object(schema, indent)
    if kind not in SIMPLE:
        raise GeneratorFailed(f"TypeScript: no type for a schema with {', '.join(schema)}")
    return SIMPLE[kind]


def _union(types: Iterable[str], indent: str) -> str:
    variants = list(dict.fromkeys(types))
    line = " | ".join(variants)
    below = f"\n{indent}  | "
    return line if len(line) < WIDTH // 2 else below + below.join(variants)


def _object(schema: Schema, indent: str) -> str:
    if "properties" not in schema:
        values = schema.get("additionalProperties", True)
        kind = "unknown" if isinstance(values, bool) else typescript_type(values, indent)
        return f"{{ [name: string]: {kind} }}"
    return "{\n" + "".join(_members(schema, indent + "  ")) + indent + "}"


def _members(schema: Schema, indent: str) -> Iterator[str]:
    required = schema.get("required", ())
    for name, member in schema["properties"].items():
        if "description" in member:
            yield comment(member["description"], indent)
        written = typescript_type(member, indent)
        mark = ("" if name in required else "?") + (":" if written.startswith("\n") else ": ")
        yield f"{indent}{property_name(name)}{mark}{written};\n"


def _declaration(name: str, schema: Schema) -> str:
    words = comment(schema["description"]) if "description" in schema else ""
    if schema.get("type") == "object" and "properties" in schema:
        return f"{words}export interface {name} {_object(schema, '')}\n"
    written = typescript_type(schema)
    space = "" if written.startswith("\n") else " "
    return f"{words}export type {name} ={space}{written};\n"


def _class(code: str) -> str:
    return "".join(map(str.title, code.split("_")))
