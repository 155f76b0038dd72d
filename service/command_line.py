"""The command line for people: every command with its options and its help."""

import sys
from collections.abc import Iterable
from functools import cache
from importlib import import_module
from importlib.metadata import version
from typing import Annotated, Any, Final

import typer

COMMANDS: Final = {
    "up": "run.up",
    "serve": "run.serve",
    "worker": "run.work",
    "top": "top.top",
    "ingest": "ingest.ingest_now",
    "db": "database.db",
    "catalog": "catalog.catalog",
    "source": "sources.source",
    "requests": "requests.requests",
    "account": "accounts.account",
    "key": "keys.key",
    "key export": "lists.key_export",
    "key import": "lists.key_import",
    "webhook": "webhooks.webhook",
    "latest": "reading.latest",
    "important": "reading.important",
    "entries": "reading.entries",
    "diff": "reading.diff",
    "mcp": "mcp.mcp",
    "contract": "contract.contract",
    "conformance": "conformance.conformance",
}
"""Where the commands are, under ``service.commands``: only the one that is asked for is loaded."""


@cache
def command_line(names: tuple[str, ...] = tuple(COMMANDS)) -> typer.Typer:
    """Return the command line with these commands and all that is under them."""
    app = typer.Typer(
        help="Changewire: the changelogs of cloud, infrastructure and SaaS vendors as one API.",
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
    )
    app.callback()(changewire)
    groups: dict[str, typer.Typer] = {"": app}
    for name in names:
        above, _, own = name.rpartition(" ")
        found, class_ = _loaded(COMMANDS[name])
        if isinstance(found, typer.Typer):
            groups[name] = found
            groups[above].add_typer(found, name=own)
        else:
            groups[above].command(own, cls=class_)(found)
    return app


def _loaded(place: str) -> tuple[Any, Any]:
    """Return a command, and the class of its own that its module gives all of them."""
    module, _, function = place.partition(".")
    loaded = import_module(f"service.commands.{module}")
    return getattr(loaded, function), getattr(loaded, "COMMAND_CLASS", None)


def asked_for(arguments: Iterable[str]) -> tuple[str, ...]:
    """Return the commands to load: those under the first word, all if it is none."""
    words = list(arguments)
    if words[:1] == ["--version"]:
        return ()
    first = next((each for each in words if not each.startswith("-")), "")
    return tuple(name for name in COMMANDS if name.split()[0] == first) or tuple(COMMANDS)


def _print_version(asked: bool) -> None:
    if asked:
        sys.stdout.write(f"changewire {version('changewire')}\n")
        raise typer.Exit


def changewire(
    version: Annotated[
        bool,
        typer.Option(
            "--version", help="Print the version.", is_eager=True, callback=_print_version
        ),
    ] = False,
) -> None:
    """Set nothing up; commands do what they need."""
