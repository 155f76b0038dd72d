"""The tools as calls of the API; each returns one page."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import islice
from types import MappingProxyType
from typing import Any, TypeAlias

from client import Client, UnknownSource
from openapi.contract import python_name
from openapi.shapes import UpgradeRemark
from service.reader.times import parse_since
from service.terminal_escape import plain_lines

SEARCHED = 1_000
"""How many of a source's entries are searched for one of them."""


@dataclass(frozen=True, slots=True)
class ResultPage:
    """A page of results: vendors' items, the offset of the first, and further facts."""

    items: list[dict[str, Any]]
    total: int
    offset: int = 0
    facts: dict[str, str] = field(default_factory=dict)


Arguments: TypeAlias = Mapping[str, Any]
"""The arguments of a tool call, by the names of the contract."""
Call: TypeAlias = Callable[[Client, Arguments, datetime], ResultPage]


def search_sources(client: Client, arguments: Arguments, _now: datetime) -> ResultPage:
    """Search the catalog."""
    return _page(client.sources(**_parameters(arguments)).first())


def get_source(client: Client, arguments: Arguments, _now: datetime) -> ResultPage:
    """Return one source."""
    return ResultPage([{**client.source(arguments["slug"])}], total=1)


def get_entries(client: Client, arguments: Arguments, now: datetime) -> ResultPage:
    """Read the entries of sources; raise ValueError for an invalid time."""
    page = client.entries(**_of_entries(arguments, now)).first()
    result = _page(page)
    items = [{name: item[name] for name in item if name != "raw"} for item in result.items]
    return ResultPage(items, result.total, result.offset, {"plan": page["plan"]})


def search_entries(client: Client, arguments: Arguments, now: datetime) -> ResultPage:
    """Search the entries of all sources; raise ValueError for an invalid time."""
    return get_latest(client, arguments, now)


def get_latest(client: Client, arguments: Arguments, now: datetime) -> ResultPage:
    """Read the latest entries; raise ValueError for an invalid time."""
    return _page(client.latest(**_of_entries(arguments, now)).first())


def get_important(client: Client, arguments: Arguments, now: datetime) -> ResultPage:
    """Read the important entries; raise ValueError for an invalid time."""
    return _page(client.important(**_of_entries(arguments, now)).first())


def plan_upgrade(client: Client, arguments: Arguments, _now: datetime) -> ResultPage:
    """Read what lies between two versions of a package, and why something may be missing."""
    page = client.upgrades(**_parameters(arguments)).first()
    facts = {"unknown": _reasons(page["unknown"]), "gaps": _reasons(page["gaps"])}
    return replace(_page(page), facts=facts)


def get_diffs(client: Client, arguments: Arguments, _now: datetime) -> ResultPage:
    """Read what changed at a source; paged here, as the API returns the newest 20 at once."""
    offset, limit = arguments.get("offset", 0), arguments.get("limit", 5)
    others = {name: value for name, value in arguments.items() if name not in ("offset", "limit")}
    page = client.diffs(**{python_name(name): value for name, value in others.items()})
    items = [{**item} for item in page["items"]]
    return ResultPage(
        items[offset : offset + limit], len(items), offset, {"source": page["source"]}
    )


def request_source(client: Client, arguments: Arguments, _now: datetime) -> ResultPage:
    """Request that a changelog is added to the catalog."""
    record = client.request_source(**arguments)
    return ResultPage([{**record}], total=1)


def find_entry(client: Client, source: str, entry_id: str) -> ResultPage:
    """Return an entry, searched among the newest of its source; raise UnknownSource if missing."""
    for entry in islice(client.entries([source]), SEARCHED):
        if entry_id in (entry["id"], plain_lines(entry["id"])):  # agents see the latter
            return ResultPage([{**entry}], total=1)
    raise UnknownSource(f"The newest {SEARCHED} entries of {source} have no {entry_id}.")


def _parameters(arguments: Arguments) -> dict[str, Any]:
    """Return a tool's arguments as arguments of the client's method."""
    return {"limit": 20} | {python_name(name): value for name, value in arguments.items()}


def _of_entries(arguments: Arguments, now: datetime) -> dict[str, Any]:
    """Return the arguments of a tool for entries; raise ValueError for an invalid time."""
    parameters = _parameters(arguments)
    times = {name: parameters[name] for name in ("since", "until") if name in parameters}
    return parameters | {name: parse_since(text, now=now) for name, text in times.items()}


def _reasons(remarks: Sequence[UpgradeRemark]) -> str:
    """Return the reasons of remarks with their counts: nothing that a vendor wrote."""
    return ", ".join(f"{remark['reason']} {remark['count']}" for remark in remarks) or "nothing"


def _page(page: Any) -> ResultPage:
    return ResultPage(page["items"], page["total"], page["offset"])


CALLS: MappingProxyType[str, Call] = MappingProxyType(
    {
        call.__name__: call
        for call in (
            search_sources,
            get_source,
            get_entries,
            search_entries,
            get_latest,
            get_important,
            plan_upgrade,
            get_diffs,
            request_source,
        )
    }
)
