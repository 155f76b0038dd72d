"""The command line: where each command is, and how a failure is reported."""

import os
import sys
from importlib import import_module
from importlib.metadata import version as installed_version
from typing import Annotated, Any, Final

import typer
from typer.core import TyperCommand, TyperGroup

from ingest.catalog import UnreadableCatalog
from service.commands.inputs import CommandFailed, WrongInput
from service.settings import WrongSettings
from storage.engine.database import DatabaseUnavailable

REPORTED = (CommandFailed, DatabaseUnavailable, UnreadableCatalog, WrongSettings)
"""Failures that are reported by their message, without a traceback."""

COMMANDS: Final = {
    "up": "run:up",
    "serve": "run:serve",
    "worker": "run:work",
    "doctor": "doctor:doctor",
    "ingest": "ingest:ingest",
    "db": "database:db",
    "catalog": "catalog:catalog",
    "source": "sources:source",
    "requests": "requests:requests",
    "account": "accounts:account",
    "key": "keys:key",
    "webhook": "webhooks:webhook",
    "sources": "entries:sources",
    "search": "entries:search",
    "entries": "entries:entries",
    "follow": "follow:follow",
    "deadlines": "entries:deadlines",
    "stack": "stack:stack",
    "mcp": "mcp:mcp",
    "deploy": "deploy:deploy",
    "contract": "contract:contract",
    "conformance": "conformance:conformance",
}
"""The module and the function, or the group, of each command, under ``service.commands``."""

OVER_THE_API: Final = frozenset(
    {
        *("sources", "search", "entries", "follow", "deadlines", "stack", "mcp"),
    }
)
OF_OPERATORS: Final = frozenset(COMMANDS) - OVER_THE_API - {"contract", "conformance"}
OPERATORS_NOTE: Final = "For the operator: it works on the installation of this machine."


class LazyGroup(TyperGroup):
    """Load a command when it is run or explained, as Click documents for large programs.

    One command needs Connexion, another Schemathesis (docs/decisions/0076).
    """

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the names of all commands, in the order of the help."""
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Return a command; for an unknown name None, after loading all that Click may suggest."""
        if cmd_name in COMMANDS:
            return self.commands.setdefault(cmd_name, _load(cmd_name))
        self.commands.update({name: _load(name) for name in COMMANDS})
        return None


def _load(name: str) -> Any:
    module_name, _, attribute = COMMANDS[name].partition(":")
    try:
        module = import_module(f"service.commands.{module_name}")
    except ModuleNotFoundError as missing:
        return _stand_in(name, missing)
    command = getattr(module, attribute)
    if not isinstance(command, typer.Typer):
        function, command = command, typer.Typer(add_completion=False)
        command.command(name, cls=getattr(module, "COMMAND_CLASS", TyperCommand))(function)
    click_command: Any = typer.main.get_command(command)
    click_command.name = name
    click_command.rich_help_panel = panel_of(name)
    if name in OF_OPERATORS:
        click_command.epilog = OPERATORS_NOTE
    return click_command


def _stand_in(name: str, missing: ModuleNotFoundError) -> Any:
    """Return a command that says what to install for the one that cannot be loaded."""
    message = f"{missing.name} is not installed: pip install 'changewire[conformance]'"

    def say_what_to_install(ctx: typer.Context) -> None:
        raise CommandFailed(f"changewire {ctx.command.name} cannot run, {message}.")

    lenient = {"allow_extra_args": True, "ignore_unknown_options": True, "help_option_names": []}
    command = typer.Typer(add_completion=False, help=f"Needs an extra: {message}")
    command.command(name, context_settings=lenient)(say_what_to_install)
    click_command: Any = typer.main.get_command(command)
    click_command.name, click_command.rich_help_panel = name, panel_of(name)
    return click_command


def panel_of(name: str) -> str:
    """Return the heading under which the help has a command."""
    if name in OF_OPERATORS:
        return "For the operator, on the installation of this machine"
    return "For everybody, over the API" if name in OVER_THE_API else "For maintainers"


app = typer.Typer(
    cls=LazyGroup,
    help="Changewire: the changelogs of cloud, infrastructure and SaaS vendors as one API.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


def _print_version(requested: bool) -> None:
    if requested:
        sys.stdout.write(f"changewire {installed_version('changewire')}\n")
        raise typer.Exit


@app.callback()
def changewire(
    version: Annotated[
        bool,
        typer.Option(
            "--version", help="Print the version.", is_eager=True, callback=_print_version
        ),
    ] = False,
) -> None:
    """Take the options that come before a command."""


def main() -> None:
    """Run a command; a reported failure is one clear message on stderr and exit status 1.

    The status is 2 where the arguments, or what they name, cannot be used.
    """
    try:
        app()
    except UnicodeEncodeError:
        if all(map(_is_text, sys.argv)):
            raise
        sys.stderr.write("changewire: An argument is no text in UTF-8.\n")
        sys.exit(2)
    except REPORTED as error:
        sys.stderr.write(f"changewire: {error}\n")
        _drop_unwritten_output()
        sys.exit(2 if isinstance(error, WrongInput) else 1)


def _drop_unwritten_output() -> None:
    """Give up output that cannot be written: Python tries again as it ends, and exits with 120."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _is_text(argument: str) -> bool:
    """Tell whether an argument came in UTF-8; Python reads other bytes as lone surrogates."""
    return not any("\ud800" <= character <= "\udfff" for character in argument)
