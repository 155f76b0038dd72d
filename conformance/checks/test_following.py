"""Following changes without loss, and the neighbours of a page (docs/decisions/0041)."""

import time
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from conformance.callers import SLOTS
from conformance.http_messages import Response
from conformance.lists import links_of, not_selected
from conformance.probe import Probe, expect

_MOST_PAGES = 40
_WAIT, _SLACK = 1, 5  # seconds


def _next(response: Response) -> str:
    """Return the query of the next link, which is the only link and has the cursor of the body."""
    links = links_of(response)
    expect([*links] == ["next"], response, f"names {[*links]} instead of next alone")
    address = urlsplit(links.get("next", ""))
    cursor = response.field("next") if response.status == 200 else None
    after = parse_qs(address.query).get("after", [None])[0]
    right = address.path.endswith("/changes") and after is not None and cursor in (None, after)
    expect(right, response, f"does not say where to go on: {links}")
    return address.query if right else "after=missing"


def _entries(response: Response) -> list[dict[str, Any]]:
    return [item["entry"] for item in response.items]


def _all(probe: Probe, query: str) -> tuple[list[dict[str, Any]], str, Response]:
    """Return all entries after a cursor, the query with the next cursor, and the last response."""
    entries: list[dict[str, Any]] = []
    for _ in range(_MOST_PAGES):
        response = probe.get("/changes", query)
        query = _next(response)
        entries += _entries(response)
        if not response.field("more"):
            break
    return entries, query, response


@pytest.mark.origin("docs/decisions/0041")
def test_changes_from_the_beginning_give_every_entry(reader: Probe) -> None:
    """From the beginning, every entry of the sources comes, however old."""
    page = reader.get("/entries", {"sources": reader.source(), "limit": 100})
    listed = {item["id"]: item for item in page.items}
    followed, _, response = _all(reader, f"sources={reader.source()}&limit=100")
    reader.needs(len(followed) < 100 * _MOST_PAGES, "too many entries to read them all")
    latest = {item["id"]: item for item in followed}
    missing = sorted(listed.keys() - latest.keys())
    expect(not missing, response, f"ends without {', '.join(map(str, missing[:3]))}")
    other = [
        entry_id
        for entry_id in listed
        if entry_id in latest and latest[entry_id] != listed[entry_id]
    ]
    named = ", ".join(map(str, other[:3]))
    expect(not other, response, f"ends with {named} as they no longer are")


@pytest.mark.origin("docs/decisions/0041")
def test_pages_of_changes_join_without_a_gap(reader: Probe) -> None:
    """The same cursor gives the same changes, whatever the size of the pages."""
    begin = f"sources={','.join(reader.caller.sources[:3]) or reader.source()}"
    large_page = reader.get("/changes", f"{begin}&limit=30")
    query, items, sizes = f"{begin}&limit=7", list[dict[str, Any]](), list[int]()
    while len(items) < len(large_page.items):
        response = reader.get("/changes", query)
        expect(bool(response.items), response, "has nothing, where a larger page had more")
        if not response.items:
            return
        items += response.items
        sizes.append(len(response.items))
        query = _next(response)
    same = items[: len(large_page.items)] == large_page.items
    expect(same, large_page, f"is not what pages of {sizes} give together")


@pytest.mark.origin("docs/decisions/0041")
def test_an_idle_follower_keeps_its_cursor(reader: Probe) -> None:
    """An answer without changes keeps its cursor; an idle follower gets a 304 with it."""
    now = reader.get("/changes", f"sources={reader.source()}&after=now")
    expect(not now.items, now, f"has {len(now.items)} changes although it is the end")
    query = _next(now)
    idle = reader.get("/changes", query)
    if idle.items:
        return  # something was learned just now
    expect(_next(idle) == query, idle, "moves the cursor although nothing is new")
    etag = {"If-None-Match": idle.headers.get("etag", "")}
    again = reader.get("/changes", query, headers=etag, status=304)
    expect(_next(again) == query, again, "does not say where to go on")


