"""Generate ``client/operations.py``: the client's method for each operation."""

import re
import textwrap
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from openapi import vocabulary
from openapi.contract import (
    Operation,
    Parameter,
    component_name,
    operations_of,
    python_name,
    resolve,
)
from openapi.generation.errors import GeneratorFailed
from openapi.generation.types import class_name, is_flag, is_time, python_type, query_parameters

PAGE = ("limit", "offset")
CURSOR = "after"
"""The parameter of a cursor; it makes a method of its own."""
IDEMPOTENCY_KEY = "Idempotency-Key"
"""The header of a request that may be sent twice; the client makes one of its own."""
HEADER = '''"""One method for each operation of the contract.

Generated and never edited. Change openapi.yaml, then run `changewire contract update` at the top
of the checkout.
"""

from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Literal

from client.calls import Calls, flag, instant, items, new_idempotency_key
from client.follow import News
from client.pages import Pages
from openapi.queries import {queries}
from openapi.shapes import {shapes}
from openapi.vocabulary import {words}


class Operations(Calls):
    """The operations of the API."""
'''


@dataclass(frozen=True, slots=True)
class Argument:
    """An argument of a method. ``value`` is the expression that the query gets."""

    name: str
    type: str
    value: str
    default: str | None = None

    def __str__(self) -> str:
        return f"{self.name}: {self.type}" + (f" = {self.default}" if self.default else "")


def generated_client(contract: Mapping[str, Any]) -> str:
    """Return the unformatted text of ``operations.py``."""
    operations = list(operations_of(contract))
    methods = [line for operation in operations for line in _methods(contract, operation)]
    shapes = contract["components"]["schemas"]
    queries = [
        class_name(operation.operation_id)
        for operation in operations
        if operation.method == "GET" or query_parameters(operation)
    ]
    words = [name for name in vars(vocabulary) if name in shapes and "enum" in shapes[name]]
    return HEADER.format(
        queries=", ".join(sorted(queries)),
        shapes=", ".join(sorted(set(shapes) - set(words))),
        words=", ".join(sorted(words)),
    ) + "\n".join(methods)


def _methods(contract: Mapping[str, Any], operation: Operation) -> Iterator[str]:
    names = {parameter.name for parameter in query_parameters(operation)}
    if operation.method != "GET":
        yield from _post_method(contract, operation)
    elif names.issuperset(PAGE):
        yield from _list_method(contract, operation)
    else:
        yield from _get_method(contract, operation)
    if CURSOR in names:
        yield from _follow_method(contract, operation)


def _list_method(contract: Mapping[str, Any], operation: Operation) -> Iterator[str]:
    page = response_schema(operation)
    item = component_name(contract["components"]["schemas"][page]["properties"]["items"]["items"])
    arguments = _arguments(contract, operation, without=PAGE)
    paging = (
        Argument("limit", "int | None", "limit", "None"),
        Argument("offset", "int", "offset", "0"),
    )
    yield from _signature(
        method_name(operation), (*arguments, *paging), f"Pages[{page}, {item}]", operation
    )
    yield f"        query = {_query(operation, arguments)}"
    yield "        return self._pages(query, limit=limit, offset=offset)"


def _get_method(contract: Mapping[str, Any], operation: Operation) -> Iterator[str]:
    shape, arguments = response_schema(operation), _arguments(contract, operation)
    yield from _signature(method_name(operation), arguments, shape, operation)
    yield f"        answer: {shape} = self._get({_query(operation, arguments)})"
    yield "        return answer"


def _post_method(contract: Mapping[str, Any], operation: Operation) -> Iterator[str]:
    shape, body = response_schema(operation), operation.body["application/json"]
    schema = resolve(contract, body)
    required = schema.get("required", ())
    arguments = [
        Argument(python_name(name), kind, python_name(name))
        if name in required
        else Argument(python_name(name), f"{kind} | None", python_name(name), "None")
        for name in sorted(schema["properties"], key=lambda name: name not in required)
        for kind in [_member_type(schema["properties"][name])]
    ]
    members = ", ".join(f'"{name}": {python_name(name)}' for name in schema["properties"])
    sent = f'"{operation.path}", {{{members}}}'
    if any(parameter.name == IDEMPOTENCY_KEY for parameter in operation.parameters):
        arguments.append(Argument("idempotency_key", "str | None", "idempotency_key", "None"))
        sent += ", once=idempotency_key or new_idempotency_key()"
    yield from _signature(method_name(operation), arguments, shape, operation)
    yield f"        answer: {shape} = self._post({sent})"
    yield "        return answer"


