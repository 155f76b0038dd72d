"""The catalog as a key sees it (specification 4.1)."""

import re
from typing import Any

import pytest

from conformance.callers import SLOTS
from conformance.lists import moment_of, published
from conformance.probe import Probe, expect
from openapi.vocabulary import Health

_SLUG = re.compile(r"[^.\s]+\.\S+")


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


@pytest.mark.origin("specification 2.1")
def test_slugs_are_unique_and_pages_do_not_overlap(holder: Probe) -> None:
    """slug: Unique id, form <vendor>.<product-or-changelog>."""
    all_slugs: list[str] = []
    for response in holder.listing("/sources").responses:
        slugs = [str(item.get("slug")) for item in response.items]
        again = sorted(set(slugs) & set(all_slugs)) or [s for s in set(slugs) if slugs.count(s) > 1]
        expect(not again, response, f"has {', '.join(again[:3])} again")
        wrong = [slug for slug in slugs if not _SLUG.fullmatch(slug)]
        expect(not wrong, response, f"has the slug {', '.join(wrong[:1])}")
        all_slugs += slugs


@pytest.mark.origin("docs/decisions/0006")
def test_sources_come_in_the_order_of_slugs(holder: Probe) -> None:
    """Without q the catalog comes in the order of the slugs."""
    listing = holder.listing("/sources")
    for before, after in listing.neighbours():
        rises = str(before.get("slug")) < str(after.get("slug"))
        words = f"has {before.get('slug')} before {after.get('slug')}"
        expect(rises, listing.page_of(after), words)


@pytest.mark.origin("docs/decisions/0109")
def test_search_finds_words_of_name_and_vendor(holder: Probe) -> None:
    """q finds every word in the name, the vendor or the slug, in any case, without wildcards; an
    exact slug is first."""
    sources = holder.needs(holder.get("/sources", {"limit": 100}).items, "the catalog is empty")
    for source in (sources[0], sources[len(sources) // 2], sources[-1]):
        words = f"{str(source['name']).split()[-1].upper()} {source['vendor']}"
        response = holder.get("/sources", {"q": words, "limit": 100})
        listed = source["slug"] in {item.get("slug") for item in response.items}
        expect(listed or response.total > 100, response, f"does not have {source['slug']}")
        response = holder.get("/sources", {"q": str(source["slug"]), "limit": 1})
        slugs = [item.get("slug") for item in response.items]
        expect(slugs == [source["slug"]], response, f"has {slugs} first, by {source['slug']}")
    for sign in ("%", "_"):
        response = holder.get("/sources", {"q": sign, "limit": 100})
        stray = [one for one in response.items if sign not in f"{one.get('name')}{one['vendor']}"]
        expect(not stray, response, f"found {len(stray)} sources without {sign}")


@pytest.mark.origin("specification 4.1")
def test_selected_gives_the_sources_of_the_key(holder: Probe) -> None:
    """selected: When 1, returns only the sources available to the key; with all filters."""
    response = holder.get("/sources", {"selected": 1, "limit": 100})
    total, catalog = response.total, holder.get("/sources", {"limit": 1}).total
    plan = holder.caller.plan
    words = f"has {total} of {catalog} sources on the {plan} plan"
    expect(plan != "all" or total == catalog, response, words)
    if plan in SLOTS:
        expect(total <= SLOTS[plan], response, words)
        expect(total < catalog or catalog <= SLOTS[plan], response, words)
    if response.items:
        last = response.items[-1]
        _filtered(holder, response.items, {"kind": last["kind"], "vendor": last["vendor"]}, "1")


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
    for response in holder.needs(listing.items and listing.responses, "the catalog is empty"):
        for item in response.items:
            troubled = item.get("health") in (Health.DEGRADED, Health.PROBLEMATIC)
            message = item.get("healthMessage")
            health = f"{item['slug']}, {item.get('health')}"
            expect(troubled or not message, response, f"says {message!r} of {health}")


@pytest.mark.origin("specification 4.1")
def test_filters_work_together(holder: Probe) -> None:
    """Returns a page of the full catalog, with all filters."""
    sources = holder.needs(holder.get("/sources", {"limit": 100}).items, "the catalog is empty")
    for one, other in (("vendor", "kind"), ("kind", "adapterType"), ("adapterType", "vendor")):
        for source in (sources[0], sources[-1]):
            _filtered(holder, sources, {one: sources[0][one], other: source[other]})


def _filtered(
    probe: Probe, sources: list[dict[str, Any]], filters: dict[str, Any], selected: str = ""
) -> None:
    """Expect the sources that every filter lets through, and their number."""
    flag = {"selected": selected} if selected else {}
    response = probe.get("/sources", {**filters, **flag, "limit": 100})
    items = response.items
    stray = [item["slug"] for item in items if not _fits(item, filters)]
    expect(not stray, response, f"has {', '.join(stray[:3])}")
    missing = [item["slug"] for item in sources if _fits(item, filters) and item not in items]
    expect(response.total > 100 or not missing, response, f"does not have {missing[:3]}")
    counted = response.total > 100 or response.total == len(items)
    expect(counted, response, f"counts {response.total}")


def _fits(item: dict[str, Any], filters: dict[str, Any]) -> bool:
    return all(item.get(name) == value for name, value in filters.items())
