"""changewire follow and deadlines: what comes in, and what is due."""

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from client import ApiError, Client, News, RateLimited, Unavailable, Unreachable
from openapi.counts import counted
from openapi.shapes import EntryChange
from service.commands.entries import PLACE, connected
from service.commands.output import say
from service.reader.layout import change_line, deadline_lines
from service.reader.options import ReadingOptions, reading_command
from service.reader.position import FollowPosition
from service.reader.screen import write, write_json
from service.terminal_escape import escape_invisible, plain_json

WAIT = 25
"""Seconds that a request asks the service to wait for something new."""
FIRST_PAUSE, LONGEST_PAUSE = 1.0, 60.0
CONNECTION = frozenset({"url", "api_key", "json"})
PASSING = (Unreachable, Unavailable, RateLimited)
"""What goes away by itself: following goes on after a pause."""

Slugs = Annotated[list[str] | None, typer.Argument(help="The sources; all of the key without any.")]


@reading_command(
    "list_changes",
    without={*PLACE, "sources", "after", "wait", "since", "until"},
    shared=CONNECTION,
)
def follow(
    slugs: Slugs = None,
    *,
    resume: Annotated[
        Path | None,
        typer.Option(help="Keep the place in this file, and go on from it.", dir_okay=False),
    ] = None,
    beginning: Annotated[
        bool, typer.Option("--beginning", help="Start with everything that there is, not now.")
    ] = False,
    once: Annotated[
        bool, typer.Option("--once", help="End where nothing more is new instead of waiting.")
    ] = False,
    options: ReadingOptions,
    **filters: Any,
) -> None:
    """Print what is new, edited or removed, as it comes, until Ctrl+C.

    With --resume no change is lost, however often the command is killed and started. Into a file
    (>> changes.jsonl) each is printed once; into a pipe the line that a kill cut off may come
    again. With --json each line is a change, as the API gives it.

    Example: changewire follow acme.compute --resume changewire.cursor --json
    """
    position = FollowPosition(resume, None if beginning else "now")
    with connected(options.url, options.api_key) as client:
        try:
            position.resume()
            _follow(client, slugs, position, filters, once=once, as_json=options.json)
        except KeyboardInterrupt:
            say("Stopped.")


def _follow(
    client: Client,
    slugs: list[str] | None,
    position: FollowPosition,
    filters: dict[str, Any],
    *,
    once: bool,
    as_json: bool,
) -> None:
    pause = FIRST_PAUSE
    while True:
        try:
            for page in _pages(client, slugs, position, filters, wait=0 if once else WAIT):
                position.print_page(_lines(page.changes, as_json=as_json), page.cursor)
                pause = FIRST_PAUSE
        except PASSING as error:
            if once:
                raise
            retry_after = error.retry_after if isinstance(error, ApiError) else None
            seconds = max(pause, retry_after.total_seconds() if retry_after else 0)
            say(f"{error.message} Trying again in {counted(round(seconds), 'second')}.")
            time.sleep(seconds)
            pause = min(2 * pause, LONGEST_PAUSE)
            continue
        if once:
            return


def _pages(
    client: Client,
    slugs: list[str] | None,
    position: FollowPosition,
    filters: dict[str, Any],
    *,
    wait: int,
) -> Iterator[News]:
    """Yield what came since the position, until nothing more is there or the wait is over."""
    return client.follow(slugs or None, position.cursor, wait=wait, **filters)


def _lines(changes: list[EntryChange], *, as_json: bool) -> list[str]:
    if as_json:
        return [escape_invisible(json.dumps(item, ensure_ascii=False)) for item in changes]
    return [change_line(item) for item in changes]


@reading_command(
    "list_deadlines", without={*PLACE, "since", "until"}, shared={*CONNECTION, "limit", "source"}
)
def deadlines(options: ReadingOptions, **filters: Any) -> None:
    """List removals, ends of life and migrations by their day, the soonest first.

    Example: changewire deadlines --to 2027-03-01 --source acme.compute
    """
    with connected(options.url, options.api_key) as client:
        items, total = [], 0
        for page in client.deadlines(**filters).pages():
            total = page["total"]
            items += [
                item
                for item in page["items"]
                if not options.source or item["entry"]["source"] in options.source
            ]
            if len(items) >= options.limit:
                break
    items = items[: options.limit]
    if options.json:
        write_json(plain_json({"total": total, "items": items}))
        return
    write(deadline_lines(items))
    if not items:
        say("No deadline was found.")
