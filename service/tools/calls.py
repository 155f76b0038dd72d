"""What each tool does: one or two calls of the API, and the page that comes of it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from itertools import islice
from types import MappingProxyType
from typing import Any, TypeAlias, cast

from client import Client, UnknownSource
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


Call: TypeAlias = Callable[[Client, Mapping[str, Any], datetime], Found]


def search_sources(client: Client, asked: Mapping[str, Any], _now: datetime) -> Found:
    """Look through the catalog."""
    pages = client.sources(q=asked.get("q"), vendor=asked.get("vendor"), **_place(asked))
    return _page(pages.first())


def get_source(client: Client, asked: Mapping[str, Any], _now: datetime) -> Found:
    """Look up a source."""
    return Found([cast("dict[str, Any]", client.source(asked["slug"]))], total=1)


def get_entries(client: Client, asked: Mapping[str, Any], now: datetime) -> Found:
    """Read what sources published; raises ValueError for a time that is none."""
    since = None if "since" not in asked else parse_since(asked["since"], now=now)
    page = client.entries(asked["sources"], since=since, **_place(asked)).first()
    found = _page(page)
    items = [{name: each[name] for name in each if name != "raw"} for each in found.items]
    return Found(items, found.total, found.offset, {"plan": page["plan"]})


def get_latest(client: Client, asked: Mapping[str, Any], _now: datetime) -> Found:
    """Read the latest entries."""
    return _page(client.latest(**_place(asked)).first())


def get_important(client: Client, asked: Mapping[str, Any], _now: datetime) -> Found:
    """Read the important entries."""
    return _page(client.important(**_place(asked)).first())


def get_diffs(client: Client, asked: Mapping[str, Any], _now: datetime) -> Found:
    """Read what changed at a source; the API gives the newest 20 at once."""
    page = client.diffs(asked["source"])
    offset, limit = asked.get("offset", 0), asked.get("limit", 5)
    items = cast("list[dict[str, Any]]", page["items"])
    return Found(items[offset : offset + limit], len(items), offset, {"source": page["source"]})


def request_source(client: Client, asked: Mapping[str, Any], _now: datetime) -> Found:
    """Ask for a changelog to be added."""
    record = client.request_source(asked["url"], note=asked.get("note"))
    return Found([cast("dict[str, Any]", record)], total=1)


def find_entry(client: Client, source: str, entry_id: str) -> Found:
    """Look for an entry among the newest of its source; raises UnknownSource."""
    for each in islice(client.entries([source]), SEARCHED):
        if entry_id in (each["id"], plain_lines(each["id"])):  # agents see the latter
            return Found([cast("dict[str, Any]", each)], total=1)
    raise UnknownSource(f"The newest {SEARCHED} entries of {source} have no {entry_id}.")


def _place(asked: Mapping[str, Any]) -> dict[str, Any]:
    return {"limit": asked.get("limit", 20), "offset": asked.get("offset", 0)}


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
