"""The tools as calls of the API; each returns one page."""

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from itertools import islice
from typing import Any, Final, NamedTuple, TypeAlias

from client import Client, Pages, UnknownSource
from openapi.contract import python_name
from openapi.text import counted
from service.clock import parse_since
from service.tools.advice import ToolError, near, nearest, question
from service.tools.results import bounded
from service.tools.tool_list import PAGE, TIMES

SEARCHED: Final = 1_000
"""How many of a source's entries are searched for one of them."""
REMARKS: Final = 20
"""How many remarks on an upgrade are told; each names a part, which may be long."""
Arguments: TypeAlias = Mapping[str, Any]
"""The arguments of a tool call, by the names of the contract."""


class ResultPage(NamedTuple):
    """A page of results; ``whole``: one item by itself, whose texts are cut last."""

    items: list[dict[str, Any]]
    total: int
    offset: int = 0
    facts: Mapping[str, str | bool] = {}
    whole: bool = False


Call: TypeAlias = Callable[[Client, Arguments, datetime], ResultPage]
"""Returns one page; raises ChangewireError, and ValueError for a wrong time."""


def get_source(client: Client, arguments: Arguments, _now: datetime) -> ResultPage:
    """Return one source; raise UnknownSource with similar ones."""
    try:
        return ResultPage([{**client.source(arguments["slug"])}], total=1, whole=True)
    except UnknownSource as error:
        meant = question(near(client, arguments["slug"])).strip()
        raise UnknownSource(error.message, hint=meant) from error


def get_entry(client: Client, arguments: Arguments, _now: datetime) -> ResultPage:
    """Return an entry, searched among the newest of its source; raise ToolError if missing."""
    source, entry_id, others = arguments["source"], arguments["id"], []
    for entry in islice(client.entries([source]), SEARCHED):
        if entry["id"] == entry_id:
            return ResultPage([_without_raw(entry)], total=1, whole=True)
        others.append(entry["id"])
    message = f"The newest {SEARCHED} entries of {source} have no {entry_id}."
    raise ToolError("unknown_entry", message, hint=question(nearest(entry_id, others)).strip())


def get_changes(client: Client, arguments: Arguments, now: datetime) -> ResultPage:
    """Read changes since a cursor; the new one is after the last change that fits a result."""
    parameters = _parameters(arguments, now)
    while True:
        page = client.changes(**parameters)
        changes = [(item["change"], _without_raw(item["entry"])) for item in page["items"]]
        items = [{"change": change, "entry": entry} for change, entry in changes]
        fit = len(bounded(items)[0])
        if fit == len(items):
            _require_vendor(client, arguments, found=fit)
            return ResultPage(items, fit, facts={"next": page["next"], "more": page["more"]})
        parameters["limit"] = fit


def plan_upgrade(client: Client, arguments: Arguments, now: datetime) -> ResultPage:
    """Read what lies between two versions of a package, and why something may be missing.

    The facts hold nothing that a vendor wrote; a package URL has no spaces, so no sentence either.
    """
    page = client.upgrades(**_parameters(arguments, now)).first()
    ends = (
        f"{it['kind'].replace('_', ' ')} {it['to']} ({it['entry']['source']})"
        for it in page["deadlines"]
    )
    parts = sorted((it["verdict"], it["part"]) for it in page["parts"] if "verdict" in it)
    verdicts = (f"{verdict.replace('_', ' ')} ({part})" for verdict, part in parts)
    facts = {
        "verdicts": _listed(verdicts, "none"),
        "unknown": _listed(map(_remark, page["unknown"]), "nothing"),
        "gaps": _listed(map(_remark, page["gaps"]), "nothing"),
        "deadlines": _listed(ends, "none"),
    }
    return ResultPage([{**item} for item in page["items"]], page["total"], page["offset"], facts)


def get_diffs(client: Client, arguments: Arguments, _now: datetime) -> ResultPage:
    """Read what changed at a source; paged here, as the API returns the newest 20 at once."""
    offset, limit = arguments.get("offset", 0), arguments.get("limit", 5)
    page = client.diffs(arguments["source"])
    items = [{**item} for item in page["items"]][offset : offset + limit]
    return ResultPage(items, len(page["items"]), offset, {"source": page["source"]})


def request_source(client: Client, arguments: Arguments, _now: datetime) -> ResultPage:
    """Request that a changelog is added to the catalog."""
    return ResultPage([{**client.request_source(**arguments)}], total=1)


def _require_vendor(client: Client, arguments: Arguments, *, found: int) -> None:
    """Raise ToolError if nothing was found by a vendor that no source has.

    Nothing by a vendor whose name is misspelled would be read as good news.
    """
    vendor = arguments.get("vendor")
    if vendor and not found and not client.sources(vendor=vendor).first()["total"]:
        hint = question(near(client, vendor, "vendor")).strip()
        raise ToolError("unknown_vendor", f"The catalog has no vendor {vendor}.", hint=hint)


def _without_raw(item: Mapping[str, Any]) -> dict[str, Any]:
    return {name: item[name] for name in item if name != "raw"}


def _parameters(arguments: Arguments, now: datetime) -> dict[str, Any]:
    """Return a tool's arguments as arguments of the client's method."""
    return {"limit": PAGE} | {
        python_name(name): parse_since(value, now=now) if name in TIMES else value
        for name, value in arguments.items()
    }


def _listed(lines: Iterable[str], nothing: str) -> str:
    every = list(lines)
    more = [f"and {len(every) - REMARKS:,} more"] if len(every) > REMARKS else []
    return ", ".join([*every[:REMARKS], *more]) or nothing


def _remark(remark: Mapping[str, Any]) -> str:
    count = f", {counted(remark['count'], 'entry', 'entries')}" if remark["count"] else ""
    return f"{remark['reason'].replace('_', ' ')} ({remark['part']}{count})"


def _list(method: Callable[..., Pages[Any, Any]]) -> Call:
    """Return the call of a list of the client."""

    def call(client: Client, arguments: Arguments, now: datetime) -> ResultPage:
        page = method(client, **_parameters(arguments, now)).first()
        _require_vendor(client, arguments, found=page["total"])
        facts = {"plan": page["plan"]} if "plan" in page else {}
        items = [_without_raw(item) for item in page["items"]]
        return ResultPage(items, page["total"], page["offset"], facts)

    return call


CALLS: Final[Mapping[str, Call]] = {
    "search_sources": _list(Client.sources),
    "get_source": get_source,
    "get_entries": _list(Client.entries),
    "get_entry": get_entry,
    "search_entries": _list(Client.latest),
    "get_latest": _list(Client.latest),
    "get_important": _list(Client.important),
    "get_changes": get_changes,
    "get_deadlines": _list(Client.deadlines),
    "plan_upgrade": plan_upgrade,
    "get_diffs": get_diffs,
    "request_source": request_source,
}
