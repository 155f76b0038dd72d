"""changewire db: migrate, verify, back up, restore, copy."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Annotated

import typer

from ingest.workers import bulk
from openapi.text import counted
from service import database as service_database
from service.clock import clock
from service.commands.output import CommandFailed, WrongInput, command_group, say
from service.settings import settings_for_command
from storage import copying
from storage.engine import backup
from storage.engine import database as databases

db = command_group("Create, migrate, verify, copy and restore the database.")


def _opened(*, make: bool = False) -> closing[databases.Database]:
    """Return the database at whatever revision it has, to be closed."""
    return closing(service_database.database_of(settings_for_command(), make=make))


@db.command("upgrade")
def db_upgrade(
    copies: Annotated[
        Path | None, typer.Option("--backup", help="Back up the database to this folder first.")
    ] = None,
) -> None:
    """Create or migrate the database. Example: changewire db upgrade"""
    with _opened(make=True) as database:
        before = databases.current_revision(database)
        if copies and before and not databases.is_current(database):
            newest = databases.NEWEST_REVISION
            copy = copies / f"{before}-before-{newest}-{clock():%Y-%m-%dT%H%M%SZ}"
            backup.backup(database, copy)
            say(f"Wrote {copy} ({copy.stat().st_size:,} bytes).")
        changed = databases.upgrade(database)
        revision = databases.current_revision(database)
    done = "Created" if before is None else "Upgraded" if changed else "Already up to date:"
    say(f"{done} {database.engine.url.database} (revision {revision}).")


@db.command("check")
def db_check() -> None:
    """Verify the database and its version. Example: changewire db check"""
    with _opened() as database:
        problems = databases.faults(database)
        revision = databases.current_revision(database)
    if problems:
        raise CommandFailed("; ".join(problems))
    say(f"The database is valid and at revision {revision}.")


@db.command("backup")
def db_backup(file: Annotated[Path, typer.Argument(help="The file to create.")]) -> None:
    """Copy the database while it is in use. Example: changewire db backup /backup/today.db"""
    with _opened() as database:
        backup.backup(database, file)
    command = f"changewire db restore {file} --keep BEFORE"
    say(f"Wrote {file} ({file.stat().st_size:,} bytes). To restore it: {command}")


@db.command("restore")
def db_restore(
    file: Annotated[Path, typer.Argument(help="The backup to restore.")],
    keep: Annotated[
        Path | None, typer.Option(help="Save the current database to this new file.")
    ] = None,
    *,
    discard: Annotated[
        bool, typer.Option("--discard", help="Do not save the current database.")
    ] = False,
) -> None:
    """Restore a backup. Example: changewire db restore today.db --keep before.db"""
    if (keep is None) is not discard:
        raise WrongInput(
            "Restoring replaces the present database: --keep FILE copies it first, --discard does "
            "not; give one of them."
        )
    with _opened(make=True) as database:
        backup.restore(database, file, previous=keep)
        changed = databases.upgrade(database)
        problems = databases.faults(database)
    if problems:
        raise CommandFailed("; ".join(problems))
    say(f"Restored{' and upgraded' if changed else ''} {file}; the database is valid.")


@db.command("copy")
def db_copy(
    source: Annotated[str, typer.Argument(metavar="FROM", help="The address of the database.")],
    target: Annotated[str, typer.Argument(metavar="TO", help="The address of an empty database.")],
) -> None:
    """Copy all data to SQLite or PostgreSQL and compare. Stop servers and workers first.

    Exits 0 only if both are equal. Example: changewire db copy
    sqlite:////var/lib/changewire/changewire.db postgresql+psycopg:///changewire
    """
    may_lose = settings_for_command().database_may_lose_writes
    with (
        closing(databases.open_database(source, may_lose_writes=may_lose, make=False)) as before,
        closing(databases.open_database(target, may_lose_writes=may_lose)) as after,
    ):
        for name, rows in copying.copy_database(before, after):
            say(f"{name}: {counted(rows, 'row', 'rows')}")
        problems = copying.differences(before, after) + databases.faults(after)
    if problems:
        raise CommandFailed(f"The copy is not equal: {'; '.join(problems)}")
    say("Both are equal. Set CHANGEWIRE_DATABASE_URL to the copy and start the service.")


@db.command("bulk")
def db_bulk() -> None:
    """Create the file that /bulk serves now; workers create it daily.

    Example: changewire db bulk
    """
    folder = settings_for_command().bulk
    with _opened() as database:
        try:
            snapshot = bulk.make_snapshot(database, folder, now=clock(), anyway=True)
        except OSError as error:
            raise CommandFailed(f"{folder} cannot hold the snapshot: {error.strerror}.") from error
    if snapshot is None:
        raise CommandFailed("Another process is creating the snapshot.")
    entries = counted(snapshot.entries, "entry", "entries")
    say(f"Wrote {entries} to {folder / snapshot.file} ({snapshot.size:,} bytes).")
