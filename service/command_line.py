"""The command line: every command, and how a failure is reported."""

import sys
from importlib.metadata import version as installed_version
from typing import Annotated

import typer

from ingest.catalog import UnreadableCatalog
from service.commands import conformance, entries, ingest, mcp, opml, run, top
from service.commands.accounts import account
from service.commands.catalog import catalog
from service.commands.contract import contract
from service.commands.database import db
from service.commands.inputs import CommandFailed
from service.commands.keys import key
from service.commands.requests import requests
from service.commands.sources import source
from service.commands.webhooks import webhook
from service.server import PortTaken
from service.settings import WrongSettings
from storage.engine.database import DatabaseUnavailable

REPORTED = (CommandFailed, DatabaseUnavailable, PortTaken, UnreadableCatalog, WrongSettings)
"""Failures of which a person needs the message and no traceback."""

app = typer.Typer(
    help="Changewire: the changelogs of cloud, infrastructure and SaaS vendors as one API.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
app.command("up")(run.up)
app.command("serve")(run.serve)
app.command("worker")(run.work)
app.command("top")(top.top)
app.command("ingest")(ingest.ingest)
app.add_typer(db, name="db")
app.add_typer(catalog, name="catalog")
app.add_typer(source, name="source")
app.add_typer(requests, name="requests")
app.add_typer(account, name="account")
key.command("export")(opml.key_export)
key.command("import")(opml.key_import)
app.add_typer(key, name="key")
app.add_typer(webhook, name="webhook")
for command in (entries.latest, entries.important, entries.entries, entries.diff):
    app.command(cls=entries.OptionalOpenNumber)(command)
app.command("mcp")(mcp.mcp)
app.add_typer(contract, name="contract")
app.command("conformance")(conformance.conformance)


def _print_version(wanted: bool) -> None:
    if wanted:
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
    """Run a command; a reported failure is one clear message on stderr and exit status 1."""
    try:
        app()
    except UnicodeEncodeError:
        if all(map(_is_text, sys.argv)):
            raise
        sys.stderr.write("changewire: An argument is no text in UTF-8.\n")
        sys.exit(2)
    except REPORTED as error:
        sys.stderr.write(f"changewire: {error}\n")
        sys.exit(1)


def _is_text(argument: str) -> bool:
    """Tell whether an argument came in UTF-8; Python reads other bytes as lone surrogates."""
    return not any("\ud800" <= character <= "\udfff" for character in argument)
