"""The options of the reading commands that come from the contract."""

import inspect
from collections.abc import Callable, Collection, Iterator
from typing import Annotated, Any, TypeVar

import typer

from openapi.contract import Parameter, load_operations
from openapi.generation.types import is_flag

Command = TypeVar("Command", bound=Callable[..., None])


def with_filters(operation_id: str, *, without: Collection[str]) -> Callable[[Command], Command]:
    """Give a command an option for every parameter of an operation that it does not leave out.

    The command takes them as ``**filters``, which are arguments of the client's method.
    """
    (operation,) = (each for each in load_operations() if each.operation_id == operation_id)
    options = [each for each in operation.parameters if each.name not in without]

    def give(command: Command) -> Command:
        signature = inspect.signature(command)
        named = [each for each in signature.parameters.values() if each.kind != each.VAR_KEYWORD]
        added = list(map(_option, options))
        changed = signature.replace(parameters=[*named, *added])
        command.__signature__ = changed  # type: ignore[attr-defined]  # typer reads it from here
        command.__annotations__ |= {each.name: each.annotation for each in added}
        command.__annotations__.pop("filters")
        return command

    return give


def sent(filters: dict[str, Any]) -> dict[str, Any]:
    """Return the filters that were given."""
    return {name: value for name, value in filters.items() if value}


def _option(parameter: Parameter) -> inspect.Parameter:
    return inspect.Parameter(
        parameter.python_name,
        inspect.Parameter.KEYWORD_ONLY,
        default=False if is_flag(parameter) else None,
        annotation=Annotated[
            _type(parameter),
            typer.Option(_flag_name(parameter), help=" ".join(_first_sentence(parameter))),
        ],
    )


def _type(parameter: Parameter) -> Any:
    if is_flag(parameter):
        return bool
    if parameter.type == "array":
        return list[str] | None
    return int | None if parameter.type == "integer" else str | None


def _flag_name(parameter: Parameter) -> str:
    return f"--{parameter.python_name.replace('_', '-')}"


def _first_sentence(parameter: Parameter) -> Iterator[str]:
    for word in parameter.description.split():
        yield word
        if word.endswith("."):
            return
