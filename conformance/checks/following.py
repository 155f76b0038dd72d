"""Following changes without loss, and the neighbours of a page (docs/decisions/0041)."""

import re
import time
from typing import Any
from urllib.parse import parse_qs, urlsplit

from conformance.checks.probe import Audience, Probe, check
from conformance.http_messages import Response

_OPERATION = "GET /changes"
_LINK = re.compile(r'<([^<>]*)>; rel="([a-z]+)"')
_MOST_PAGES = 40
_WAIT, _SLACK = 1, 5  # seconds


def links_of(response: Response) -> dict[str, str]:
    """Return the URLs of a Link header by their relation (RFC 8288 §3)."""
    return {
        relation: address for address, relation in _LINK.findall(response.headers.get("link", ""))
    }


def _next(probe: Probe, response: Response) -> str:
    """Return the query of the next link, which is the only link and has the cursor of the body."""
    links = links_of(response)
    probe.expect([*links] == ["next"], response, f"names {[*links]} instead of next alone")
    address = urlsplit(links.get("next", ""))
    cursor = response.field("next") if response.status == 200 else None
    after = parse_qs(address.query).get("after", [None])[0]
    right = address.path.endswith("/changes") and after is not None and cursor in (None, after)
    probe.expect(right, response, f"does not say where to go on: {links}")
    return address.query if right else "after=missing"


def _entries(response: Response) -> list[dict[str, Any]]:
    return [item["entry"] for item in response.items]


def _all(probe: Probe, query: str) -> tuple[list[dict[str, Any]], str, Response]:
    """Return all entries after a cursor, the query with the next cursor, and the last response."""
    entries: list[dict[str, Any]] = []
    for _ in range(_MOST_PAGES):
        response = probe.get("/changes", query)
        query = _next(probe, response)
        entries += _entries(response)
        if not response.field("more"):
            break
    return entries, query, response


@check(
    "docs/decisions/0041",
    "From the beginning, every entry of the sources comes, however old.",
    operation=_OPERATION,
    audience=Audience.READER,
)
def changes_from_the_beginning_give_every_entry(probe: Probe) -> None:
    page = probe.get("/entries", {"sources": probe.source(), "limit": 100})
    listed = {item["id"]: item for item in page.items}
    followed, _, response = _all(probe, f"sources={probe.source()}&limit=100")
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
    "The same cursor gives the same changes, whatever the size of the pages.",
    operation=_OPERATION,
    audience=Audience.READER,
)
def pages_of_changes_join_without_a_gap(probe: Probe) -> None:
    begin = f"sources={','.join(probe.caller.sources[:3]) or probe.source()}"
    large_page = probe.get("/changes", f"{begin}&limit=30")
    query, items, sizes = f"{begin}&limit=7", list[dict[str, Any]](), list[int]()
    while len(items) < len(large_page.items):
        response = probe.get("/changes", query)
        probe.expect(bool(response.items), response, "has nothing, where a larger page had more")
        if not response.items:
            return
        items += response.items
        sizes.append(len(response.items))
        query = _next(probe, response)
    same = items[: len(large_page.items)] == large_page.items
    probe.expect(same, large_page, f"is not what pages of {sizes} give together")


@check(
    "docs/decisions/0041",
    "An answer without changes keeps its cursor; an idle follower gets a 304 with it.",
    operation=_OPERATION,
    audience=Audience.READER,
)
def an_idle_follower_keeps_its_cursor(probe: Probe) -> None:
    now = probe.get("/changes", f"sources={probe.source()}&after=now")
    probe.expect(not now.items, now, f"has {len(now.items)} changes although it is the end")
    query = _next(probe, now)
    idle = probe.get("/changes", query)
    if idle.items:
        return  # something was learned just now
    probe.expect(_next(probe, idle) == query, idle, "moves the cursor although nothing is new")
    etag = {"If-None-Match": idle.headers.get("etag", "")}
    again = probe.get("/changes", query, headers=etag, status=304)
    probe.expect(_next(probe, again) == query, again, "does not say where to go on")


@check(
    "docs/decisions/0041",
    "Without sources, the changes of all sources come that the key may read.",
    operation=_OPERATION,
    audience=Audience.READER,
)
def one_cursor_serves_all_sources(probe: Probe) -> None:
    some = probe.get("/changes", {"sources": probe.source(), "limit": 1})
    probe.needs(bool(some.items), "the source has no changes")
    every = probe.get("/changes", "limit=20")
    probe.expect(bool(every.items), every, "has nothing, where a source of the key has changes")
    if probe.caller.plan == "all" or not every.items:
        return
    listed = {item["slug"] for item in probe.get("/sources", "selected=1&limit=100").items}
    foreign = sorted({entry["source"] for entry in _entries(every)} - listed)
    probe.expect(not foreign, every, f"has changes of {', '.join(foreign[:3])}, not selected")


@check(
    "docs/decisions/0041",
    "A request that may wait is answered when its time is over.",
    operation=_OPERATION,
    audience=Audience.READER,
)
def a_request_waits_no_longer_than_it_says(probe: Probe) -> None:
    query = _next(probe, probe.get("/changes", f"sources={probe.source()}&after=now"))
    began = time.monotonic()
    response = probe.get("/changes", f"{query}&wait={_WAIT}")
    seconds = time.monotonic() - began
    in_time = seconds < _WAIT + _SLACK
    probe.expect(in_time, response, f"comes after {seconds:.1f} s, and may wait {_WAIT}")


@check(
    "docs/decisions/0041",
    "Every list names its neighbours: first, prev, next, last, with what was asked for.",
    operation="GET /sources, GET /entries, GET /latest, GET /important",
    audience=Audience.KEY,
)
def pages_name_their_neighbours(probe: Probe) -> None:
    lists: list[tuple[str, dict[str, str]]] = [
        ("/latest", {}), ("/important", {}), ("/sources", {}), ("/sources", {"q": "a e"}),
    ]  # fmt: skip
    if probe.caller.reads_entries and probe.caller.sources:
        lists.append(("/entries", {"sources": ",".join(probe.caller.sources[:2])}))
    for path, params in lists:
        total = int(probe.get(path, {**params, "limit": 2, "offset": 2}).field("total") or 0)
        deep = probe.random(path).randrange(4, total, 2) if total > 6 else 2
        for offset in (2, deep):
            response = probe.get(path, {**params, "limit": 2, "offset": offset})
            last = max(0, total - 1) // 2 * 2
            expected = {"first": 0, "prev": offset - 2, "next": offset + 2, "last": last}
            if total <= offset + 2:
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
