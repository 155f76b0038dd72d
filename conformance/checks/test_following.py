"""Following changes without loss (docs/decisions/0041)."""

import time
from typing import Any
from urllib.parse import parse_qs, parse_qsl, urlencode, urlsplit

import pytest

from conformance.callers import SLOTS
from conformance.http_messages import Response
from conformance.lists import identity, links_of, not_selected
from conformance.probe import Probe, expect

_MOST_PAGES = 40
_WAIT, _SLACK = 1, 5  # seconds


def _next(response: Response) -> str:
    """Return the query that goes on after a response, by the cursor that its body names."""
    cursor = response.field("next")
    expect(isinstance(cursor, str) and bool(cursor), response, "does not say where to go on")
    link = parse_qs(urlsplit(links_of(response).get("next", "")).query).get("after", [])
    allowed = ([], [cursor]) if response.field("more") else ([],)
    expect(link in allowed, response, f"has the cursor {cursor}, and {link} in its link")
    query = dict(parse_qsl(urlsplit(response.request.url).query))
    return urlencode({**query, "after": cursor}, safe=",")


def _all(probe: Probe, query: str) -> tuple[list[dict[str, Any]], Response]:
    """Return all entries after a cursor, and the last response."""
    entries: list[dict[str, Any]] = []
    for _ in range(_MOST_PAGES):
        response = probe.get("/changes", query)
        query = _next(response)
        entries += [item["entry"] for item in response.items]
        if not response.field("more"):
            return entries, response
    return probe.needs([], "too many entries to read them all"), response


@pytest.mark.origin("docs/decisions/0041")
def test_changes_from_the_beginning_give_every_entry(reader: Probe) -> None:
    """From the beginning, every entry of the sources comes, however old."""
    reader.has("/changes")
    page = reader.get("/entries", {"sources": reader.source(), "limit": 100})
    followed, response = _all(reader, f"sources={reader.source()}&limit=100")
    latest = {identity(item): item for item in followed}
    missing = [item["id"] for item in page.items if identity(item) not in latest]
    expect(not missing, response, f"ends without {', '.join(map(str, missing[:3]))}")
    other = [item["id"] for item in page.items if latest[identity(item)] != item]
    expect(not other, response, f"ends with {', '.join(map(str, other[:3]))} as no longer is")


@pytest.mark.origin("docs/decisions/0041")
def test_pages_of_changes_join_without_a_gap(reader: Probe) -> None:
    """The same cursor gives the same changes, whatever the size of the pages."""
    reader.has("/changes")
    begin = f"sources={','.join(reader.caller.sources[:3]) or reader.source()}"
    large_page = reader.get("/changes", f"{begin}&limit=30")
    query, items = f"{begin}&limit=7", list[dict[str, Any]]()
    while len(items) < len(large_page.items):
        response = reader.get("/changes", query)
        expect(bool(response.items), response, "has nothing, where a larger page had more")
        items += response.items
        query = _next(response)
    same = items[: len(large_page.items)] == large_page.items
    expect(same, large_page, "is not what pages of 7 give together")


@pytest.mark.origin("docs/decisions/0041")
def test_an_idle_follower_keeps_its_cursor(reader: Probe) -> None:
    """An answer without changes keeps its cursor; one that may wait comes when its time is over."""
    reader.has("/changes")
    now = reader.get("/changes", f"sources={reader.source()}&after=now")
    expect(not now.items, now, f"has {len(now.items)} changes although it is the end")
    query, began = _next(now), time.monotonic()
    idle = reader.get("/changes", f"{query}&wait={_WAIT}")
    seconds = time.monotonic() - began
    in_time = seconds < _WAIT + _SLACK
    expect(in_time, idle, f"comes after {seconds:.1f} s, and may wait {_WAIT}")
    moved = not idle.items and now.field("next") != idle.field("next")
    expect(not moved, idle, "moves the cursor although nothing is new")


@pytest.mark.origin("docs/decisions/0041")
def test_one_cursor_serves_all_sources(reader: Probe) -> None:
    """Without sources, the changes of all sources come that the key may read."""
    reader.has("/changes")
    some = reader.get("/changes", {"sources": reader.source(), "limit": 1})
    reader.needs(bool(some.items), "the source has no changes")
    entries, last = _all(reader, "limit=100")
    followed = {entry["source"] for entry in entries}
    missing = {reader.source()} - followed
    expect(not missing, last, f"has no changes of {missing}")
    if reader.caller.plan in SLOTS:
        listed = {item["slug"] for item in reader.get("/sources", "selected=1&limit=100").items}
        foreign = sorted(followed - listed)
        expect(not foreign, last, f"has changes of {', '.join(foreign[:3])}, not selected")


@pytest.mark.origin("docs/decisions/0041")
def test_changes_of_an_unselected_source_are_refused(reader: Probe) -> None:
    """sources may name what the key may read; any other is a 403, as on /entries."""
    reader.has("/changes")
    for other in not_selected(reader):
        reader.get("/changes", {"sources": other}, status=403)
