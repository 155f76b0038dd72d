"""Generate ``operations.ts`` of ``clients/typescript``: the client's method for each operation."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from openapi.contract import Operation, Parameter, component_name
from openapi.generation.client_operations import (
    IDEMPOTENCY_KEY,
    PAGE,
    first_sentence,
    method_name,
    response_schema,
)
from openapi.generation.types import class_name, is_flag, is_time, query_parameters
from openapi.generation.typescript import HEADER, comment, property_name, typescript_type

IMPORTS = """
import type {{ CallOptions, PageOptions, SendOptions, Time }} from "./calls.js";
import {{ Calls }} from "./calls.js";
import type {{ Pages }} from "./pages.js";
import type {{
{shapes}
}} from "./shapes.js";
"""
CLASS = "\n/** The operations of the API. */\nexport abstract class Operations extends Calls {\n"


def generated_operations(contract: Mapping[str, Any], operations: Sequence[Operation]) -> str:
    """Return the text of ``operations.ts``."""
    options = [_options(operation) for operation in operations if operation.method == "GET"]
    methods = [_method(contract, operation) for operation in operations]
    body = "\n".join([*options, CLASS.strip("\n"), "\n\n".join(methods), "}\n"])
    shapes = "\n".join(
        f"  {name}," for name in sorted(contract["components"]["schemas"]) if _names(body, name)
    )
    head = HEADER.format(words="One method for each operation of the contract.")
    return head + IMPORTS.format(shapes=shapes) + "\n" + body


def _names(text: str, name: str) -> bool:
    return any(f"{before}{name}{after}" in text for before in " <(" for after in "[]>,;)} ")


def camel(name: str) -> str:
    """Return a name of the client in TypeScript: ``requestSource`` for ``request_source``."""
    first, *others = name.split("_")
    return first + "".join(map(str.title, others))


def _options(operation: Operation) -> str:
    """Return the interface of what a method takes by name."""
    paged = _is_paged(operation)
    members = "".join(
        comment(_words(parameter), "  ")
        + f"  {property_name(parameter.name)}?: {_parameter_type(parameter)};\n"
        for parameter in query_parameters(operation)
        if not parameter.required and not (paged and parameter.name in PAGE)
    )
    name, base = _options_name(operation), "PageOptions" if paged else "CallOptions"
    text = f"What {camel(method_name(operation))}() takes by name."
    body = f"{{\n{members}}}" if members else "{}"
    return f"{comment(text)}export interface {name} extends {base} {body}\n"


def _method(contract: Mapping[str, Any], operation: Operation) -> str:
    lines = _get(contract, operation) if operation.method == "GET" else _post(operation)
    return comment(_description(operation), "  ") + "\n".join(f"  {line}" for line in lines)


def _get(contract: Mapping[str, Any], operation: Operation) -> Iterator[str]:
    required = [parameter for parameter in query_parameters(operation) if parameter.required]
    named = f"options: {_options_name(operation)} = {{}}"
    taken = ", ".join([*(f"{one.name}: {_parameter_type(one)}" for one in required), named])
    sent = ", ".join([*(one.name for one in required), "...options"])
    query = f"{{ {sent} }}" if required else "options"
    call = f"({json.dumps(operation.path)}, {query}, {_needs_key(operation)})"
    page = response_schema(operation)
    if _is_paged(operation):
        items = contract["components"]["schemas"][page]["properties"]["items"]["items"]
        types = f"<{page}, {component_name(items)}>"
        yield f"{camel(method_name(operation))}({taken}): Pages{types} {{"
        yield f"  return this.pages{types}{call};"
    else:
        yield f"{camel(method_name(operation))}({taken}): Promise<{page}> {{"
        yield f"  return this.get<{page}>{call};"
    yield "}"


def _post(operation: Operation) -> Iterator[str]:
    answer, body = response_schema(operation), operation.body["application/json"]
    once = any(parameter.name == IDEMPOTENCY_KEY for parameter in operation.parameters)
    options = "SendOptions" if once else "CallOptions"
    taken = f"body: {typescript_type(body)}, options: {options} = {{}}"
    path = json.dumps(operation.path)
    yield f"{camel(method_name(operation))}({taken}): Promise<{answer}> {{"
    yield f"  return this.post<{answer}>({path}, body, options, {json.dumps(once)});"
    yield "}"


def _is_paged(operation: Operation) -> bool:
    return {parameter.name for parameter in query_parameters(operation)}.issuperset(PAGE)


def _needs_key(operation: Operation) -> str:
    """Return whether the client needs a key; without one a sample would look like the list."""
    schema = operation.responses[200].content["application/json"]
    return json.dumps(not operation.public or "oneOf" in schema)


def _options_name(operation: Operation) -> str:
    return f"{class_name(method_name(operation))}Options"


def _parameter_type(parameter: Parameter) -> str:
    if is_flag(parameter):
        return "boolean"
    if is_time(parameter):
        return "Time"
    if parameter.type == "array":
        return f"Iterable<{typescript_type(parameter.schema['items'])}>"
    return parameter.component or typescript_type(parameter.schema)


def _words(parameter: Parameter) -> str:
    return first_sentence(parameter.description)


def _description(operation: Operation) -> str:
    required = [parameter for parameter in query_parameters(operation) if parameter.required]
    words = " ".join(f"`{parameter.name}`: {_words(parameter)}" for parameter in required)
    return f"{operation.summary}.\n\n{words}".strip()
