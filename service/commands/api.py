"""The connection to the API, and command options made from the contract."""

import inspect
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from functools import wraps
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from client import (
    ChangewireError,
    Client,
    InvalidRequest,
    KeyMissing,
    RetryPolicy,
    Unauthorized,
    UnknownSource,
)
from client.transport import BASE_PATH
from handlers.http.refusals import FIND_SLUGS
from openapi.contract import Parameter, load_operations
from openapi.generation.types import is_flag, is_time
from service.clock import clock, parse_since
from service.commands.output import AsJson, CommandFailed
from service.settings import settings_for_command
from service.terminal_escape import plain

PAGE: Final = frozenset({"limit", "offset"})
"""Parameters that commands set themselves."""
TIMEOUT: Final = timedelta(seconds=30)
RETRY: Final = RetryPolicy(attempts=3, longest_wait=timedelta(seconds=10))
FIND_HERE: Final = "changewire sources WORDS finds slugs."

Url = Annotated[
    str | None, typer.Option(help="Address of the service; default: CHANGEWIRE_API_URL.")
]
ApiKey = Annotated[
    str | None,
    typer.Option(
        help="The API key. Prefer CHANGEWIRE_API_KEY: options are visible to others on the machine."
    ),
]
ApiKeyFile = Annotated[
    Path | None, typer.Option(help="Read the API key from this file.", dir_okay=False)
]


@dataclass(frozen=True, slots=True)
class ApiOptions:
    """The options of every command over the API."""

    url: Url = None
    api_key: ApiKey = None
    api_key_file: ApiKeyFile = None
    json: AsJson = False


_COMMON: Final = tuple(
    parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY)
    for parameter in inspect.signature(ApiOptions).parameters.values()
)


def new_client(options: ApiOptions) -> Client:
    """Return a client for the options of a command, and the settings where one is not given."""
    settings = settings_for_command()
    url = options.url or settings.api_url or settings.site_url
    key, file = options.api_key or settings.key_to_send, options.api_key_file
    try:
        if options.api_key is None and file is not None:
            key = file.read_text(encoding="utf-8").strip()
        return Client(url, key, timeout=TIMEOUT, retry=RETRY)
    except OSError as error:
        message = f"{file} cannot be read: {error.strerror}."
        raise typer.BadParameter(message, param_hint="--api-key-file") from error
    except ValueError as error:
        raise typer.BadParameter(str(error), param_hint="the address or the API key") from error


@contextmanager
def connected(options: ApiOptions) -> Iterator[Client]:
    """Yield a client of the API; turn its errors into CommandFailed."""
    with new_client(options) as client:
        try:
            yield client
        except ChangewireError as error:
            advice = _advice(error, site_of(client))
            raise CommandFailed(plain(f"{error.message} {advice}".strip())) from error


def site_of(client: Client) -> str:
    """Return the address of the pages of a service."""
    return client.base_url.removesuffix(BASE_PATH)


def _advice(error: ChangewireError, site: str) -> str:
    """Return what to do in a terminal: hints of the API are about requests."""
    match error:
        case KeyMissing() | Unauthorized():
            return f"Create a key at {site}/app/api-keys and set CHANGEWIRE_API_KEY."
        case UnknownSource():
            return FIND_HERE
        case InvalidRequest():
            return ""
        case _:
            return (error.hint or "").replace(FIND_SLUGS, FIND_HERE)


def api_command(
    *operation_ids: str, without: Collection[str] = PAGE
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command the common options, and one for each parameter of its operations.

    The command gets the common ones as ``options``, and as ``filters`` the others that the user
    has set: arguments of the client's method. ``without``: parameters that are no options.
    """
    parameters = {
        parameter.python_name: parameter
        for operation in load_operations()
        if operation.operation_id in operation_ids
        for parameter in operation.parameters
        if parameter.name not in without
    }

    def with_options(command: Callable[..., None]) -> Callable[..., None]:
        @wraps(command)
        def run(**values: Any) -> None:
            options = ApiOptions(**{option.name: values.pop(option.name) for option in _COMMON})
            texts = {name: values.pop(name) for name in parameters}
            command(options=options, filters=_filters(parameters, texts), **values)

        own = inspect.signature(command).parameters.values()
        arguments = [item for item in own if item.name not in ("options", "filters")]
        every = [*arguments, *_COMMON, *map(_option, parameters.values())]
        run.__signature__ = inspect.Signature(every)  # type: ignore[attr-defined]  # for typer
        run.__annotations__ = {parameter.name: parameter.annotation for parameter in every}
        return run

    return with_options


def _filters(parameters: Mapping[str, Parameter], texts: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options that are set, times as such."""
    return {
        name: _time(text, _flag_name(parameters[name])) if is_time(parameters[name]) else text
        for name, text in texts.items()
        if text
    }


def _time(text: str, option: str) -> Any:
    try:
        return parse_since(text, now=clock())
    except ValueError as error:
        raise typer.BadParameter(str(error), param_hint=option) from error


def _option(parameter: Parameter) -> inspect.Parameter:
    option = typer.Option(_flag_name(parameter), help=_help(parameter))
    return inspect.Parameter(
        parameter.python_name,
        inspect.Parameter.KEYWORD_ONLY,
        default=False if is_flag(parameter) else None,
        annotation=Annotated[_type(parameter), option],
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
    if is_time(parameter):
        side = "after" if parameter.name == "since" else "until"
        return f"Only entries published {side} this: 90m, 12h, 7d, 2w or an ISO 8601 time."
    text = re.split(r"(?<=\.)\s", parameter.description.strip(), maxsplit=1)[0]
    sentence = " ".join(text.split()).removeprefix("When 1, ")
    return sentence[:1].upper() + sentence[1:]
