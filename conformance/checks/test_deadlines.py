"""The days by which readers have to act (docs/decisions/0026)."""

from datetime import date

import pytest

from conformance.probe import Probe, expect
from conformance.sampling import Listing

_PATH = "/deadlines"
_TRIED = 3
"""Deadlines by whose days the list is filtered."""
_NEVER = "9999-12-31"


def _listing(probe: Probe) -> Listing:
    probe.has(_PATH)
    listing = probe.listing(_PATH)
    probe.needs(listing.items, "there are no deadlines")
    return listing


@pytest.mark.origin("docs/decisions/0026")
def test_deadlines_come_soonest_first(anybody: Probe) -> None:
    """The soonest comes first, and days is what is left until the last day in UTC."""
    listing, today = _listing(anybody), anybody.now.date()
    for before, after in listing.neighbours():
        in_order = before["to"] <= after["to"]
        expect(in_order, listing.page_of(after), f"has {before['to']} before {after['to']}")
    for page in listing.responses:
        for item in page.items:
            left = (date.fromisoformat(item["to"]) - today).days
            right = item["days"] in (left, left - 1)  # the day may change during the run
            expect(right, page, f"has {item['days']} days until {item['to']}")
            expect(item["from"] <= item["to"], page, f"has {item['from']} until {item['to']}")


@pytest.mark.origin("docs/decisions/0026")
def test_deadlines_are_filtered_by_their_days(anybody: Probe) -> None:
    """from and to let through the deadlines that can fall on these days, and all of those."""
    listing = _listing(anybody)
    chosen = anybody.random("days").sample(listing.items, min(_TRIED, len(listing.items)))
    days = [(str(item["from"]), str(item["to"])) for item in chosen]
    for params in (
        *({"from": last} for _, last in days),
        *({"to": first} for first, _ in days),
        *({"from": first, "to": last} for first, last in days),
        {"from": _NEVER},
    ):
        filtered = anybody.listing(_PATH, params)
        begin, end = params.get("from", ""), params.get("to", _NEVER)
        response = filtered.responses[0]
        stray = [one["to"] for one in filtered.items if one["to"] < begin or one["from"] > end]
        expect(not stray, response, f"has one until {', '.join(stray[:3])}")
        if listing.is_whole:
            fitting = sum(one["to"] >= begin and one["from"] <= end for one in listing.items)
            counted = f"counts {filtered.total} where {fitting} fit"
            expect(filtered.total == fitting, response, counted)