@pytest.mark.origin("docs/decisions/0041")
def test_one_cursor_serves_all_sources(reader: Probe) -> None:
    """Without sources, the changes of all sources come that the key may read."""
    some = reader.get("/changes", {"sources": reader.source(), "limit": 1})
    reader.needs(bool(some.items), "the source has no changes")
    entries, _, last = _all(reader, "limit=100")
    followed = {entry["source"] for entry in entries}
    if len(entries) < 100 * _MOST_PAGES:
        missing = sorted({reader.source()} - followed)
        expect(not missing, last, f"has no changes of {missing}")
    if reader.caller.plan in SLOTS:
        listed = {item["slug"] for item in reader.get("/sources", "selected=1&limit=100").items}
        foreign = sorted(followed - listed)
        expect(not foreign, last, f"has changes of {', '.join(foreign[:3])}, not selected")


@pytest.mark.origin("docs/decisions/0041")
def test_changes_of_an_unselected_source_are_refused(reader: Probe) -> None:
    """sources may name what the key may read; any other is a 403, as on /entries."""
    for other in not_selected(reader):
        reader.get_refused("/changes", {"sources": other}, 403, "source_not_selected")


@pytest.mark.origin("docs/decisions/0041")
def test_a_request_waits_no_longer_than_it_says(reader: Probe) -> None:
    """A request that may wait is answered when its time is over."""
    query = _next(reader.get("/changes", f"sources={reader.source()}&after=now"))
    began = time.monotonic()
    response = reader.get("/changes", f"{query}&wait={_WAIT}")
    seconds = time.monotonic() - began
    in_time = seconds < _WAIT + _SLACK
    expect(in_time, response, f"comes after {seconds:.1f} s, and may wait {_WAIT}")


@pytest.mark.origin("docs/decisions/0041")
def test_pages_name_their_neighbours(holder: Probe) -> None:
    """Every list names its neighbours: first, prev, next, last, with what was asked for."""
    lists: list[tuple[str, dict[str, str]]] = [
        ("/latest", {}), ("/important", {}), ("/sources", {}), ("/sources", {"q": "a e"}),
    ]  # fmt: skip
    if holder.caller.reads_entries and holder.caller.sources:
        lists.append(("/entries", {"sources": ",".join(holder.caller.sources[:2])}))
    for path, params in lists:
        total = int(holder.get(path, {**params, "limit": 2, "offset": 2}).field("total") or 0)
        deep = holder.random(path).randrange(4, total, 2) if total > 6 else 2
        for offset in (2, deep):
            response = holder.get(path, {**params, "limit": 2, "offset": offset})
            last = max(0, total - 1) // 2 * 2
            expected = {"first": 0, "prev": offset - 2, "next": offset + 2, "last": last}
            if total <= offset + 2:
                del expected["next"]
            _neighbours(response, {**params, "limit": "2"}, expected)


def _neighbours(response: Response, params: dict[str, str], expected: dict[str, int]) -> None:
    """Expect these links by their offset, each with the parameters of the request."""
    places = dict[str, int]()
    for relation, address in links_of(response).items():
        query = {name: values[0] for name, values in parse_qs(urlsplit(address).query).items()}
        places[relation] = int(query.get("offset", "-1"))
        repeats_query = query.items() >= params.items()
        expect(repeats_query, response, f"forgets what was asked for in {address}")
    expect(places == expected, response, f"names {places}, not {expected}")


@pytest.mark.origin("docs/decisions/0041")
def test_a_neighbour_is_the_page_it_is_called(public: Probe) -> None:
    """The addresses of the neighbours are complete and can be asked for as they are."""
    response = public.get("/latest", {"limit": 3})
    public.needs(int(response.field("total") or 0) > 3, "fewer than four entries")
    address = urlsplit(links_of(response).get("next", ""))
    complete = bool(address.scheme and address.netloc)
    expect(complete, response, f"does not name a complete address: {address.geturl()}")
    following = public.get("/latest", address.query)
    both = [item["id"] for item in (*response.items, *following.items)]
    listed = [item["id"] for item in public.get("/latest", {"limit": 6}).items]
    expect(both == listed, following, "is not the page after the first")
