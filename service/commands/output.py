"""Output of commands: messages on stderr, results on stdout as tables or JSON."""

import sys
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Annotated, Any

import typer
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from service.terminal_escape import plain, plain_json
from storage.entries.documents import timestamp

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for programs.")]


class CommandFailed(Exception):
    """Raised when a command cannot do its work. The message is one line that says what to do."""

    exit_status = 1


class WrongInput(CommandFailed):
    """Raised when what a command was given cannot be read or used."""

    exit_status = 2


def command_group(purpose: str) -> typer.Typer:
    """Return a group of commands, which says what it is for where no command is named."""
    return typer.Typer(help=purpose, no_args_is_help=True, add_completion=False)


def say(line: str) -> None:
    """Print a message for a person on stderr; stdout is for results."""
    sys.stderr.write(f"{line}\n")


def print_json(value: object) -> None:
    """Print one JSON document on stdout, times to the second."""
    sys.stdout.buffer.write(f"{plain_json(value, default=_time)}\n".encode())


def _time(moment: datetime) -> str:
    return timestamp(moment.replace(microsecond=0))


def record(thing: object, names: str) -> dict[str, Any]:
    """Return attributes of an object by their names, which are separated by spaces."""
    return {name: getattr(thing, name) for name in names.split()}


def print_rows(
    rows: Sequence[Mapping[str, Any]],
    columns: Mapping[str, str] | Sequence[str],
    *,
    json: bool,
    whole: Sequence[str] = (),
) -> None:
    """Print rows as JSON, or as a table of ``columns``: members, by their headings if given."""
    if json:
        print_json(rows)
        return
    members = columns.values() if isinstance(columns, Mapping) else columns
    print_table(tuple(columns), [[cell(row[name]) for name in members] for row in rows], whole)


def cell(value: object) -> str:
    """Return a value as a cell of a table."""
    if isinstance(value, list | tuple):
        return "; ".join(map(str, value))
    if isinstance(value, datetime):
        return f"{value:%Y-%m-%d %H:%M}"
    return "" if value is None else str(value)


def print_table(
    columns: Sequence[str], rows: Iterable[Sequence[str]], whole: Sequence[str] = ()
) -> None:
    """Print rows for people: a table on a terminal, tab-separated lines elsewhere.

    The cells may hold anybody's text: it cannot make rows, colours or terminal commands. The
    columns ``whole`` are never broken into several lines.
    """
    cells = [[plain(cell) for cell in row] for row in rows]
    if not sys.stdout.isatty():
        sys.stdout.writelines("\t".join(row) + "\n" for row in (columns, *cells))
        return
    table = Table(box=SIMPLE_HEAD, header_style="bold", show_edge=False, padding=(0, 1, 0, 0))
    for column in columns:
        table.add_column(column, no_wrap=column in whole, overflow="fold")
    for row in cells:
        table.add_row(*(cell or "–" for cell in row))
    Console(markup=False, emoji=False).print(table)
