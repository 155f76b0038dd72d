"""What every command does the same way: open the database, refuse in one line, print results."""

import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy.orm import Session

from openapi.vocabulary import Json
from service.cleaning import plain, plain_json
from service.logs import set_up_logs
from service.settings import Settings, load_settings, misspelled
from storage.engine.database import (
    Database,
    explain_errors,
    open_database,
    require_current,
    upgrade,
)


class CommandFailed(Exception):
    """A command cannot do what it was asked. The message is one line that says what to do."""


def settings_for_command() -> Settings:
    """Return the settings, and tell a person of variables that look like settings and are none."""
    for line in misspelled():
        say(line)
    return load_settings()


@contextmanager
def opened(*, make: bool = False) -> Iterator[tuple[Settings, Database]]:
    """Give the settings and the database, brought up to date on the embedded default.

    Only commands that begin something ``make`` a database: the others would answer out of a new
    one where its path is mistyped.
    """
    settings = settings_for_command()
    set_up_logs(settings.log, settings.log_level)
    may_lose = settings.database_may_lose_writes
    database = open_database(settings.database_url, may_lose_writes=may_lose, make=make)
    try:
        if database.engine.dialect.name == "sqlite":
            upgrade(database)
        else:
            require_current(database)
        with explain_errors(database.engine):
            yield settings, database
    finally:
        database.close()


def read_contract(file: Path) -> dict[str, Any]:
    """Read a contract that somebody named; raises CommandFailed where it is none."""
    from openapi.contract import parse_contract  # brings YAML along

    try:
        return parse_contract(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise CommandFailed(f"{file} cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise CommandFailed(f"{file} is no text in UTF-8.") from error
    except ValueError as error:
        raise CommandFailed(f"{file}: {' '.join(str(error).split())}") from error


def ids_named(session: Session, slugs: Sequence[str]) -> list[int]:
    """Return the ids of sources; raises CommandFailed where the catalog has not all of them."""
    from storage.catalog.sources import (  # sweeps do without the lists of the catalog
        ids_of,
        near_slugs,
    )

    known = ids_of(session, slugs)
    for slug in slugs:
        if slug not in known:
            near = ", ".join(near_slugs(session, slug))
            raise CommandFailed(
                f"The catalog has no source {slug}." + (f" Did you mean {near}?" if near else "")
            )
    return list(known.values())


def say(line: str) -> None:
    """Tell a person something on stderr; stdout is for what was asked for."""
    sys.stderr.write(f"{line}\n")


def print_json(value: Json) -> None:
    """Print one JSON document on stdout."""
    sys.stdout.buffer.write(f"{plain_json(value)}\n".encode())


def print_table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print rows for people: a table on a terminal, tab-separated lines elsewhere.

    What stands in them comes from anybody: it cannot make rows, colours or commands of its own.
    """
    cells = [[plain(each) for each in row] for row in rows]
    if not sys.stdout.isatty():
        sys.stdout.writelines("\t".join(row) + "\n" for row in (columns, *cells))
        return
    from rich.console import Console  # nobody else needs it
    from rich.table import Table

    table = Table(*columns, box=None, header_style="bold")
    for row in cells:
        table.add_row(*(each or "–" for each in row))
    Console(markup=False, emoji=False).print(table)
