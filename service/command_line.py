"""The command line: where each command is, and how a failure is reported."""

import os
import re
import sys
from importlib import import_module
from importlib.machinery import ModuleSpec, PathFinder
from importlib.metadata import version as installed_version
from importlib.util import LazyLoader
from typing import Annotated, Any, Final

import typer
from typer.core import TyperCommand, TyperGroup

from service.commands.output import CommandFailed

COMMANDS: Final = {
    "up": ("run:up", "Run everything: the API, the site and the workers."),
    "serve": ("run:serve", "Run the API and the site."),
    "worker": ("run:work", "Check sources and send webhooks and digests."),
    "doctor": ("doctor:doctor", "Check a deployment and list problems."),
    "ingest": ("ingest:check_sources", "Check sources now and print the results."),
    "db": ("database:db", "Create, migrate, verify, copy and restore the database."),
    "catalog": ("catalog:catalog", "Load, validate and export the catalog; remove sources."),
    "source": ("sources:source", "List, explain and test sources, including feed addresses."),
    "requests": ("requests:requests", "Review requests for sources and plans."),
    "account": ("accounts:account", "Manage accounts and plans."),
    "key": ("keys:key", "Manage API keys and their sources."),
    "webhook": ("webhooks:webhook", "List, explain, redeliver, disable and enable webhooks."),
    "sources": ("entries:sources", "Search the catalog, best match first."),
    "search": ("entries:search", "Search the entries of all sources, newest first."),
    "entries": ("entries:entries", "List the entries of sources, newest first."),
    "follow": ("follow:follow", "Print new, edited and removed entries as they arrive."),
    "deadlines": ("entries:deadlines", "List removals and ends of life, soonest first."),
    "stack": ("stack:stack", "List breaking changes between your versions and the latest."),
    "mcp": ("mcp:mcp", "Run the MCP server for coding agents."),
    "deploy": ("deploy:deploy", "Write configuration for systemd, nginx and others."),
    "contract": ("contract:contract", "Validate and compare contracts."),
    "conformance": ("conformance:conformance", "Test a deployment against the contract."),
}
"""The module under ``service.commands`` and the function, or group, of each command; its help."""

LAYERS: Final = re.compile(
    "(conformance|contract_diff|delivery|handlers|ingest|openapi|outbound|package_versions|service"
    r"|storage)\b"
)
"""The packages whose modules wait where a command imports them as such (docs/decisions/0076)."""

OVER_THE_API: Final = frozenset(
    ("sources", "search", "entries", "follow", "deadlines", "stack", "mcp")
)
OF_OPERATORS: Final = frozenset(COMMANDS) - OVER_THE_API - {"contract", "conformance"}
OPERATORS_NOTE: Final = "Works on the installation on this machine."


class LazyGroup(TyperGroup):
    """Load a command when it is run or explained, as Click documents for large programs.

    One command needs Connexion, another Schemathesis (docs/decisions/0076).
    """

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the names of all commands, in the order of the help."""
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Return the help of a command; None for an unknown name."""
        for name, (_, text) in COMMANDS.items():
            listed: Any = TyperCommand(name, help=text)
            listed.rich_help_panel = panel_of(name)
            self.commands.setdefault(name, listed)
        return self.commands.get(cmd_name)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Return the name, the command and its arguments, with the command loaded."""
        name, command, arguments = super().resolve_command(ctx, args)
        return name, None if command is None else load_command(str(name)), arguments

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the options before a command."""
        return without_types(super().get_params(ctx))


class LazyFinder(PathFinder):
    """Find modules of the layers below as ones that load at their first attribute.

    Packages load at once: a module of theirs would be loaded twice.
    """

    @classmethod
    def find_spec(cls, fullname: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        """Return where a module is; None if it does not wait."""
        if LAYERS.match(fullname) is None:
            return None
        spec = super().find_spec(fullname, path, target)
        if spec is None or spec.loader is None or spec.submodule_search_locations is not None:
            return None
        spec.loader = LazyLoader(spec.loader)
        return spec


def load_command(name: str) -> Any:
    """Return a command with its options."""
    module_name, _, attribute = COMMANDS[name][0].partition(":")
    sys.meta_path.insert(0, LazyFinder)
    try:
        module = import_module(f"service.commands.{module_name}")
        command = getattr(module, attribute)
    finally:
        sys.meta_path.remove(LazyFinder)
    if not isinstance(command, typer.Typer):
        function, command = command, typer.Typer(add_completion=False)
        command.command(name, cls=getattr(module, "COMMAND_CLASS", TyperCommand))(function)
    click_command: Any = typer.main.get_command(command)
    for each in (click_command, *getattr(click_command, "commands", {}).values()):
        without_types(each.get_params(typer.Context(each)))
    click_command.name = name
    click_command.rich_help_panel = panel_of(name)
    if name in OF_OPERATORS:
        click_command.epilog = OPERATORS_NOTE
    return click_command


def without_types(options: list[Any]) -> list[Any]:
    """Leave the type of flags out of the help, where Typer writes <bool> beside each."""
    for option in options:
        if getattr(option, "is_flag", False):
            option.metavar = ""
    return options


def panel_of(name: str) -> str:
    """Return the heading under which the help has a command."""
    if name in OF_OPERATORS:
        return "For operators, on this machine"
    return "For everyone, over the API" if name in OVER_THE_API else "For maintainers"


app = typer.Typer(
    cls=LazyGroup,
    help="Changewire: the changelogs of cloud, infrastructure and SaaS vendors in one API.",
    no_args_is_help=True,
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

    The status is 2 where the settings, the arguments, or what these name, cannot be used.
    """
    try:
        app()
    except UnicodeEncodeError:
        if all(map(_is_text, sys.argv)):
            raise
        sys.stderr.write("changewire: An argument is not UTF-8 text.\n")
        sys.exit(2)
    except ModuleNotFoundError as missing:
        install = "pip install 'changewire[conformance]'"
        sys.stderr.write(f"changewire: {missing.name} is not installed: {install}\n")
        sys.exit(1)
    except Exception as error:
        of_client = isinstance(error, CommandFailed)
        if not (of_client or isinstance(error, import_module("service.failures").REPORTED)):
            raise
        sys.stderr.write(f"changewire: {error}\n")
        _drop_unwritten_output()
        sys.exit(getattr(error, "exit_status", 1))


def _drop_unwritten_output() -> None:
    """Give up output that cannot be written: Python tries again as it ends, and exits with 120."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _is_text(argument: str) -> bool:
    """Return whether an argument came in UTF-8; Python reads other bytes as lone surrogates."""
    return not any("\ud800" <= character <= "\udfff" for character in argument)
