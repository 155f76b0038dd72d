"""Parameters that meet: filters with filters, since with pages, sources with a limit."""

from typing import Any

from conformance.checks.probe import Audience, Probe, check

_FILTERS = ("vendor", "kind", "adapterType")


@check(
    "specification 4.1",
    "Returns a page of the full catalog, with all filters.",
    operation="GET /sources",
    audience=Audience.KEY,
)
def filters_work_together(probe: Probe) -> None:
    page = probe.get("/sources", {"limit": 100})
    sources = probe.needs(page.items, "the catalog is empty")
    first, last = sources[0], sources[-1]
    for one, other in (("vendor", "kind"), ("kind", "adapterType"), ("adapterType", "vendor")):
        for source in (first, last):
            _filtered(probe, sources, {one: first[one], other: source[other]})


@check(
    "docs/decisions/0109",
    "q narrows what the filters let through: every source it finds has its words.",
    operation="GET /sources",
    audience=Audience.KEY,
)
def filters_work_with_a_search(probe: Probe) -> None:
    sources = probe.needs(probe.get("/sources", {"limit": 100}).items, "the catalog is empty")
    for name in _FILTERS:
        _filtered(probe, sources, {name: sources[0][name]}, q=str(sources[-1]["name"]))


def _filtered(
    probe: Probe, sources: list[dict[str, Any]], filters: dict[str, Any], *, q: str = ""
) -> None:
    """Expect the sources that every filter lets through, and their number."""
    response = probe.get("/sources", {**filters, **({"q": q} if q else {}), "limit": 100})
    items, counted = response.items, int(response.field("total") or 0)
    stray = [item["slug"] for item in items if not _fits(item, filters, q)]
    probe.expect(not stray, response, f"has {', '.join(stray[:3])}")
    missing = [item["slug"] for item in sources if _fits(item, filters, q) and item not in items]
    probe.expect(counted > 100 or not missing, response, f"does not have {', '.join(missing[:3])}")
    probe.expect(counted > 100 or counted == len(items), response, f"counts {counted}")


def _fits(item: dict[str, Any], filters: dict[str, Any], q: str) -> bool:
    text = f"{item.get('name')}\n{item.get('vendor')}".casefold()
    return q.casefold() in text and all(item.get(name) == filters[name] for name in filters)


@check(
    "specification 4.1",
    "selected: When 1, returns only the sources available to the key; with all filters.",
    operation="GET /sources",
    audience=Audience.KEY,
)
def selected_sources_are_filtered_too(probe: Probe) -> None:
    mine = probe.get("/sources", {"selected": 1, "limit": 100}).items
    probe.needs(mine, "no source is selected for the key")
    last = mine[-1]
    wanted = {"kind": str(last["kind"]), "vendor": str(last["vendor"])}
    response = probe.get("/sources", {"selected": 1, **wanted})
    stray = [item["slug"] for item in response.items if not _fits(item, wanted, "")]
    probe.expect(not stray, response, f"has {', '.join(stray[:3])}")
    nothing = probe.get("/sources", {"selected": 1, "vendor": "nobody-is-called-this"})
    probe.expect(nothing.field("total") == 0, nothing, "found sources of nobody")
