"""The tools as calls of the API; each returns one page."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import islice
from types import MappingProxyType
from typing import Any, TypeAlias

from client import Client, UnknownSource
from openapi.contract import python_name
from openapi.counts import counted
from openapi.shapes import EntryDeadline, UpgradeRemark
from service.clock import parse_since
from service.tools.size_limit import bounded
from service.tools.suggestions import near_sources, near_vendors, nearest, question

SEARCHED = 1_000
"""How many of a source's entries are searched for one of them."""
PAGE = 20
REMARKS = 20
"""How many remarks on an upgrade are told; each names a part, which may be long."""


@dataclass(frozen=True, slots=True)
class ResultPage:
    """A page of results: vendors' items, the offset of the first, and further facts."""

    items: list[dict[str, Any]]
    total: int
    offset: int = 0
    facts: Mapping[str, str | bool] = field(default_factory=dict)
    whole: bool = False
    """Whether it is one item that was asked for by itself, whose texts are cut last."""


Arguments: TypeAlias = Mapping[str, Any]
"""The arguments of a tool call, by the names of the contract."""
Call: TypeAlias = Callable[[Client, Arguments, datetime], ResultPage]


def search_sources(client: Client, arguments: Arguments, _now: datetime) -> ResultPage:
    """Search the catalog."""
    page = _page(client.sources(**_parameters(arguments)).first())
    return _of_vendor(page, client, arguments)


def get_source(client: Client, arguments: Arguments, _now: datetime) -> ResultPage:
    """Return one source; raise UnknownSource with similar ones."""
    slug = arguments["slug"]
    try:
        source = client.source(slug)
    except UnknownSource as error:
        meant = question(near_sources(client, slug)).strip()
        raise UnknownSource(error.message, hint=meant) from error
    return ResultPage([{**source}], total=1, whole=True)


def get_entries(client: Client, arguments: Arguments, now: datetime) -> ResultPage:
    """Read the entries of sources; raise ValueError for an invalid time."""
    page = client.entries(**_of_entries(arguments, now)).first()
    result = _page(page)
    items = [_without_raw(item) for item in result.items]
    result = ResultPage(items, result.total, result.offset, {"plan": page["plan"]})
    return _of_vendor(result, client, arguments)


def get_entry(client: Client, arguments: Arguments, _now: datetime) -> ResultPage:
    """Return one entry with its whole text; raise UnknownEntry if it is missing."""
    page = find_entry(client, arguments["source"], arguments["id"])
    return replace(page, items=[_without_raw(item) for item in page.items])


def get_changes(client: Client, arguments: Arguments, now: datetime) -> ResultPage:
    """Read what is new, edited or removed since a cursor; raise ValueError for an invalid time.

    The cursor is the one after the last change that fits into a result.
    """
    parameters = _of_entries(arguments, now)
    while True:
        page = client.changes(**parameters)
        items = [
            {"change": item["change"], "entry": _without_raw(item["entry"])}
            for item in page["items"]
        ]
        if (fit := len(bounded(items).items)) == len(items):
            facts: dict[str, str | bool] = {"next": page["next"], "more": page["more"]}
            return _of_vendor(ResultPage(items, len(items), facts=facts), client, arguments)
        parameters["limit"] = fit


def get_deadlines(client: Client, arguments: Arguments, now: datetime) -> ResultPage:
    """Read the days by which readers have to act; raise ValueError for an invalid time."""
    page = _page(client.deadlines(**_of_entries(arguments, now)).first())
    return _of_vendor(page, client, arguments)


def search_entries(client: Client, arguments: Arguments, now: datetime) -> ResultPage:
    """Search the entries of all sources; raise ValueError for an invalid time."""
    return get_latest(client, arguments, now)


def get_latest(client: Client, arguments: Arguments, now: datetime) -> ResultPage:
    """Read the latest entries; raise ValueError for an invalid time."""
    page = _page(client.latest(**_of_entries(arguments, now)).first())
    return _of_vendor(page, client, arguments)


