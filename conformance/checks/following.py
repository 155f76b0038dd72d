"""Following entries without loss, and the neighbours of a page (docs/decisions/0041)."""

import re
from typing import Any
from urllib.parse import parse_qs, urlsplit

from conformance.checks.probe import Audience, Probe, check
from conformance.http_messages import Response

_OPERATION = "GET /entries"
_LINK = re.compile(r'<([^<>]*)>; rel="([a-z]+)"')
_NEVER_GIVEN = ("soon", "1", "AAAAAAAAAAAAAAAA", "start,now", "-", "9" * 40, "%00", "Start")
_MOST_PAGES = 40


def links_of(response: Response) -> dict[str, str]:
    """Return the URLs of a Link header by their relation (RFC 8288 §3)."""
    return {
        relation: address for address, relation in _LINK.findall(response.headers.get("link", ""))
    }


def _source(probe: Probe) -> str:
    return str(probe.needs(probe.caller.sources, "no source is selected for the key")[0])


def _next(probe: Probe, response: Response) -> str:
    """Return the query of the next link, which has to be the only link and of this service."""
    links = links_of(response)
    probe.expect([*links] == ["next"], response, f"names {[*links]} instead of next alone")
    address = urlsplit(links.get("next", ""))
    right = address.path.endswith("/entries") and "follow" in parse_qs(address.query)
    probe.expect(right, response, f"does not say where to go on: {links}")
    return address.query if right else "follow=missing"


def _all(probe: Probe, query: str) -> tuple[list[dict[str, Any]], str, Response]:
    """Return all entries after a cursor, the query with the next cursor, and the last response."""
    entries: list[dict[str, Any]] = []
    for _ in range(_MOST_PAGES):
        response = probe.get("/entries", query)
        query = _next(probe, response)
        if not response.items:
            break
        entries += response.items
    return entries, query, response


@check(
    "docs/decisions/0041",
    "follow=start gives every entry of the sources, however old.",
    operation=_OPERATION,
    audience=Audience.READER,
)
def following_from_the_start_gives_every_entry(probe: Probe) -> None:
    page = probe.get("/entries", {"sources": _source(probe), "limit": 100})
    listed = {item["id"]: item for item in page.items}
    followed, _, response = _all(probe, f"sources={_source(probe)}&follow=start&limit=100")
    probe.needs(len(followed) < 100 * _MOST_PAGES, "too many entries to read them all")
    latest = {item["id"]: item for item in followed}
    missing = sorted(listed.keys() - latest.keys())
    probe.expect(not missing, response, f"ends without {', '.join(map(str, missing[:3]))}")
    other = [
        entry_id
        for entry_id in listed
        if entry_id in latest and latest[entry_id] != listed[entry_id]
    ]
    named = ", ".join(map(str, other[:3]))
    probe.expect(not other, response, f"ends with {named} as they no longer are")


@check(
    "docs/decisions/0041",
    "The same places give the same changes, whatever the size of the pages.",
    operation=_OPERATION,
    audience=Audience.READER,
)
def pages_of_a_follower_join_without_a_gap(probe: Probe) -> None:
    begin = f"sources={','.join(probe.caller.sources[:3]) or _source(probe)}&follow=start"
    large_page = probe.get("/entries", f"{begin}&limit=30")
    query, entries, sizes = f"{begin}&limit=7", list[dict[str, Any]](), list[int]()
    while len(entries) < len(large_page.items):
        response = probe.get("/entries", query)
        probe.expect(bool(response.items), response, "has nothing, where a larger page had more")
        if not response.items:
            return
        entries += response.items
        sizes.append(len(response.items))
        query = _next(probe, response)
    same = entries[: len(large_page.items)] == large_page.items
    probe.expect(same, large_page, f"is not what pages of {sizes} give together")


