"""Writes ``client/operations.py``: the client's method for each operation."""

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
CURSOR = "follow"
"""The parameter that goes on after a place: it has a method of its own."""
HEADER = '''"""One method for each operation of the contract.

Generated and never edited. Change openapi.yaml, then run `changewire contract update` at the top
of the checkout.
"""

from collections.abc import Iterable, Iterator
from datetime import datetime

from client.calls import Calls, flag, instant, items
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
    """An argument of a method: its name, type and default, and the value that is sent for it."""

    name: str
    type: str
    value: str
    default: str | None = None

    def __str__(self) -> str:
        return f"{self.name}: {self.type}" + (f" = {self.default}" if self.default else "")


def generated_client(contract: Mapping[str, Any]) -> str:
    """Return the text of ``operations.py``, before it is formatted."""
    operations = list(operations_of(contract))
    methods = [line for each in operations for line in _methods(contract, each)]
    shapes = contract["components"]["schemas"]
    queries = [class_name(each.operation_id) for each in operations if query_parameters(each)]
    words = [each for each in vars(vocabulary) if each in shapes and "enum" in shapes[each]]
    return HEADER.format(
        queries=", ".join(sorted(queries)),
        shapes=", ".join(sorted(set(shapes) - set(words))),
        words=", ".join(sorted(words)),
    ) + "\n".join(methods)


def _methods(contract: Mapping[str, Any], operation: Operation) -> Iterator[str]:
    names = {each.name for each in query_parameters(operation)}
    if operation.method != "GET":
        yield from _posting(contract, operation)
    elif names.issuperset(PAGE):
        yield from _listing(contract, operation)
    else:
        yield from _getting(contract, operation)
    if CURSOR in names:
        yield from _following(contract, operation)


def _listing(contract: Mapping[str, Any], operation: Operation) -> Iterator[str]:
    page = _answer(operation)
    item = component_name(contract["components"]["schemas"][page]["properties"]["items"]["items"])
    arguments = _arguments(contract, operation, without=(*PAGE, CURSOR))
    place = (
        Argument("limit", "int | None", "limit", "None"),
        Argument("offset", "int", "offset", "0"),
    )
    yield from _signature(
        method_name(operation), (*arguments, *place), f"Pages[{page}, {item}]", operation
    )
    yield f"        query = {_query(operation, arguments)}"
    yield "        return self._pages(query, limit=limit, offset=offset)"


def _getting(contract: Mapping[str, Any], operation: Operation) -> Iterator[str]:
    answer, arguments = _answer(operation), _arguments(contract, operation)
    yield from _signature(method_name(operation), arguments, answer, operation)
    yield f"        answer: {answer} = self._get({_query(operation, arguments)})"
    yield "        return answer"


def _posting(contract: Mapping[str, Any], operation: Operation) -> Iterator[str]:
    answer, body = _answer(operation), operation.body["application/json"]
    schema = resolve(contract, body)
    required = schema.get("required", ())
    arguments = [
        Argument(python_name(name), "str", python_name(name))
        if name in required
        else Argument(python_name(name), "str | None", python_name(name), "None")
        for name in sorted(schema["properties"], key=lambda each: each not in required)
    ]
    members = ", ".join(f'"{name}": {python_name(name)}' for name in schema["properties"])
    yield from _signature(method_name(operation), arguments, answer, operation)
    yield f'        answer: {answer} = self._post("{operation.path}", {{{members}}})'
    yield "        return answer"


def _following(contract: Mapping[str, Any], operation: Operation) -> Iterator[str]:
    (cursor,) = (each for each in query_parameters(operation) if each.name == CURSOR)
    arguments = _arguments(contract, operation, without=(*PAGE, CURSOR, *cursor.excludes))
    place = Argument("cursor", "str", "cursor", '"start"')
    size = Argument("limit", "int", "limit", "100")
    sent = (
        *arguments,
        Argument("limit", "int", "limit"),
        Argument(CURSOR, "str", "cursor"),
    )
    yield from _signature(CURSOR, (*arguments, size), "Iterator[News]", FOLLOW, place=place)
    yield f"        return self._follow({_query(operation, sent)})"


FOLLOW = """\
Yield everything the service learned since a cursor, oldest first, until now.

``cursor``: ``start``, ``now``, or the one of the last News that was processed. There is at
least one News, an empty one where nothing is new. An edited entry comes again."""


def method_name(operation: Operation) -> str:
    """Return what the client calls an operation: ``list_entries`` is ``entries``."""
    verb, _, noun = operation.operation_id.partition("_")
    return noun if verb in ("list", "get") else operation.operation_id


def _signature(
    name: str,
    arguments: Any,
    answer: str,
    words: Operation | str,
    *,
    place: Argument | None = None,
) -> Iterator[str]:
    """Write the head of a method; what has a default is given by name, ``place`` excepted."""
    required = [str(each) for each in arguments if each.default is None]
    named = [str(each) for each in arguments if each.default is not None]
    positional = [*required, *([str(place)] if place else [])]
    listed = ", ".join(["self", *positional, *(["*"] if named else []), *named])
    text = words if isinstance(words, str) else _description(words)
    yield f"\n    def {name}({listed}) -> {answer}:"
    yield textwrap.indent(f'"""{text}\n"""' if "\n" in text else f'"""{text}"""', " " * 8)


def _description(operation: Operation) -> str:
    """Return the docstring of a method: the summary, and what its own parameters mean."""
    parameters = [each for each in query_parameters(operation) if each.name not in (*PAGE, CURSOR)]
    words = " ".join(
        f"``{each.python_name}``: {_sentence(each.description)}" for each in parameters
    )
    return "\n\n".join(filter(None, [f"{operation.summary}.", textwrap.fill(words, 92)]))


def _sentence(text: str) -> str:
    """Return the first sentence of a description."""
    sentence = re.split(r"(?<=\.)\s", text.strip(), maxsplit=1)[0]
    return sentence.replace("When 1,", "When true,")  # flags are booleans in Python


def _query(operation: Operation, arguments: Any) -> str:
    values = ", ".join(f"{each.name}={each.value}" for each in arguments)
    return f"{class_name(operation.operation_id)}({values})"


def _answer(operation: Operation) -> str:
    """Return the shape of a success; of several the first, which is the one with a key."""
    success = next(each for status, each in operation.responses.items() if status < 300)
    schema = success.content["application/json"]
    name = component_name(schema.get("oneOf", [schema])[0])
    if name is None:
        raise GeneratorFailed(f"{operation.operation_id}: its answer has no name")
    return name


def _arguments(
    contract: Mapping[str, Any], operation: Operation, without: tuple[str, ...] = ()
) -> list[Argument]:
    return [
        _argument(contract, each)
        for each in query_parameters(operation)
        if each.name not in without
    ]


def _argument(contract: Mapping[str, Any], parameter: Parameter) -> Argument:
    name, default = parameter.python_name, None if parameter.required else "None"
    if is_flag(parameter):
        return Argument(name, "bool", f"flag({name})", "False")
    if is_time(parameter):
        kind, value = "datetime", f'instant("{name}", {name})'
    elif parameter.type == "array":
        item = python_type(contract, parameter).name.removeprefix("tuple[").removesuffix(", ...]")
        kind, value = f"Iterable[{item}]", f"items({name})"
        value = f"None if {name} is None else {value}" if default else value
    else:
        kind, value = python_type(contract, parameter).name, name
    if default is None:
        return Argument(name, kind, value)
    return Argument(name, f"{kind} | None", value, default)
