"""Generate ``openapi/queries.py``: a query object for each operation that has parameters."""

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
from openapi.vocabulary import {enumerations}

'''


def generated_queries(contract: Mapping[str, Any]) -> str:
    """Return the unformatted text of ``queries.py``."""
    operations = [
        operation
        for operation in operations_of(contract)
        if operation.method == "GET" or query_parameters(operation)
    ]
    enumerations = {
        python_type(contract, parameter).enumeration
        for operation in operations
        for parameter in query_parameters(operation)
    }
    return HEADER.replace(
        "{enumerations}", ", ".join(sorted(filter(None, enumerations)))
    ) + "\n\n".join(
        [
            *("\n".join(_class(contract, operation)) for operation in operations),
            _register(operations),
        ]
    )


def _class(contract: Mapping[str, Any], operation: Operation) -> Iterator[str]:
    parameters = query_parameters(operation)
    names = {
        parameter.python_name: parameter.name
        for parameter in parameters
        if parameter.python_name != parameter.name
    }
    types = {parameter.python_name: python_type(contract, parameter) for parameter in parameters}
    read = [f'"{name}": {type_.read}' for name, type_ in types.items() if type_.read]
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
    rows = (
        f'    "{operation.operation_id}": {class_name(operation.operation_id)},'
        for operation in operations
    )
    return "\n".join(
        [
            "QUERIES: dict[str, type[Query]] = {",
            *rows,
            "}",
            '"""The query object of each operation."""\n',
        ]
    )
