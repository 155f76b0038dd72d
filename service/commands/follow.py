"""changewire follow: changes as they arrive."""

import json
import sys
import time
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from client import ApiError, News, RateLimited, Unavailable, Unreachable
from openapi.shapes import EntryChange
from openapi.text import counted
from service.commands.api import PAGE, ApiOptions, api_command, connected
from service.commands.entries import minute
from service.commands.output import CommandFailed, say
from service.terminal_escape import escape_invisible, plain

WAIT_SECONDS: Final = 25
"""How long one request asks the service to wait for something new."""
FIRST_PAUSE_SECONDS, LONGEST_PAUSE_SECONDS = 1.0, 60.0
PASSING: Final = (Unreachable, Unavailable, RateLimited)
"""Errors that go away by themselves: following goes on after a pause."""

Slugs = Annotated[list[str] | None, typer.Argument(help="Slugs; default: all sources of the key.")]


@api_command("list_changes", without={*PAGE, "sources", "after", "wait"})
def follow(
    slugs: Slugs = None,
    *,
    resume: Annotated[
        Path | None,
        typer.Option(help="Store the cursor in this file and continue from it.", dir_okay=False),
    ] = None,
    beginning: Annotated[
        bool, typer.Option("--beginning", help="Start from the beginning instead of now.")
    ] = False,
    once: Annotated[
        bool, typer.Option("--once", help="Exit instead of waiting for new changes.")
    ] = False,
    options: ApiOptions,
    filters: dict[str, Any],
) -> None:
    """Print new, edited and removed entries as they arrive, until Ctrl+C.

    With --resume no change is lost when the command is stopped or killed; the last changes before
    a kill may be printed again. With --json each line is a change, as the API returns it.

    Example: changewire follow acme.compute --resume changewire.cursor --json
    """
    with connected(options) as client:
        ask = partial(client.follow, slugs or None, wait=0 if once else WAIT_SECONDS, **filters)
        try:
            cursor = _kept_cursor(resume) or (None if beginning else "now")
            _follow(ask, cursor, resume, once=once, as_json=options.json)
        except KeyboardInterrupt:
            say("Stopped.")


def _kept_cursor(file: Path | None) -> str | None:
    """Return the cursor in a file; None without a file."""
    try:
        if file is None or not file.exists():
            return None
        return file.read_text(encoding="ascii").strip()
    except (OSError, ValueError) as error:
        raise CommandFailed(f"{file} holds no cursor: {error}") from error


def _keep_cursor(file: Path, cursor: str) -> None:
    """Write a cursor. The file has the old one or the new one, whatever happens."""
    try:
        part = file.with_name(f"{file.name}.part")
        part.write_text(f"{cursor}\n", encoding="ascii")
        part.replace(file)
    except OSError as error:
        raise CommandFailed(f"{file} cannot be written: {error.strerror}.") from error


def _follow(
    ask: Callable[[str | None], Iterable[News]],
    cursor: str | None,
    file: Path | None,
    *,
    once: bool,
    as_json: bool,
) -> None:
    pause = FIRST_PAUSE_SECONDS
    while True:
        try:
            for page in ask(cursor):
                _print(page, as_json=as_json)
                if file is not None and page.cursor != cursor:
                    _keep_cursor(file, page.cursor)
                cursor, pause = page.cursor, FIRST_PAUSE_SECONDS
        except PASSING as error:
            if once:
                raise
            retry_after = error.retry_after if isinstance(error, ApiError) else None
            seconds = max(pause, retry_after.total_seconds() if retry_after else 0)
            say(f"{error.message} Trying again in {counted(round(seconds), 'second')}.")
            time.sleep(seconds)
            pause = min(2 * pause, LONGEST_PAUSE_SECONDS)
            continue
        if once:
            return


def _print(page: News, *, as_json: bool) -> None:
    lines = "".join(f"{line}\n" for line in _lines(page.changes, as_json))
    try:
        sys.stdout.buffer.write(lines.encode())
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        raise  # the reader has ended, as `head` does
    except OSError as error:
        raise CommandFailed(f"The changes cannot be printed: {error.strerror}.") from error


def _lines(changes: Iterable[EntryChange], as_json: bool) -> Iterable[str]:
    if as_json:
        return (escape_invisible(json.dumps(item, ensure_ascii=False)) for item in changes)
    return map(_line, changes)


def _line(change: EntryChange) -> str:
    """Return a change on one line: when, what, where, the title, the vendor's page."""
    entry = change["entry"]
    parts = (minute(entry["published_at"]), change["change"], entry["source"], entry["title"])
    return "  ".join(plain(part) for part in (*parts, entry.get("url") or "") if part)
