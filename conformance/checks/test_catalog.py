"""The catalog as a key sees it (specification 4.1)."""

import re
from typing import Any

import pytest

from conformance.callers import SLOTS
from conformance.lists import moment_of, published
from conformance.probe import Probe, expect
from openapi.vocabulary import AdapterType, Health

_NOBODYS_WORD = "zqxjkvbw"
_SLUG = re.compile(r"[^.\s]+\.\S+")


@pytest.mark.origin("specification 4.1")
def test_catalog_page_says_what_it_is(holder: Probe) -> None:
    """Response object: total (integer), limit (integer), offset (integer), items. Default limit
    50."""
    response = holder.get("/sources")
    total = response.field("total")
    expect(isinstance(total, int), response, "has no total")
    expect(response.field("limit") == 50, response, "does not have the limit 50 by default")
    expect(response.field("offset") == 0, response, "does not have the offset 0 by default")
    expected = min(50, total) if isinstance(total, int) else 50
    expect(len(response.items) == expected, response, f"has {len(response.items)} items")
    expect(response.field("sample") is None, response, "gave a key the sample")


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


@pytest.mark.origin("specification 4.1")
def test_adapter_types_share_the_catalog(holder: Probe) -> None:
    """adapterType: string enum rss, atom, html, github_releases."""
    response = holder.get("/sources", {"limit": 1})
    totals = [
        holder.get("/sources", {"limit": 1, "adapterType": adapter_type}).field("total")
        for adapter_type in AdapterType
    ]
    expect(sum(totals) == response.field("total"), response, f"is not the sum of {totals}")
    holder.get_refused("/sources", {"adapterType": "gopher"})


@pytest.mark.origin("docs/decisions/0109")
def test_search_finds_names_and_vendors_in_any_case(holder: Probe) -> None:
    """q finds names and beginnings of vendors, in any case."""
    sources = holder.needs(holder.get("/sources", {"limit": 100}).items, "the catalog is empty")
    first, last = sources[0], sources[-1]
    named = {
        str(last["name"]).split()[0].upper(): last,
        str(last["name"]): last,
        str(first["vendor"])[:4].upper(): first,
    }
    for word, source in named.items():
        response = holder.get("/sources", {"q": word, "limit": 100})
        slugs = {item.get("slug") for item in response.items}
        is_cut = int(response.field("total") or 0) > len(slugs)
        expect(source["slug"] in slugs or is_cut, response, f"lacks {source['slug']} for {word}")
    response = holder.get("/sources", {"q": _NOBODYS_WORD, "limit": 100})
    expect(not response.items, response, f"found sources with {_NOBODYS_WORD}")