def get_important(client: Client, arguments: Arguments, now: datetime) -> ResultPage:
    """Read the important entries; raise ValueError for an invalid time."""
    page = _page(client.important(**_of_entries(arguments, now)).first())
    return _of_vendor(page, client, arguments)


def plan_upgrade(client: Client, arguments: Arguments, _now: datetime) -> ResultPage:
    """Read what lies between two versions of a package, and why something may be missing."""
    page = client.upgrades(**_parameters(arguments)).first()
    facts = {
        "unknown": _reasons(page["unknown"]),
        "gaps": _reasons(page["gaps"]),
        "deadlines": _days(page["deadlines"]),
    }
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


class UnknownEntry(UnknownSource):
    """The newest entries of a source have none with this id."""


class UnknownVendor(UnknownSource):
    """The catalog has no source of this vendor."""


def find_entry(client: Client, source: str, entry_id: str) -> ResultPage:
    """Return an entry, searched among the newest of its source; raise UnknownEntry if missing."""
    others = []
    for entry in islice(client.entries([source]), SEARCHED):
        if entry["id"] == entry_id:
            return ResultPage([{**entry}], total=1, whole=True)
        others.append(entry["id"])
    raise UnknownEntry(
        f"The newest {SEARCHED} entries of {source} have no {entry_id}.",
        hint=question(nearest(entry_id, others)).strip(),
    )


def _of_vendor(page: ResultPage, client: Client, arguments: Arguments) -> ResultPage:
    """Return a page; raise UnknownVendor if it is empty and no source has the vendor.

    Nothing by a vendor whose name is misspelled would be read as good news.
    """
    vendor = arguments.get("vendor")
    if vendor is None or page.items or page.total or client.sources(vendor=vendor).first()["total"]:
        return page
    raise UnknownVendor(
        f"The catalog has no vendor {vendor}.",
        hint=question(near_vendors(client, vendor)).strip(),
    )


def _without_raw(entry: Mapping[str, Any]) -> dict[str, Any]:
    return {name: entry[name] for name in entry if name != "raw"}


def _parameters(arguments: Arguments) -> dict[str, Any]:
    """Return a tool's arguments as arguments of the client's method."""
    return {"limit": PAGE} | {python_name(name): value for name, value in arguments.items()}


def _of_entries(arguments: Arguments, now: datetime) -> dict[str, Any]:
    """Return the arguments of a tool for entries; raise ValueError for an invalid time."""
    parameters = _parameters(arguments)
    times = {name: parameters[name] for name in ("since", "until") if name in parameters}
    return parameters | {name: parse_since(text, now=now) for name, text in times.items()}


def _reasons(remarks: Sequence[UpgradeRemark]) -> str:
    """Return why something is not known, and of which parts: nothing that a vendor wrote.

    A package URL has no spaces, so that no sentence stands in it.
    """
    lines = [
        f"{remark['reason'].replace('_', ' ')} ({remark['part']}"
        + (f", {counted(remark['count'], 'entry', 'entries')})" if remark["count"] else ")")
        for remark in remarks[:REMARKS]
    ]
    more = [f"and {len(remarks) - REMARKS:,} more"] if len(remarks) > REMARKS else []
    return ", ".join([*lines, *more]) or "nothing"


def _days(deadlines: Sequence[EntryDeadline]) -> str:
    """Return what ends on which day, and which source says so: nothing that a vendor wrote."""
    lines = [
        f"{it['kind'].replace('_', ' ')} {it['to']} ({it['entry']['source']})"
        for it in deadlines[:REMARKS]
    ]
    more = [f"and {len(deadlines) - REMARKS:,} more"] if len(deadlines) > REMARKS else []
    return ", ".join([*lines, *more]) or "none"


def _page(page: Any) -> ResultPage:
    return ResultPage(page["items"], page["total"], page["offset"])


CALLS: MappingProxyType[str, Call] = MappingProxyType(
    {
        call.__name__: call
        for call in (
            search_sources,
            get_source,
            get_entries,
            get_entry,
            search_entries,
            get_latest,
            get_important,
            get_changes,
            get_deadlines,
            plan_upgrade,
            get_diffs,
            request_source,
        )
    }
)
