"""Python names and types of the contract's parameters."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from openapi import vocabulary
from openapi.contract import Operation, Parameter, component_name, resolve

FLAG = ["1"]
"""The enumeration of a parameter that is 1 or absent."""


class GeneratorFailed(Exception):
    """Generation failed. The message names the program or the part to blame."""


@dataclass(frozen=True, slots=True)
class PythonType:
    """How a parameter is typed in a query object.

    ``read`` is the expression that converts a validated value; None where the value stays.
    ``enumeration`` is the one of ``openapi.vocabulary`` to import.
    """

    name: str
    read: str | None = None
    enumeration: str | None = None


def python_type(contract: Mapping[str, Any], parameter: Parameter) -> PythonType:
    """Return the type of a parameter. Raises GeneratorFailed for a type that no query can hold."""
    if parameter.type != "array":
        return _scalar(parameter.name, parameter.schema, parameter.component)
    node = parameter.schema["items"]
    item = _scalar(parameter.name, resolve(contract, node), component_name(node))
    read = "tuple" if item.read is None else f"tuple_of({item.read})"
    return PythonType(f"tuple[{item.name}, ...]", read, item.enumeration)


def _scalar(name: str, schema: Mapping[str, Any], component: str | None) -> PythonType:
    if "enum" in schema and component is not None and hasattr(vocabulary, component):
        return PythonType(component, component, component)
    if "enum" in schema:
        return PythonType(f"Literal[{', '.join(map(repr, schema['enum']))}]")
    if schema["type"] == "integer":
        return PythonType("int")
    if schema["type"] == "string":
        return PythonType("str")
    raise GeneratorFailed(f"{name}: a query cannot have a parameter of type {schema['type']}")


def is_flag(parameter: Parameter) -> bool:
    """Tell whether a parameter is 1 or absent."""
    return parameter.schema.get("enum") == FLAG


def is_time(parameter: Parameter) -> bool:
    """Tell whether a parameter is a time."""
    return parameter.schema.get("format") == "date-time"


def query_parameters(operation: Operation) -> tuple[Parameter, ...]:
    """Return the query parameters of an operation, required ones first."""
    query = [parameter for parameter in operation.parameters if parameter.location == "query"]
    return tuple(sorted(query, key=lambda parameter: not parameter.required))


def class_name(operation_id: str) -> str:
    """Return the name of the query object of an operation: ``ListEntries``."""
    return "".join(map(str.title, operation_id.split("_")))
