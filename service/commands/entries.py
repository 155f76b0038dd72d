"""changewire sources, search, latest, entries, important and diff: the API in a terminal."""

import webbrowser
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Annotated, Any

import typer
from typer.core import TyperCommand

from client import (
    ChangewireError,
    Client,
    InvalidRequest,
    KeyMissing,
    Pages,
    RetryPolicy,
    Unauthorized,
    UnknownSource,
)
from client.transport import BASE_PATH
from handlers.http.refusals import FIND_SLUGS
from openapi.counts import counted
from service.clock import clock
from service.commands.inputs import CommandFailed, settings_for_command
from service.commands.output import say
from service.reader.key_store import address_and_key
from service.reader.layout import IndentedLine, diff_lines, entry_lines, source_lines
from service.reader.options import ReadingOptions, reading_command
from service.reader.screen import write, write_json
from service.reader.selection import (
    address_of,
    address_to_open,
    diffs_since,
    missing_entries_message,
    select_entries,
)
from service.reader.times import parse_since
from service.terminal_escape import plain, plain_json

PLACE = frozenset({"limit", "offset"})
"""Parameters that say where in a list to read; they are no options, the commands set them."""
SHARED = frozenset({*PLACE, "since"})
"""Those that are no options of their own for lists of entries."""
TIMEOUT = timedelta(seconds=20)
NOTHING_FOUND = "Nothing in the catalog is called that. Ask for it at {site}/sources."
FIND_HERE = "changewire sources WORDS finds slugs."
GET_ONE = "Run changewire login, or set CHANGEWIRE_API_KEY."
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

Slugs = Annotated[
    list[str] | None, typer.Argument(help="Slugs of sources, as changewire sources shows them.")
]


@reading_command("list_sources", without={*PLACE, "q"})
def sources(
    words: Annotated[
        list[str], typer.Argument(help="A product, vendor or package, as you call it.")
    ],
    *,
    options: ReadingOptions,
    **filters: Any,
) -> None:
    """Find sources of the catalog, the likeliest first.

    Example: changewire sources google cloud run
    """
    if options.since or options.source:
        raise typer.BadParameter(
            "--since and --source are for entries; here --vendor and --kind narrow."
        )
    with connected(options.url, options.api_key) as client:
        pages = client.sources(q=" ".join(words), limit=options.limit, **filters)
        first, items = pages.first(), list(pages)
        nothing = NOTHING_FOUND.format(site=client.base_url.removesuffix(BASE_PATH))
    page = {**first, "limit": options.limit, "items": items}
    _write(page, source_lines(items), json=options.json)
    if not options.json:
        say(f"{len(items)} of {counted(first['total'], 'source')}." if items else nothing)
    _open([source["changelogUrl"] for source in items], options.open_)


@reading_command("list_latest", without={*SHARED, "q"})
def search(
    words: Annotated[list[str], typer.Argument(help="Words that entries have.")],
    *,
    options: ReadingOptions,
    **filters: Any,
) -> None:
    """Find entries by their words, the newest first.

    '"rate limit"' finds the two words side by side, depre* all words that begin like that; behind
    -- stand words that must not occur. With --source, and a key, the whole text is searched.

    Example: changewire search webhook '"rate limit"' -- -beta
    """
    times, q = _times(options, filters), " ".join(words)
    with connected(options.url, options.api_key) as client:
        arguments = {**filters, **times, "q": q, "limit": options.limit + 1}
        if options.source:
            arguments.pop("future", None)
            pages: Pages[Any, Any] = client.entries(options.source, **arguments)
        else:
            pages = client.latest(**arguments)
        _read(pages, Selection((), options.limit), options)


@reading_command("list_latest", without=SHARED)
def latest(options: ReadingOptions, **filters: Any) -> None:
    """Read the latest entries of all sources. Example: changewire latest --since 12h"""
    _read_list(Client.latest, options, filters)


@reading_command("list_important", without=SHARED)
def important(options: ReadingOptions, **filters: Any) -> None:
    """Read breaking changes, deprecations and security fixes.

    Example: changewire important --since 7d --source acme.compute
    """
    _read_list(Client.important, options, filters)


