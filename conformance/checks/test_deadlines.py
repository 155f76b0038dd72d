"""The days by which readers have to act (docs/decisions/0026)."""

from collections.abc import Callable, Iterator, Mapping
from datetime import date
from functools import partial
from typing import Any

import pytest

from conformance.lists import compare_pages
from conformance.probe import Probe, expect
from conformance.sampling import Listing

_PATH = "/deadlines"
_TRIED = 3
"""Deadlines by whose days the list is filtered."""
_NEVER = "9999-12-31"
Item = Mapping[str, Any]


def _listing(probe: Probe) -> Listing:
    probe.needs(_PATH in probe.contract["paths"], "the contract has no deadlines")
    listing = probe.listing(_PATH)
    probe.needs(listing.items, "nobody has to act by any day")
    return listing


@pytest.mark.origin("docs/decisions/0026")
def test_deadlines_come_soonest_first(anybody: Probe) -> None:
    """The soonest comes first, none is over, and days is what is left until the last day in UTC."""
    listing = _listing(anybody)
    for before, after in listing.neighbours():
        in_order = before["to"] <= after["to"]
        page = listing.page_of(after)
        expect(in_order, page, f"has {before['to']} before {after['to']}")
    today = anybody.now.date()
    for page in listing.responses:
        for item in page.items:
            left = (date.fromisoformat(item["to"]) - today).days
            # the day may change during the run
            right = item["days"] in (left, left - 1)
            expect(right, page, f"has {item['days']} days until {item['to']}")
            expect(item["days"] >= 0, page, f"has {item['to']}, which is over")
            spans = item["from"] <= item["to"]
            expect(spans, page, f"has {item['from']} until {item['to']}")


@pytest.mark.origin("docs/decisions/0026")
def test_deadlines_are_filtered_by_their_days(anybody: Probe) -> None:
    """from and to let through the deadlines that can fall on these days, and all of those."""
    listing = _listing(anybody)
    for params, fits in _filters(anybody, listing):
        filtered = anybody.listing(_PATH, params)
        response = filtered.responses[0]
        stray = [item["to"] for item in filtered.items if not fits(item)]
        expect(not stray, response, f"has one until {', '.join(stray[:3])}")
        if listing.is_whole:
            fitting = sum(map(fits, listing.items))
            counted = f"counts {filtered.total} where {fitting} fit"
            expect(filtered.total == fitting, response, counted)


def _filters(
    probe: Probe, listing: Listing
) -> Iterator[tuple[dict[str, str | int], Callable[[Item], bool]]]:
    """Yield ranges of days, and whether a deadline can fall on one of them."""
    random = probe.random("days")
    chosen = random.sample(listing.items, min(_TRIED, len(listing.items)))
    for first, last in ((str(item["from"]), str(item["to"])) for item in chosen):
        yield {"from": last}, partial(_falls, first=last, last=_NEVER)
        yield {"to": first}, partial(_falls, first="", last=first)
        yield {"from": first, "to": last}, partial(_falls, first=first, last=last)
    newest = max(str(item["to"]) for item in listing.items)
    yield {"from": newest}, partial(_falls, first=newest, last=_NEVER)
    yield {"from": _NEVER}, partial(_falls, first=_NEVER, last=_NEVER)


def _falls(item: Item, *, first: str, last: str) -> bool:
    return bool(item["to"] >= first and item["from"] <= last)


@pytest.mark.origin("docs/decisions/0026")
def test_pages_of_deadlines_are_parts_of_the_list(anybody: Probe) -> None:
    """A page of deadlines is a part of the list."""
    listing = _listing(anybody)
    days = sorted({str(item["to"]) for item in listing.items})
    compare_pages(anybody, _PATH, {})
    compare_pages(anybody, _PATH, {"from": days[len(days) // 2]})
    compare_pages(anybody, _PATH, {"to": days[-1]})


@pytest.mark.origin("docs/decisions/0026")
def test_deadlines_have_their_entries(anybody: Probe) -> None:
    """Each deadline has the entry that states it, as the lists show it; one that did not move was
    set by that entry."""
    listing = _listing(anybody)
    latest = {(one["source"], one["id"]): one for one in anybody.listing("/latest").items}
    for page in listing.responses:
        for item in page.items:
            entry, set_by = item["entry"], item["set_by"]
            shown = latest.get((entry["source"], entry["id"]), entry)
            expect(entry == shown, page, f"has another {entry['id']} than /latest")
            same = (set_by["id"], set_by["title"]) == (entry["id"], entry["title"])
            unmoved = f"has {entry['id']} set by {set_by['id']}, and it never moved"
            expect(same or bool(item["replaced"]), page, unmoved)
            days = {"from": item["from"], "to": item["to"]}
            moved = days not in item["replaced"][-1:]
            expect(moved, page, f"has {item['to']} in place of the same day")
