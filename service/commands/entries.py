"""changewire latest, entries, important and diff: the API in a terminal."""

import webbrowser
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Annotated, Any

import typer
from typer.core import TyperCommand

from client import ChangewireError, Client, KeyMissing, Pages, RetryPolicy
from openapi.counts import counted
from service.clock import clock
from service.commands.inputs import CommandFailed, settings_for_command
from service.commands.output import AsJson, say
from service.reader.layout import Line, diff_lines, entry_lines
from service.reader.options import sent, with_filters
from service.reader.screen import write, write_json
from service.reader.selection import (
    MOST_SHOWN,
    address_of,
    address_to_open,
    chosen,
    diffs_since,
    what_is_missing,
)
from service.reader.times import parse_since
from service.terminal_escape import plain, plain_json

PLACE = frozenset({"limit", "offset", "follow"})
"""Parameters that say where in a list to read; the commands decide that."""
TIMEOUT = timedelta(seconds=20)
MOST_SOURCES = 100  # of one request, docs/decisions/0006


class OptionalOpenNumber(TyperCommand):
    """A command that takes ``--open`` without a number as ``--open 1``."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Insert the number where it is missing."""
        complete: list[str] = []
        for argument, following in zip(args, [*args[1:], ""], strict=False):
            complete.append(argument)
            if argument == "--open" and not following.isdecimal():
                complete.append("1")
        return super().parse_args(ctx, complete)


COMMAND_CLASS = OptionalOpenNumber
"""The class of every command in this module."""

Url = Annotated[
    str | None,
    typer.Option(help="The site's or the API's address. Default: CHANGEWIRE_API_URL."),
]
ApiKey = Annotated[
    str | None,
    typer.Option(help="Default: CHANGEWIRE_API_KEY, which others on the machine do not see."),
]
Since = Annotated[
    str | None, typer.Option(help="Only after this: 90m, 12h, 7d, 2w or an ISO 8601 time.")
]
Limit = Annotated[int, typer.Option(min=1, max=MOST_SHOWN, help="How many at most.")]
Source = Annotated[list[str] | None, typer.Option(help="Only this source; repeatable.")]
Open = Annotated[
    int | None,
    typer.Option(
        "--open", min=1, metavar="[N]", help="Open the Nth's page in a browser; 1 if left out."
    ),
]


@with_filters("list_latest", without=PLACE)
def latest(
    url: Url = None,
    api_key: ApiKey = None,
    since: Since = None,
    limit: Limit = 20,
    source: Source = None,
    open_: Open = None,
    *,
    json: AsJson = False,
    **filters: Any,
) -> None:
    """Read the latest entries of all sources. Example: changewire latest --since 12h"""
    after, sources = _after(since), source or ()
    with _connected(url, api_key) as client:
        pages = client.latest(limit=None if after or sources else limit + 1, **sent(filters))
        _read(pages, Selection(after, sources, limit), open_=open_, json=json)


@with_filters("list_important", without=PLACE)
def important(
    url: Url = None,
    api_key: ApiKey = None,
    since: Since = None,
    limit: Limit = 20,
    source: Source = None,
    open_: Open = None,
    *,
    json: AsJson = False,
    **filters: Any,
) -> None:
    """Read breaking changes, deprecations and security fixes.

    Example: changewire important --since 7d --source acme.compute
    """
    after, sources = _after(since), source or ()
    with _connected(url, api_key) as client:
        pages = client.important(limit=None if after or sources else limit + 1, **sent(filters))
        _read(pages, Selection(after, sources, limit), open_=open_, json=json)


@with_filters("list_entries", without={*PLACE, "sources", "since"})
def entries(
    slugs: Annotated[
        list[str] | None, typer.Argument(help="The sources; without any, those of the key.")
    ] = None,
    url: Url = None,
    api_key: ApiKey = None,
    since: Since = None,
    limit: Limit = 20,
    source: Source = None,
    open_: Open = None,
    *,
    json: AsJson = False,
    **filters: Any,
) -> None:
    """Read the entries of sources that your key may read.

    Example: changewire entries acme.compute acme.storage --since 7d --open 2
    """
    after, sources = _after(since), [*(slugs or ()), *(source or ())]
    with _connected(url, api_key) as client:
        read = sources or _selected(client)
        pages = client.entries(read, since=after, limit=limit + 1, **sent(filters))
        _read(pages, Selection(None, (), limit), open_=open_, json=json)