def _member_type(schema: Mapping[str, Any]) -> str:
    return "Iterable[str]" if schema.get("type") == "array" else "str"


def _follow_method(contract: Mapping[str, Any], operation: Operation) -> Iterator[str]:
    arguments = _arguments(contract, operation, without=("limit", CURSOR, *FOLLOW_FIRST))
    first = _arguments(contract, operation, only=FOLLOW_FIRST)
    cursor = Argument("cursor", "str | None", "cursor", "None")
    size = Argument("limit", "int", "limit", "100")
    sent = (*first, *arguments, size, Argument(CURSOR, "str", "cursor"))
    yield from _signature(
        "follow", (*arguments, size), "Iterator[News]", FOLLOW, first=(*first, cursor)
    )
    yield f"        return self._follow({_query(operation, sent)})"


FOLLOW_FIRST = ("sources",)
"""What ``follow`` takes without a name, before the cursor."""

FOLLOW = """\
Yield everything the service learned since a cursor, oldest first, until now.

``sources``: None for all that the key may read. ``cursor``: None for the start, ``now``,
or the one of the last News that was processed. There is at least one News, which is empty
where nothing is new, and then comes after at most ``wait`` seconds."""


def method_name(operation: Operation) -> str:
    """Return the name of an operation's method: ``entries`` for ``list_entries``."""
    verb, _, noun = operation.operation_id.partition("_")
    return noun if verb in ("list", "get") else operation.operation_id


def _signature(
    name: str,
    arguments: Any,
    answer: str,
    words: Operation | str,
    *,
    first: tuple[Argument, ...] = (),
) -> Iterator[str]:
    """Yield the head of a method. Arguments with a default are keyword-only, except ``first``."""
    required = [str(argument) for argument in arguments if argument.default is None]
    named = [str(argument) for argument in arguments if argument.default is not None]
    positional = [*required, *map(str, first)]
    listed = ", ".join(["self", *positional, *(["*"] if named else []), *named])
    text = words if isinstance(words, str) else _description(words)
    yield f"\n    def {name}({listed}) -> {answer}:"
    yield textwrap.indent(f'"""{text}\n"""' if "\n" in text else f'"""{text}"""', " " * 8)


def _description(operation: Operation) -> str:
    """Return the docstring of a method: the summary and the meaning of its own parameters."""
    parameters = [
        parameter for parameter in query_parameters(operation) if parameter.name not in PAGE
    ]
    words = " ".join(
        f"``{parameter.python_name}``: {first_sentence(parameter.description)}"
        for parameter in parameters
    )
    return "\n\n".join(filter(None, [f"{operation.summary}.", textwrap.fill(words, 92)]))


def first_sentence(text: str) -> str:
    """Return the first sentence of a description."""
    sentence = re.split(r"(?<=\.)\s", text.strip(), maxsplit=1)[0]
    return sentence.replace("When 1,", "When true,")  # flags are booleans in Python


def _query(operation: Operation, arguments: Any) -> str:
    values = ", ".join(f"{argument.name}={argument.value}" for argument in arguments)
    return f"{class_name(operation.operation_id)}({values})"


def response_schema(operation: Operation) -> str:
    """Return the schema of a successful response; of several the first, which needs a key."""
    success = next(response for status, response in operation.responses.items() if status < 300)
    schema = success.content["application/json"]
    name = component_name(schema.get("oneOf", [schema])[0])
    if name is None:
        raise GeneratorFailed(f"{operation.operation_id}: its response has no named schema")
    return name


def _arguments(
    contract: Mapping[str, Any],
    operation: Operation,
    without: tuple[str, ...] = (),
    only: tuple[str, ...] | None = None,
) -> list[Argument]:
    return [
        _argument(contract, parameter)
        for parameter in query_parameters(operation)
        if parameter.name not in without and (only is None or parameter.name in only)
    ]


def _argument(contract: Mapping[str, Any], parameter: Parameter) -> Argument:
    name = parameter.python_name
    default = None if parameter.required else repr(parameter.schema.get("default"))
    if is_flag(parameter):
        return Argument(name, "bool", f"flag({name})", "False")
    if is_time(parameter):
        kind, value = "datetime", f'instant("{name}", {name})'
    elif parameter.type == "array":
        item = python_type(contract, parameter).name.removeprefix("tuple[").removesuffix(", ...]")
        kind, value = f"Iterable[{item}]", f"items({name})"
        value = f"None if {name} is None else {value}" if default == "None" else value
    else:
        kind, value = python_type(contract, parameter).name, name
    return Argument(name, f"{kind} | None" if default == "None" else kind, value, default)
