"""Writes ``openapi/queries.py``: a query object for each operation that has parameters."""

from collections.abc import Iterator, Mapping
from typing import Any

from openapi.contract import Operation, Parameter, operations_of
from openapi.generation.types import class_name, python_type, query_parameters

HEADER = '''"""The parameters of each operation as one object.

Generated and never edited. Change openapi.yaml, then run `changewire contract update` at the top
of the checkout.
"""

from dataclasses import dataclass
from typing import ClassVar, Literal

from openapi.query import Query, tuple_of
from openapi.vocabulary import {words}

'''


def generated_queries(contract: Mapping[str, Any]) -> str:
    """Return the text of ``queries.py``, before it is formatted."""
    operations = [
        each for each in operations_of(contract) if each.method == "GET" or query_parameters(each)
    ]
    words = {
        python_type(contract, parameter).words
        for operation in operations
        for parameter in query_parameters(operation)
    }
    return HEADER.replace("{words}", ", ".join(sorted(filter(None, words)))) + "\n\n".join(
        [*("\n".join(_class(contract, each)) for each in operations), _register(operations)]
    )


def _class(contract: Mapping[str, Any], operation: Operation) -> Iterator[str]:
    parameters = query_parameters(operation)
    names = {each.python_name: each.name for each in parameters if each.python_name != each.name}
    types = {each.python_name: python_type(contract, each) for each in parameters}
    read = [f'"{name}": {each.read}' for name, each in types.items() if each.read]
    yield "@dataclass(frozen=True, slots=True, kw_only=True)"
    yield f"class {class_name(operation.operation_id)}(Query):"
    yield f'    """{operation.method} {operation.path}: {operation.summary}."""\n'
    yield f'    OPERATION: ClassVar = "{operation.operation_id}"'
    yield f'    PATH: ClassVar = "{operation.path}"'
    if names:
        yield f"    NAMES: ClassVar = {names!r}"
    if read:
        yield f"    READ: ClassVar = {{{', '.join(read)}}}"
    yield ""
    for parameter in parameters:
        yield f"    {parameter.python_name}: {_annotation(contract, parameter)}"
    yield ""


def _annotation(contract: Mapping[str, Any], parameter: Parameter) -> str:
    name = python_type(contract, parameter).name
    if parameter.required:
        return name
    if "default" in parameter.schema:
        return f"{name} = {parameter.schema['default']!r}"
    return f"{name} | None = None"


def _register(operations: list[Operation]) -> str:
    rows = (f'    "{each.operation_id}": {class_name(each.operation_id)},' for each in operations)
    return "\n".join(
        [
            "QUERIES: dict[str, type[Query]] = {",
            *rows,
            "}",
            '"""The query object of each operation."""\n',
        ]
    )
