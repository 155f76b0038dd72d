"""The command line: ``changewire COMMAND``."""

import sys
from importlib.metadata import version
from typing import Annotated

import typer

from ingest.catalog import UnreadableCatalog
from service.commands.accounts import account
from service.commands.catalog import catalog
from service.commands.conformance import conformance
from service.commands.contract import contract
from service.commands.database import db
from service.commands.ingest import ingest_now
from service.commands.keys import key
from service.commands.lists import key_export, key_import
from service.commands.mcp import mcp
from service.commands.reading import Opening, diff, entries, important, latest
from service.commands.requests import requests
from service.commands.run import serve, up, work
from service.commands.shared import CommandFailed, say
from service.commands.sources import source
from service.commands.top import top
from service.commands.webhooks import webhook
from service.server import PortTaken
from service.settings import WrongSettings
from storage.database import DatabaseUnavailable

REPORTED = (CommandFailed, DatabaseUnavailable, PortTaken, UnreadableCatalog, WrongSettings)

app = typer.Typer(
    help="Changewire: the changelogs of cloud, infrastructure and SaaS vendors as one API.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
app.command("up")(up)
app.command("serve")(serve)
app.command("worker")(work)
app.command("top")(top)
app.command("ingest")(ingest_now)
app.add_typer(db, name="db")
app.add_typer(catalog, name="catalog")
app.add_typer(source, name="source")
app.add_typer(requests, name="requests")
app.add_typer(account, name="account")
key.command("export")(key_export)
key.command("import")(key_import)
app.add_typer(key, name="key")
app.add_typer(webhook, name="webhook")
for name, command in (
    ("latest", latest),
    ("important", important),
    ("entries", entries),
    ("diff", diff),
):
    app.command(name, cls=Opening)(command)
app.command("mcp")(mcp)
app.add_typer(contract, name="contract")
app.command("conformance")(conformance)


def _print_version(asked: bool) -> None:
    if asked:
        sys.stdout.write(f"changewire {version('changewire')}\n")
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
    """Set nothing up; commands do what they need."""


def main() -> None:
    """Run a command; a reported failure is one clear message on stderr and exit status 1."""
    try:
        app()
    except REPORTED as error:
        say(f"changewire: {error}")
        sys.exit(1)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(1)


if __name__ == "__main__":
    main()