def diff(
    slugs: Annotated[list[str] | None, typer.Argument(help="The source.")] = None,
    url: Url = None,
    api_key: ApiKey = None,
    since: Since = None,
    limit: Limit = 20,
    source: Source = None,
    open_: Open = None,
    *,
    json: AsJson = False,
) -> None:
    """Read what changed at a source between two checks of it.

    Example: changewire diff acme.compute
    """
    after, sources = _after(since), [*(slugs or ()), *(source or ())]
    if len(sources) != 1:
        raise typer.BadParameter("name one source, for example: changewire diff acme.compute")
    with _connected(url, api_key) as client:
        page = client.diffs(sources[0])

    page = diffs_since(page, after, limit)
    _write(page, diff_lines(page), json=json)
    if not page["items"] and not json:
        say("No change was seen.")
    _open([address_of(diff) for diff in page["items"]], open_)


@dataclass(frozen=True, slots=True)
class Selection:
    """Which entries of a list to show: after a time, of some sources (all if none), how many."""

    since: datetime | None
    sources: Sequence[str]
    limit: int


def _read(pages: Pages[Any, Any], selection: Selection, *, open_: int | None, json: bool) -> None:
    items, more = chosen(
        pages, since=selection.since, sources=selection.sources, limit=selection.limit
    )
    page = {**pages.first(), "limit": selection.limit, "items": items} if json else None
    _write(page, entry_lines(items), json=json)
    if not json and (message := what_is_missing(len(items), more=more, limit=selection.limit)):
        say(message)
    _open([entry.get("url") for entry in items], open_)


def _write(page: object, lines: Iterable[Line], *, json: bool) -> None:
    if json:
        write_json(plain_json(page))
    else:
        write(lines)


def _open(addresses: Sequence[str | None], number: int | None) -> None:
    if number is None:
        return
    if number > len(addresses):
        links = counted(len(addresses), "link")
        raise CommandFailed(f"There is no number {number} to open among {links}.")
    address = address_to_open(addresses[number - 1])
    if address is None:
        raise CommandFailed(f"Number {number} has no web address to open.")
    if not webbrowser.open(address):
        raise CommandFailed(f"No browser could be started; the address is {address}")


def _selected(client: Client) -> list[str]:
    """Return the sources of the key."""
    page = client.sources(selected=True, limit=MOST_SOURCES).first()
    if not page["items"]:
        raise CommandFailed("No source is selected for this key; select some at /app/api-keys.")
    if page["total"] > MOST_SOURCES:
        raise CommandFailed(
            f"This key reads {page['total']} sources; name some: changewire entries SLUG…"
        )
    return [source["slug"] for source in page["items"]]


def _after(since: str | None) -> datetime | None:
    try:
        return None if since is None else parse_since(since, now=clock())
    except ValueError as error:
        raise typer.BadParameter(str(error), param_hint="--since") from error


@contextmanager
def _connected(url: str | None, api_key: str | None) -> Iterator[Client]:
    """Give a client; report what it raises in one line."""
    settings = settings_for_command()
    try:
        client = Client(
            url or settings.api_url or settings.site_url,
            api_key or settings.key_to_send,
            timeout=TIMEOUT,
            retry=RetryPolicy(attempts=2, longest_wait=TIMEOUT),
        )
    except ValueError as error:
        raise typer.BadParameter(str(error), param_hint="--url or --api-key") from error
    try:
        with client:
            yield client
    except KeyMissing as error:
        raise CommandFailed(f"{plain(str(error))} Set CHANGEWIRE_API_KEY.") from error
    except ChangewireError as error:
        raise CommandFailed(plain(str(error))) from error