@reading_command("list_entries", without={*SHARED, "sources"})
def entries(slugs: Slugs = None, *, options: ReadingOptions, **filters: Any) -> None:
    """Read the entries of sources; without slugs, of those selected for your key.

    Example: changewire entries acme.compute acme.storage --since 7d --open 2
    """
    times, sources = _times(options, filters), [*(slugs or ()), *(options.source or ())]
    with connected(options.url, options.api_key) as client:
        pages = client.entries(
            sources or _selected(client), limit=options.limit + 1, **filters | times
        )
        _read(pages, Selection((), options.limit), options)


@reading_command()
def diff(slugs: Slugs = None, *, options: ReadingOptions) -> None:
    """Read what a vendor changed in texts that were published before.

    Example: changewire diff acme.compute
    """
    since, sources = _since(options), [*(slugs or ()), *(options.source or ())]
    if len(sources) != 1:
        raise typer.BadParameter("Name one source, for example: changewire diff acme.compute")
    with connected(options.url, options.api_key) as client:
        page = client.diffs(sources[0])

    page = diffs_since(page, since, options.limit)
    _write(page, diff_lines(page), json=options.json)
    if not page["items"] and not options.json:
        say("No change was seen.")
    _open([address_of(diff) for diff in page["items"]], options.open_)


@dataclass(frozen=True, slots=True)
class Selection:
    """Which entries of a list to show: of some sources (all if none), how many."""

    sources: Sequence[str]
    limit: int

    @property
    def page_size(self) -> int | None:
        """Entries to request at once: one more than is shown; None where some may be skipped."""
        return None if self.sources else self.limit + 1


def _read_list(
    list_: Callable[..., Pages[Any, Any]], options: ReadingOptions, filters: dict[str, Any]
) -> None:
    """Show a list of all sources, or what it has of some."""
    selection = Selection(options.source or (), options.limit)
    times = _times(options, filters)
    with connected(options.url, options.api_key) as client:
        pages = list_(client, limit=selection.page_size, **filters | times)
        _read(pages, selection, options)


def _read(pages: Pages[Any, Any], selection: Selection, options: ReadingOptions) -> None:
    items, more = select_entries(pages, sources=selection.sources, limit=selection.limit)
    page = {**pages.first(), "limit": selection.limit, "items": items} if options.json else None
    _write(page, entry_lines(items), json=options.json)
    if not options.json and (
        message := missing_entries_message(len(items), more=more, limit=selection.limit)
    ):
        say(message)
    _open([entry.get("url") for entry in items], options.open_)


def _write(page: object, lines: Iterable[IndentedLine], *, json: bool) -> None:
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
        raise CommandFailed(
            "No source can be used with this key: none is selected, or more than the plan covers. "
            "Choose some at /app/api-keys."
        )
    if page["total"] > MOST_SOURCES:
        raise CommandFailed(
            f"This key reads {page['total']} sources; name some: changewire entries SLUG…"
        )
    return [source["slug"] for source in page["items"]]


def _since(options: ReadingOptions) -> datetime | None:
    return None if options.since is None else _time(options.since, "--since")


def _times(options: ReadingOptions, filters: dict[str, Any]) -> dict[str, datetime | None]:
    """Return the span of time that was asked for, as arguments of the client's method."""
    until = filters.get("until")
    return {"since": _since(options), "until": None if until is None else _time(until, "--until")}


def _time(text: str, option: str) -> datetime:
    try:
        return parse_since(text, now=clock())
    except ValueError as error:
        raise typer.BadParameter(str(error), param_hint=option) from error


@contextmanager
def connected(url: str | None, api_key: str | None) -> Iterator[Client]:
    """Give a client of the API; turn its errors into CommandFailed."""
    try:
        address, key = address_and_key(settings_for_command(), url, api_key)
        client = Client(
            address,
            key,
            timeout=TIMEOUT,
            retry=RetryPolicy(attempts=2, longest_wait=TIMEOUT),
        )
    except ValueError as error:
        raise typer.BadParameter(str(error), param_hint="--url or --api-key") from error
    try:
        with client:
            yield client
    except ChangewireError as error:
        raise CommandFailed(plain(f"{error.message} {_advice(error)}".strip())) from error


def _advice(error: ChangewireError) -> str:
    """Return what to do in a terminal: hints of the API are about requests."""
    match error:
        case KeyMissing() | Unauthorized():
            return GET_ONE
        case UnknownSource():
            return FIND_HERE
        case InvalidRequest():
            return ""
        case _:
            return (error.hint or "").replace(FIND_SLUGS, FIND_HERE)
