"""The catalog as a key sees it (specification 4.1)."""

import pytest

from conformance.callers import SLOTS
from conformance.lists import moment_of, published
from conformance.probe import Probe, expect
from openapi.vocabulary import Health


@pytest.mark.origin("specification 4.1")
def test_catalog_page_says_what_it_is(holder: Probe) -> None:
    """Response object: total (integer), limit (integer), offset (integer), items. Default limit
    50. adapterType: rss, atom, html, github_releases."""
    response = holder.get("/sources")
    page = [response.field(name) for name in ("total", "limit", "offset", "sample")]
    expect(isinstance(page[0], int), response, "has no total")
    expect(page[1:] == [50, 0, None], response, f"is the page {page[1:]}, not [50, 0, None]")
    right = len(response.items) == min(50, response.total)
    expect(right, response, f"has {len(response.items)} items of {response.total}")
    holder.get_refused("/sources", {"adapterType": "gopher"})


@pytest.mark.origin("docs/decisions/0006")
def test_sources_come_in_the_order_of_slugs(holder: Probe) -> None:
    """Without q the catalog comes in the order of the slugs."""
    listing = holder.listing("/sources")
    for before, after in listing.neighbours():
        rises = str(before.get("slug")) < str(after.get("slug"))
        words = f"has {before.get('slug')} before {after.get('slug')}"
        expect(rises, listing.page_of(after), words)


@pytest.mark.origin("specification 4.1")
def test_selected_gives_the_sources_of_the_key(holder: Probe) -> None:
    """selected: When 1, returns only the sources available to the key."""
    response = holder.get("/sources", {"selected": 1, "limit": 100})
    total, catalog = response.total, holder.get("/sources", {"limit": 1}).total
    plan = holder.caller.plan
    words = f"has {total} of {catalog} sources on the {plan} plan"
    expect(plan != "all" or total == catalog, response, words)
    if plan in SLOTS:
        expect(total <= SLOTS[plan], response, words)
        expect(total < catalog or catalog <= SLOTS[plan], response, words)


@pytest.mark.origin("docs/decisions/0006")
def test_last_update_is_the_newest_entry(reader: Probe) -> None:
    """lastUpdatedAt is the newest entry that is not in the future."""
    updated: dict[str, str | None] = {}
    response = reader.get("/sources", {"selected": 1, "limit": 100})
    for vendor in dict.fromkeys(slug.split(".")[0] for slug in reader.caller.sources):
        page = reader.get("/sources", {"vendor": vendor, "limit": 100})
        updated |= {item["slug"]: item.get("lastUpdatedAt") for item in page.items}
    listings = [(slug, listing) for slug, listing in reader.entries_of_each() if slug in updated]
    for slug, listing in reader.needs(listings, "no source to compare"):
        entries = listing.items if listing.is_whole else listing.responses[0].items
        times = [at for entry in entries if (at := published(entry)) <= reader.now]
        claimed = updated[slug]
        same = not times or (claimed is not None and moment_of(claimed) == max(times))
        expect(same, response, f"has {claimed} for {slug}, not {max(times, default=None)}")


@pytest.mark.origin("specification 2.1")
def test_only_troubled_sources_have_a_message(holder: Probe) -> None:
    """healthMessage: Human-readable message when degraded or problematic."""
    listing = holder.listing("/sources")
    for item in holder.needs(listing.items, "the catalog is empty"):
        troubled = item.get("health") in (Health.DEGRADED, Health.PROBLEMATIC)
        right = troubled or not item.get("healthMessage")
        expect(right, listing.page_of(item), f"has a message of {item['slug']}, which is well")
