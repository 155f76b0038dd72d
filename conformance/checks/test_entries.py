"""Entries of selected sources (specification 4.2)."""

import pytest

from conformance.callers import SLOTS
from conformance.lists import newest_first, not_selected
from conformance.probe import Probe, expect

_NOT_A_TIME = (
    "2026-01-01T00:00:00", "2026-01-01", "yesterday", "1767225600", "2026-13-01T00:00:00Z",
    "2026-02-30T00:00:00Z", "2026-01-01T25:00:00Z",
)  # fmt: skip


@pytest.mark.origin("specification 4.2")
def test_entries_page_says_what_it_is(reader: Probe) -> None:
    """Response 200: plan (string enum free, starter, all), total, limit, offset, items. limit
    default 50."""
    response = reader.get("/entries", {"sources": reader.source()})
    plans = ("free", "starter", "all")
    expect(response.field("plan") in plans, response, f"has the plan {response.field('plan')}")
    page = (response.field("limit"), response.field("offset"), len(response.items))
    right = page == (50, 0, min(50, response.total))
    expect(right, response, f"is {page} of {response.field('total')}")


@pytest.mark.origin("specification 4.2")
def test_entries_need_sources(reader: Probe) -> None:
    """sources: required. Errors: 400 (invalid parameters or missing sources)."""
    for params in ("", "limit=5"):
        reader.get_refused("/entries", params)


@pytest.mark.origin("specification 2.3")
def test_entries_inherit_vendor_and_tags(reader: Probe) -> None:
    """tags: Tags inherited from the source. vendor: Vendor identifier."""
    listings = [(slug, listing) for slug, listing in reader.entries_of_each() if listing.items]
    for slug, listing in reader.needs(listings, "no entries"):
        vendor = str(listing.items[0]["vendor"])
        page = reader.get("/sources", {"vendor": vendor, "limit": 100})
        sources = [item for item in page.items if item.get("slug") == slug]
        expect(bool(sources) or page.total > len(page.items), page, f"does not have {slug}")
        for source in sources:
            for response in listing.responses:
                for entry in response.items:
                    tags = sorted(source["tags"]) == sorted(entry["tags"])
                    expect(tags, response, f"has the tags {entry['tags']} of {entry['id']}")
                    same = entry["vendor"] == vendor
                    expect(same, response, f"has the vendor {entry['vendor']} of {entry['id']}")


@pytest.mark.origin("docs/decisions/0006")
def test_entries_come_newest_first(reader: Probe) -> None:
    """Order: published_at descending, then id descending; total order, so pages do not overlap."""
    together = reader.listing("/entries", {"sources": ",".join(reader.caller.sources[:3])})
    reader.needs(len(together.items) > 1, "fewer than two entries")
    for listing in (together, *(listing for _, listing in reader.entries_of_each())):
        newest_first(listing)


@pytest.mark.origin("specification 4.2")
def test_since_needs_an_offset(reader: Probe) -> None:
    """since: ISO 8601 datetime with an offset; however early or late."""
    for value in _NOT_A_TIME:
        reader.get_refused("/entries", f"sources={reader.source()}&since={value}")
    for value in ("0001-01-01T00:00:00Z", "1970-01-01T00:00:00Z", "9999-12-31T23:59:59Z"):
        reader.get("/entries", f"sources={reader.source()}&since={value}&limit=1")


@pytest.mark.origin("specification 4.2")
def test_an_unselected_source_is_refused(reader: Probe) -> None:
    """403 (plan limit exceeded or source not among the key's selected sources)."""
    for other in not_selected(reader):
        reader.get("/entries", {"sources": other}, status=403)


@pytest.mark.origin("specification 8")
def test_more_sources_than_slots_are_refused(limited: Probe) -> None:
    """Source slots: Free 3, Starter 10. /entries and /diffs answer 403 beyond the plan."""
    slots = SLOTS[str(limited.caller.plan)]
    catalog = [str(item["slug"]) for item in limited.get("/sources", {"limit": 100}).items]
    limited.needs(len(catalog) > slots, "the plan covers the whole catalog")
    sources = [*dict.fromkeys([*limited.caller.sources, *catalog])][: slots + 1]
    limited.get("/entries", {"sources": ",".join(sources)}, status=403)
    own = limited.caller.sources[:slots]
    if own:
        limited.get("/entries", {"sources": ",".join(own)})
