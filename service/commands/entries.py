"""changewire sources, search, entries and deadlines: the API in a terminal."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Annotated, Any, Final, TypeAlias

import typer

from client import Client, Pages
from openapi.contract import load_operations
from openapi.shapes import Change, ChangelogSource, EntryDeadline
from openapi.text import shortened
from openapi.vocabulary import Category
from service.commands.api import PAGE, ApiOptions, api_command, connected, site_of
from service.commands.output import CommandFailed, print_json, print_table, say

MOST_SHOWN: Final = 1_000
MOST_SOURCES: Final = 100
"""Sources of a key that are read without being named."""
LONGEST_TEXT: Final = 200

Limit = Annotated[int, typer.Option(min=1, max=MOST_SHOWN, help="Number of items to show.")]
Slugs = Annotated[list[str] | None, typer.Argument(help="Slugs, as listed by changewire sources.")]
Row: TypeAlias = dict[str, str]
"""An item as a row of a table, by its headings."""
_LISTS = {"list_latest": "--latest", "list_important": "--important", "list_entries": "slugs"}


def minute(instant: str) -> str:
    """Return a time of the API, RFC 3339 in UTC, to the minute."""
    return f"{instant[:10]} {instant[11:16]}"


def _source(source: ChangelogSource) -> Row:
    return {
        "slug": source["slug"],
        "name": source["name"],
        "tier": source.get("tier") or "",
        "health": source.get("health") or "",
        "address": source["changelogUrl"],
    }


def _entry(entry: Any) -> Row:
    place = {"published": minute(entry["published_at"]), "source": entry["source"]}
    return place | {"title": entry["title"], "address": entry.get("url") or ""}


def _important(entry: Any) -> Row:
    importance = entry["importance"]
    return {
        "published": minute(entry["published_at"]),
        "source": entry["source"],
        "category": ", ".join(importance["categories"]),
        "deadline": ", ".join(map(_days, importance.get("deadlines", ()))),
        "title": entry["title"],
        "address": entry.get("url") or "",
    }


def _deadline(deadline: EntryDeadline) -> Row:
    entry, kind = deadline["entry"], deadline["kind"].replace("_", " ")
    what = deadline["subject"] or entry["title"]
    if deadline["successor"]:
        what = f"{what} → {deadline['successor']}"
    about = {"source": entry["source"], "what": what, "address": entry.get("url") or ""}
    return {"day": _days(deadline), "kind": kind, **about}


def _days(deadline: Mapping[str, Any]) -> str:
    first, last = str(deadline["from"]), str(deadline["to"])
    return first if first == last else f"{first} to {last}"


@api_command("list_sources", without={*PAGE, "q"})
def sources(
    words: Annotated[list[str] | None, typer.Argument(help="A product, vendor or package.")] = None,
    *,
    limit: Limit = 20,
    options: ApiOptions,
    filters: dict[str, Any],
) -> None:
    """Search the catalog, best match first.

    Example: changewire sources google cloud run
    """
    q = " ".join(words or ()) or None
    with connected(options) as client:
        total = _show(client.sources(q=q, limit=limit, **filters), _source, options, limit)
        if not total and not options.json:
            say(f"Request one at {site_of(client)}/sources.")


@api_command("list_latest", without={*PAGE, "q"})
def search(
    words: Annotated[list[str], typer.Argument(help="Search terms.")],
    *,
    limit: Limit = 20,
    options: ApiOptions,
    filters: dict[str, Any],
) -> None:
    """Search the entries of all sources, newest first.

    '"rate limit"' matches a phrase, depre* the beginning of a word; after --, words that begin with
    a hyphen are excluded. For the whole text of a source: changewire entries SLUG --q WORDS

    Example: changewire search webhook '"rate limit"' -- -beta
    """
    with connected(options) as client:
        pages = client.latest(q=" ".join(words), limit=limit, **filters)
        _show(pages, _entry, options, limit)


@api_command("list_entries", "list_latest", "list_important", without={*PAGE, "sources"})
def entries(
    slugs: Slugs = None,
    *,
    latest: Annotated[
        bool, typer.Option("--latest", help="The latest entries of all sources.")
    ] = False,
    important: Annotated[
        bool, typer.Option("--important", help="Breaking changes, deprecations and security fixes.")
    ] = False,
    diffs: Annotated[bool, typer.Option("--diffs", help="Edits after publication.")] = False,
    limit: Limit = 20,
    options: ApiOptions,
    filters: dict[str, Any],
) -> None:
    """List entries, newest first; without slugs, those of all your key's sources.

    --latest and --important list all sources, and need no key; --diffs takes one slug.

    Example: changewire entries acme.compute acme.storage --since 7d
    """
    if latest + important + diffs > 1 or (latest and slugs):
        raise typer.BadParameter("Use one of SLUGS, --latest, --important and --diffs.")
    with connected(options) as client:
        if diffs:
            _show_diffs(client, slugs, filters, options, limit)
            return
        row: Callable[[Any], Row] = _entry
        if latest:
            pages: Pages[Any, Any] = client.latest(**_of("list_latest", filters), limit=limit)
        elif important and not slugs:
            row = _important
            pages = client.important(**_of("list_important", filters), limit=limit)
        else:
            filters |= {"category": filters.get("category", [*Category])} if important else {}
            named = slugs or _sources_of_key(client)
            pages = client.entries(named, **_of("list_entries", filters), limit=limit)
        _show(pages, row, options, limit)


@api_command("list_deadlines", without={*PAGE, "format"})
def deadlines(*, limit: Limit = 20, options: ApiOptions, filters: dict[str, Any]) -> None:
    """List removals, ends of life and migrations, soonest first.

    Example: changewire deadlines --to 2027-03-01 --vendor acme
    """
    with connected(options) as client:
        _show(client.deadlines(limit=limit, **filters), _deadline, options, limit)


def _of(operation_id: str, filters: dict[str, Any]) -> dict[str, Any]:
    """Return filters; refuse one that an operation does not have."""
    names = {
        operation.operation_id: {parameter.python_name for parameter in operation.parameters}
        for operation in load_operations()
    }
    for name in sorted(filters.keys() - names[operation_id]):
        lists = " or ".join(option for id_, option in _LISTS.items() if name in names[id_])
        raise typer.BadParameter(f"--{name.strip('_').replace('_', '-')} needs {lists}.")
    return filters


def _sources_of_key(client: Client) -> list[str]:
    page = client.sources(selected=True, limit=MOST_SOURCES).first()
    if not page["items"]:
        raise CommandFailed(
            "This key reads no source: the account follows none, or more than the plan covers. "
            f"Follow sources at {site_of(client)}/app/sources."
        )
    if page["total"] > MOST_SOURCES:
        raise CommandFailed(
            f"This key reads {page['total']} sources; name some: changewire entries SLUG…"
        )
    return [source["slug"] for source in page["items"]]


def _show(
    pages: Pages[Any, Any], row: Callable[[Any], Row], options: ApiOptions, limit: int
) -> int:
    """Print a list, and how much of it is left out; return how many items there are."""
    every = list(pages.pages())
    items = [item for page in every for item in page["items"]]
    total = int(every[0]["total"])
    if options.json:
        print_json({**every[0], "limit": limit, "items": items})
    elif not items:
        say("Nothing was found.")
    else:
        rows = [row(item) for item in items]
        print_table(tuple(rows[0]), [tuple(each.values()) for each in rows])
        if len(items) < total:
            say(f"{len(items)} of {total:,} shown.")
    return total


def _show_diffs(
    client: Client,
    slugs: Sequence[str] | None,
    filters: dict[str, Any],
    options: ApiOptions,
    limit: int,
) -> None:
    if not slugs or len(slugs) > 1 or filters.keys() - {"since"}:
        raise typer.BadParameter("--diffs takes one slug, --since and --limit.")
    since = filters.get("since")
    page: dict[str, Any] = {**client.diffs(slugs[0])}
    items = [
        item
        for item in page["items"]
        if since is None or datetime.fromisoformat(item["after"]["fetchedAt"]) > since
    ][:limit]
    if options.json:
        print_json({**page, "items": items})
    elif not items:
        say("No change was seen.")
    else:
        rows = [
            (minute(item["after"]["fetchedAt"]), *_change_cells(change))
            for item in items
            for change in item["changes"]
        ]
        print_table(("seen", "change", "title", "fields"), rows)


def _change_cells(change: Change) -> tuple[str, str, str]:
    about = change["after"] or change["before"] or {}
    fields = (
        f"{field['path']}: {_short(field['before'])} → {_short(field['after'])}"
        for field in change["fields"]
    )
    title = about.get("title") or about.get("text") or change.get("entryId")
    return change["op"].replace("_", " "), _short(title), "; ".join(fields)


def _short(value: object) -> str:
    return "–" if value is None else shortened(str(value), LONGEST_TEXT)