@pytest.mark.origin("docs/decisions/0109")
def test_search_finds_words_of_both(holder: Probe) -> None:
    """q finds every word in the name, the vendor or the slug; an exact slug is first."""
    sources = holder.needs(holder.get("/sources", {"limit": 100}).items, "the catalog is empty")
    apart = [
        source for source in sources if str(source["vendor"]) not in str(source["name"]).lower()
    ]
    for source in (*apart[:1], sources[0], sources[len(sources) // 2], sources[-1]):
        words = f"{str(source['name']).split()[-1]} {source['vendor']}"
        response = holder.get("/sources", {"q": words, "limit": 100})
        if int(response.field("total") or 0) <= 100:
            listed = source["slug"] in {item.get("slug") for item in response.items}
            expect(listed, response, f"does not have {source['slug']}, by {words}")
        response = holder.get("/sources", {"q": str(source["slug"]), "limit": 1})
        slugs = [item.get("slug") for item in response.items]
        expect(slugs == [source["slug"]], response, f"has {slugs} first, by {source['slug']}")


@pytest.mark.origin("docs/decisions/0109")
def test_search_has_no_wildcards(holder: Probe) -> None:
    """q has no wildcards."""
    for sign in ("%", "_", "\\"):
        response = holder.get("/sources", {"q": sign, "limit": 100})
        for item in response.items:
            text = f"{item.get('name')}\n{item.get('vendor')}"
            expect(sign.lower() in text.lower(), response, f"found {item.get('slug')}")


@pytest.mark.origin("specification 4.1")
def test_selected_gives_the_sources_of_the_key(holder: Probe) -> None:
    """selected: When 1, returns only the sources available to the key."""
    response = holder.get("/sources", {"selected": 1, "limit": 100})
    catalog_total = holder.get("/sources", {"limit": 1}).field("total")
    total = int(response.field("total") or 0)
    plan = holder.caller.plan
    if plan == "all":
        expect(
            total == catalog_total,
            response,
            f"has {total} of {catalog_total} sources on the All plan",
        )
    if plan in SLOTS:
        expect(total <= SLOTS[plan], response, f"has {total} sources on the {plan} plan")
        expect(
            total < catalog_total or catalog_total <= SLOTS[plan], response, "has the whole catalog"
        )


@pytest.mark.origin("docs/decisions/0079")
def test_selected_is_1_or_absent(holder: Probe) -> None:
    """selected: flag, value 1; any other value is a 400."""
    for value in ("0", "true", "2", ""):
        holder.get_refused("/sources", {"selected": value})


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
        newest = max(
            (at for entry in entries if (at := published(entry)) <= reader.now), default=None
        )
        if newest is not None:
            claimed = updated[slug]
            same = claimed is not None and moment_of(claimed) == newest
            expect(same, response, f"has {claimed} for {slug}: {newest.isoformat()}")


@pytest.mark.origin("specification 2.1")
def test_only_troubled_sources_have_a_message(holder: Probe) -> None:
    """healthMessage: Human-readable message when degraded or problematic."""
    listing = holder.listing("/sources")
    holder.needs(listing.items, "the catalog is empty")
    for response in listing.responses:
        for item in response.items:
            troubled = item.get("health") in (Health.DEGRADED, Health.PROBLEMATIC)
            message = item.get("healthMessage")
            health = f"{item['slug']}, {item.get('health')}"
            expect(troubled or not message, response, f"says {message!r} of {health}")


_FILTERS = ("vendor", "kind", "adapterType")


@pytest.mark.origin("specification 4.1")
def test_filters_work_together(holder: Probe) -> None:
    """Returns a page of the full catalog, with all filters."""
    page = holder.get("/sources", {"limit": 100})
    sources = holder.needs(page.items, "the catalog is empty")
    first, last = sources[0], sources[-1]
    for one, other in (("vendor", "kind"), ("kind", "adapterType"), ("adapterType", "vendor")):
        for source in (first, last):
            _filtered(holder, sources, {one: first[one], other: source[other]})


@pytest.mark.origin("docs/decisions/0109")
def test_filters_work_with_a_search(holder: Probe) -> None:
    """q narrows what the filters let through: every source it finds has its words."""
    sources = holder.needs(holder.get("/sources", {"limit": 100}).items, "the catalog is empty")
    for name in _FILTERS:
        _filtered(holder, sources, {name: sources[0][name]}, q=str(sources[-1]["name"]))


def _filtered(
    probe: Probe, sources: list[dict[str, Any]], filters: dict[str, Any], *, q: str = ""
) -> None:
    """Expect the sources that every filter lets through, and their number."""
    response = probe.get("/sources", {**filters, **({"q": q} if q else {}), "limit": 100})
    items, counted = response.items, int(response.field("total") or 0)
    stray = [item["slug"] for item in items if not _fits(item, filters, q)]
    expect(not stray, response, f"has {', '.join(stray[:3])}")
    missing = [item["slug"] for item in sources if _fits(item, filters, q) and item not in items]
    expect(counted > 100 or not missing, response, f"does not have {', '.join(missing[:3])}")
    expect(counted > 100 or counted == len(items), response, f"counts {counted}")


def _fits(item: dict[str, Any], filters: dict[str, Any], q: str) -> bool:
    text = f"{item.get('name')}\n{item.get('vendor')}".casefold()
    return q.casefold() in text and all(item.get(name) == filters[name] for name in filters)


@pytest.mark.origin("specification 4.1")
def test_selected_sources_are_filtered_too(holder: Probe) -> None:
    """selected: When 1, returns only the sources available to the key; with all filters."""
    mine = holder.get("/sources", {"selected": 1, "limit": 100}).items
    holder.needs(mine, "no source is selected for the key")
    last = mine[-1]
    wanted = {"kind": str(last["kind"]), "vendor": str(last["vendor"])}
    response = holder.get("/sources", {"selected": 1, **wanted})
    stray = [item["slug"] for item in response.items if not _fits(item, wanted, "")]
    expect(not stray, response, f"has {', '.join(stray[:3])}")
    nothing = holder.get("/sources", {"selected": 1, "vendor": "nobody-is-called-this"})
    expect(nothing.field("total") == 0, nothing, "found sources of nobody")
