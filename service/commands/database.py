"""changewire db: migrate, verify, copy."""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Annotated

import typer

from service.commands.inputs import CommandFailed, settings_for_command
from service.commands.output import say
from storage.engine.backup import backup, restore
from storage.engine.database import Database, current_revision, faults, open_database, upgrade

db = typer.Typer(
    help="Migrate, verify and copy the database.", no_args_is_help=True, add_completion=False
)


@contextmanager
def _opened(*, make: bool = False) -> Iterator[Database]:
    """Give the database at whatever revision it has."""
    settings = settings_for_command()
    may_lose = settings.database_may_lose_writes
    opened = open_database(settings.database_url, may_lose_writes=may_lose, make=make)
    with closing(opened) as database:
        yield database


@db.command("upgrade")
def db_upgrade() -> None:
    """Create the database or bring it to this version. Example: changewire db upgrade"""
    with _opened(make=True) as database:
        changed = upgrade(database)
        revision = current_revision(database)
    say(f"The database is {'now' if changed else 'already'} at revision {revision}.")


@db.command("check")
def db_check() -> None:
    """Verify revision and integrity. Example: changewire db check"""
    with _opened() as database:
        problems = faults(database)
        revision = current_revision(database)
    if problems:
        raise CommandFailed("; ".join(problems))
    say(f"The database is sound and at revision {revision}.")


@db.command("backup")
def db_backup(file: Annotated[Path, typer.Argument(help="The new file to write.")]) -> None:
    """Copy the database while it is in use. Example: changewire db backup /backup/today.db"""
    with _opened() as database:
        backup(database, file)
    say(f"Wrote {file} ({file.stat().st_size:,} bytes). To put it back: changewire db restore")


@db.command("restore")
def db_restore(
    file: Annotated[Path, typer.Argument(help="The copy to put back.")],
    keep: Annotated[
        Path | None, typer.Option(help="A new file for a copy of the present database.")
    ] = None,
    *,
    discard: Annotated[
        bool, typer.Option("--discard", help="Keep no copy of the present database.")
    ] = False,
) -> None:
    """Put a copy back. Example: changewire db restore today.db --keep before.db"""
    if (keep is None) is not discard:
        raise CommandFailed(
            "Choose what becomes of the present database: --keep FILE or --discard."
        )
    with _opened(make=True) as database:
        restore(database, file, previous=keep)
        changed = upgrade(database)
        problems = faults(database)
    if problems:
        raise CommandFailed("; ".join(problems))
    brought = ", brought up to date," if changed else ""
    say(f"{file} is back{brought} and the database is sound.")
