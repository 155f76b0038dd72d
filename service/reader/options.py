"""The options of the reading commands: those that all have, and those made from the contract."""

import inspect
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from functools import wraps
from typing import Annotated, Any

import typer

from openapi.contract import Parameter, load_operations
from openapi.generation.types import is_flag
from service.reader.selection import MOST_SHOWN

Url = Annotated[
    str | None, typer.Option(help="Address of the service; default: CHANGEWIRE_API_URL.")
]
ApiKey = Annotated[
    str | None,
    typer.Option(help="Better set CHANGEWIRE_API_KEY: others on the machine see options."),
]


@dataclass(frozen=True, slots=True)
class ReadingOptions:
    """The options that every reading command has."""

    url: Url = None
    api_key: ApiKey = None
    since: Annotated[
        str | None, typer.Option(help="Only after this: 90m, 12h, 7d, 2w or an ISO 8601 time.")
    ] = None
    limit: Annotated[int, typer.Option(min=1, max=MOST_SHOWN, help="How many to show at most.")] = (
        20
    )
    source: Annotated[
        list[str] | None, typer.Option(help="Only this source, by its slug; repeatable.")
    ] = None
    open_: Annotated[
        int | None,
        typer.Option(
            "--open", min=1, metavar="[N]", help="Open the Nth in a browser; the first without N."
        ),
    ] = None
    json: Annotated[bool, typer.Option("--json", help="Print JSON for programs.")] = False


SHARED = tuple(
    parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY)
    for parameter in inspect.signature(ReadingOptions).parameters.values()
)


def reading_command(
    operation_id: str | None = None,
    *,
    without: Collection[str] = (),
    shared: Collection[str] | None = None,
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command the shared options and one for each parameter of an operation.

    The command gets the shared ones as ``options: ReadingOptions``; of the others those that the
    user has set, as ``**filters``, which are arguments of the client's method. ``without``:
    parameters that are no options. ``shared``: those that the command has; all if None.
    """
    common = [option for option in SHARED if shared is None or option.name in shared]
    filters = [
        _option(parameter)
        for operation in load_operations()
        if operation.operation_id == operation_id
        for parameter in operation.parameters
        if parameter.name not in without
    ]

    def with_options(command: Callable[..., None]) -> Callable[..., None]:
        @wraps(command)
        def run(**values: Any) -> None:
            options = ReadingOptions(**{option.name: values.pop(option.name) for option in common})
            for option in filters:
                if not values[option.name]:
                    del values[option.name]
            command(options=options, **values)

        arguments = [
            parameter
            for parameter in inspect.signature(command).parameters.values()
            if parameter.name != "options" and parameter.kind != parameter.VAR_KEYWORD
        ]
        parameters = [*arguments, *common, *filters]
        run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]  # for typer
        run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
        return run

    return with_options


def _option(parameter: Parameter) -> inspect.Parameter:
    return inspect.Parameter(
        parameter.python_name,
        inspect.Parameter.KEYWORD_ONLY,
        default=False if is_flag(parameter) else None,
        annotation=Annotated[
            _type(parameter),
            typer.Option(_flag_name(parameter), help=_help(parameter)),
        ],
    )


def _type(parameter: Parameter) -> Any:
    if is_flag(parameter):
        return bool
    if parameter.type == "array":
        return list[str] | None
    return int | None if parameter.type == "integer" else str | None


def _flag_name(parameter: Parameter) -> str:
    return f"--{parameter.python_name.strip('_').replace('_', '-')}"


def _help(parameter: Parameter) -> str:
    """Return the first sentence on a parameter; a flag is set by being there, not by a 1."""
    sentence = " ".join(_first_sentence(parameter)).removeprefix("When 1, ")
    return sentence[:1].upper() + sentence[1:]


def _first_sentence(parameter: Parameter) -> Iterator[str]:
    for word in parameter.description.split():
        yield word
        if word.endswith("."):
            return