@check(
    "docs/decisions/0041",
    "The last page names its place too; an idle follower gets a 304 with it.",
    operation=_OPERATION,
    audience=Audience.READER,
)
def an_idle_follower_keeps_its_place(probe: Probe) -> None:
    now = probe.get("/entries", f"sources={_source(probe)}&follow=now")
    probe.expect(not now.items, now, f"has {len(now.items)} entries although it is the end")
    query = _next(probe, now)
    idle = probe.get("/entries", query)
    if idle.items:
        return  # something was learned just now
    probe.expect(_next(probe, idle) == query, idle, "moves the place although nothing is new")
    etag = {"If-None-Match": idle.headers.get("etag", "")}
    again = probe.get("/entries", query, headers=etag, status=304)
    probe.expect(_next(probe, again) == query, again, "does not say where to go on")


@check(
    "docs/decisions/0041",
    "A place that this service never named is a 400 that says how to begin anew.",
    operation=_OPERATION,
    audience=Audience.READER,
)
def a_place_cannot_be_made_up(probe: Probe) -> None:
    for place in _NEVER_GIVEN:
        params = f"sources={_source(probe)}&follow={place}"
        response = probe.get("/entries", params, status=None)
        probe.expect_refusal(response, 400, "invalid_request")
        named = "follow" in str(response.field("message"))
        probe.expect(named, response, "does not say that it is about follow")


@check(
    "docs/decisions/0041",
    "follow goes with neither since nor an offset: 400.",
    operation=_OPERATION,
    audience=Audience.READER,
)
def following_is_not_paging(probe: Probe) -> None:
    for other in ("since=2026-01-01T00:00:00Z", "offset=1"):
        params = f"sources={_source(probe)}&follow=start&{other}"
        response = probe.get("/entries", params, status=None)
        probe.expect_refusal(response, 400, "invalid_request")


@check(
    "docs/decisions/0041",
    "Every list names its neighbours: first, prev, next, last, with what was asked for.",
    operation="GET /sources, GET /entries, GET /latest, GET /important",
    audience=Audience.KEY,
)
def pages_name_their_neighbours(probe: Probe) -> None:
    lists: dict[str, dict[str, str]] = {"/latest": {}, "/important": {}, "/sources": {"q": "a e"}}
    if probe.caller.reads_entries and probe.caller.sources:
        lists["/entries"] = {"sources": ",".join(probe.caller.sources[:2])}
    for path, params in lists.items():
        response = probe.get(path, {**params, "limit": 2, "offset": 2})
        total = int(response.field("total") or 0)
        expected = {"first": 0, "prev": 0, "next": 4, "last": max(0, total - 1) // 2 * 2}
        if total <= 4:
            del expected["next"]
        _neighbours(probe, response, {**params, "limit": "2"}, expected)


def _neighbours(
    probe: Probe, response: Response, params: dict[str, str], expected: dict[str, int]
) -> None:
    """Expect these links by their offset, each with the parameters of the request."""
    places = dict[str, int]()
    for relation, address in links_of(response).items():
        query = {name: values[0] for name, values in parse_qs(urlsplit(address).query).items()}
        places[relation] = int(query.get("offset", "-1"))
        repeats_query = query.items() >= params.items()
        probe.expect(repeats_query, response, f"forgets what was asked for in {address}")
    probe.expect(places == expected, response, f"names {places}, not {expected}")


@check(
    "docs/decisions/0041",
    "The addresses of the neighbours are complete and can be asked for as they are.",
    operation="GET /latest",
    audience=Audience.PUBLIC,
)
def a_neighbour_is_the_page_it_is_called(probe: Probe) -> None:
    response = probe.get("/latest", {"limit": 3})
    probe.needs(int(response.field("total") or 0) > 3, "fewer than four entries")
    address = urlsplit(links_of(response).get("next", ""))
    complete = bool(address.scheme and address.netloc)
    probe.expect(complete, response, f"does not name a complete address: {address.geturl()}")
    following = probe.get("/latest", address.query)
    both = [item["id"] for item in (*response.items, *following.items)]
    listed = [item["id"] for item in probe.get("/latest", {"limit": 6}).items]
    probe.expect(both == listed, following, "is not the page after the first")
