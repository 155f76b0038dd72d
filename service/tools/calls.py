"""What each tool does: one or two calls of the API, and the page that comes of it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from itertools import islice
from types import MappingProxyType
from typing import Any, TypeAlias, cast

from client import Client, UnknownSource
from openapi.contract import python_name
from service.reader.times import parse_since
from service.terminal_escape import plain_lines

SEARCHED = 1_000
"""How many entries of a source are looked through for one of them."""


@dataclass(frozen=True, slots=True)
class Found:
    """A page for an agent: vendors' items, where they start in the list, and facts of ours."""

    items: list[dict[str, Any]]
    total: int
    offset: int = 0
    facts: dict[str, str] = field(default_factory=dict)


Arguments: TypeAlias = Mapping[str, Any]
"""What an agent gives a tool, by the names of the contract."""
Call: TypeAlias = Callable[[Client, Arguments, datetime], Found]


def search_sources(client: Client, arguments: Arguments, _now: datetime) -> Found:
    """Look through the catalog."""
    return _page(client.sources(**_parameters(arguments)).first())


def get_source(client: Client, arguments: Arguments, _now: datetime) -> Found:
    """Look up a source."""
    return Found([cast("dict[str, Any]", client.source(arguments["slug"]))], total=1)


def get_entries(client: Client, arguments: Arguments, now: datetime) -> Found:
    """Read what sources published; raises ValueError for a time that is none."""
    parameters = _parameters(arguments)
    if "since" in parameters:
        parameters["since"] = parse_since(parameters["since"], now=now)
    page = client.entries(**parameters).first()
    found = _page(page)
    items = [{name: item[name] for name in item if name != "raw"} for item in found.items]
    return Found(items, found.total, found.offset, {"plan": page["plan"]})


def get_latest(client: Client, arguments: Arguments, _now: datetime) -> Found:
    """Read the latest entries."""
    return _page(client.latest(**_parameters(arguments)).first())


def get_important(client: Client, arguments: Arguments, _now: datetime) -> Found:
    """Read the important entries."""
    return _page(client.important(**_parameters(arguments)).first())


def get_diffs(client: Client, arguments: Arguments, _now: datetime) -> Found:
    """Read what changed at a source; the API gives the newest 20 at once."""
    offset, limit = arguments.get("offset", 0), arguments.get("limit", 5)
    others = {name: value for name, value in arguments.items() if name not in ("offset", "limit")}
    page = client.diffs(**{python_name(name): value for name, value in others.items()})
    items = cast("list[dict[str, Any]]", page["items"])
    return Found(items[offset : offset + limit], len(items), offset, {"source": page["source"]})


def request_source(client: Client, arguments: Arguments, _now: datetime) -> Found:
    """Ask for a changelog to be added."""
    record = client.request_source(**arguments)
    return Found([cast("dict[str, Any]", record)], total=1)


def find_entry(client: Client, source: str, entry_id: str) -> Found:
    """Look for an entry among the newest of its source; raises UnknownSource."""
    for entry in islice(client.entries([source]), SEARCHED):
        if entry_id in (entry["id"], plain_lines(entry["id"])):  # agents see the latter
            return Found([cast("dict[str, Any]", entry)], total=1)
    raise UnknownSource(f"The newest {SEARCHED} entries of {source} have no {entry_id}.")


def _parameters(arguments: Arguments) -> dict[str, Any]:
    """Return the arguments of a tool as those of the client's method."""
    return {"limit": 20} | {python_name(name): value for name, value in arguments.items()}


def _page(page: Any) -> Found:
    return Found(page["items"], page["total"], page["offset"])


CALLS: MappingProxyType[str, Call] = MappingProxyType(
    {
        call.__name__: call
        for call in (
            search_sources,
            get_source,
            get_entries,
            get_latest,
            get_important,
            get_diffs,
            request_source,
        )
    }
)
