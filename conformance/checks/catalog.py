"""The catalog as a key sees it (specification 4.1)."""

import re

from conformance.callers import SLOTS
from conformance.checks.paging import moment_of, published
from conformance.checks.probe import Audience, Probe, check
from openapi.vocabulary import AdapterType, Health

_OPERATION = "GET /sources"
_NOBODYS_WORD = "zqxjkvbw"
_SLUG = re.compile(r"[^.\s]+\.\S+")


@check(
    "specification 4.1",
    "Response object: total (integer), limit (integer), offset (integer), items. Default limit 50.",
    operation=_OPERATION,
    audience=Audience.KEY,
)
def catalog_page_says_what_it_is(probe: Probe) -> None:
    response = probe.get("/sources")
    total = response.field("total")
    probe.expect(isinstance(total, int), response, "has no total")
    probe.expect(response.field("limit") == 50, response, "does not have the limit 50 by default")
    probe.expect(response.field("offset") == 0, response, "does not have the offset 0 by default")
    expected = min(50, total) if isinstance(total, int) else 50
    probe.expect(len(response.items) == expected, response, f"has {len(response.items)} items")
    probe.expect(response.field("sample") is None, response, "gave a key the sample")


@check(
    "specification 2.1",
    "slug: Unique id, form <vendor>.<product-or-changelog>.",
    operation=_OPERATION,
    audience=Audience.KEY,
)
def slugs_are_unique_and_pages_do_not_overlap(probe: Probe) -> None:
    all_slugs: list[str] = []
    for response in probe.listing("/sources").responses:
        slugs = [str(item.get("slug")) for item in response.items]
        again = sorted(set(slugs) & set(all_slugs)) or [s for s in set(slugs) if slugs.count(s) > 1]
        probe.expect(not again, response, f"has {', '.join(again[:3])} again")
        wrong = [slug for slug in slugs if not _SLUG.fullmatch(slug)]
        probe.expect(not wrong, response, f"has the slug {', '.join(wrong[:1])}")
        all_slugs += slugs


@check(
    "docs/decisions/0006",
    "Without q the catalog comes in the order of the slugs.",
    operation=_OPERATION,
    audience=Audience.KEY,
)
def sources_come_in_the_order_of_slugs(probe: Probe) -> None:
    listing = probe.listing("/sources")
    for before, after in listing.neighbours():
        rises = str(before.get("slug")) < str(after.get("slug"))
        words = f"has {before.get('slug')} before {after.get('slug')}"
        probe.expect(rises, listing.page_of(after), words)


@check(
    "specification 4.1",
    "adapterType: string enum rss, atom, html, github_releases.",
    operation=_OPERATION,
    audience=Audience.KEY,
)
def adapter_types_share_the_catalog(probe: Probe) -> None:
    response = probe.get("/sources", {"limit": 1})
    totals = [
        probe.get("/sources", {"limit": 1, "adapterType": adapter_type}).field("total")
        for adapter_type in AdapterType
    ]
    probe.expect(sum(totals) == response.field("total"), response, f"is not the sum of {totals}")
    probe.get_refused("/sources", {"adapterType": "gopher"})


@check(
    "docs/decisions/0109",
    "q finds names and beginnings of vendors, in any case.",
    operation=_OPERATION,
    audience=Audience.KEY,
)
def search_finds_names_and_vendors_in_any_case(probe: Probe) -> None:
    sources = probe.needs(probe.get("/sources", {"limit": 100}).items, "the catalog is empty")
    first, last = sources[0], sources[-1]
    named = {
        str(last["name"]).split()[0].upper(): last,
        str(last["name"]): last,
        str(first["vendor"])[:4].upper(): first,
    }
    for word, source in named.items():
        response = probe.get("/sources", {"q": word, "limit": 100})
        slugs = {item.get("slug") for item in response.items}
        is_cut = int(response.field("total") or 0) > len(slugs)
        probe.expect(
            source["slug"] in slugs or is_cut, response, f"lacks {source['slug']} for {word}"
        )
    response = probe.get("/sources", {"q": _NOBODYS_WORD, "limit": 100})
    probe.expect(not response.items, response, f"found sources with {_NOBODYS_WORD}")


@check(
    "docs/decisions/0109",
    "q finds every word in the name, the vendor or the slug; an exact slug is first.",
    operation=_OPERATION,
    audience=Audience.KEY,
)
def search_finds_words_of_both(probe: Probe) -> None:
    sources = probe.needs(probe.get("/sources", {"limit": 100}).items, "the catalog is empty")
    apart = [
        source for source in sources if str(source["vendor"]) not in str(source["name"]).lower()
    ]
    for source in (*apart[:1], sources[0], sources[len(sources) // 2], sources[-1]):
        words = f"{str(source['name']).split()[-1]} {source['vendor']}"
        response = probe.get("/sources", {"q": words, "limit": 100})
        if int(response.field("total") or 0) <= 100:
            listed = source["slug"] in {item.get("slug") for item in response.items}
            probe.expect(listed, response, f"does not have {source['slug']}, by {words}")
        response = probe.get("/sources", {"q": str(source["slug"]), "limit": 1})
        slugs = [item.get("slug") for item in response.items]
        probe.expect(slugs == [source["slug"]], response, f"has {slugs} first, by {source['slug']}")


@check(
    "docs/decisions/0109",
    "q has no wildcards.",
    operation=_OPERATION,
    audience=Audience.KEY,
)
def search_has_no_wildcards(probe: Probe) -> None:
    for sign in ("%", "_", "\\"):
        response = probe.get("/sources", {"q": sign, "limit": 100})
        for item in response.items:
            text = f"{item.get('name')}\n{item.get('vendor')}"
            probe.expect(sign.lower() in text.lower(), response, f"found {item.get('slug')}")


@check(
    "specification 4.1",
    "selected: When 1, returns only the sources available to the key.",
    operation=_OPERATION,
    audience=Audience.KEY,
)
def selected_gives_the_sources_of_the_key(probe: Probe) -> None:
    response = probe.get("/sources", {"selected": 1, "limit": 100})
    catalog_total = probe.get("/sources", {"limit": 1}).field("total")
    total = int(response.field("total") or 0)
    plan = probe.caller.plan
    if plan == "all":
        probe.expect(
            total == catalog_total,
            response,
            f"has {total} of {catalog_total} sources on the All plan",
        )
    if plan in SLOTS:
        probe.expect(total <= SLOTS[plan], response, f"has {total} sources on the {plan} plan")
        probe.expect(
            total < catalog_total or catalog_total <= SLOTS[plan], response, "has the whole catalog"
        )


@check(
    "docs/decisions/0079",
    "selected: flag, value 1; any other value is a 400.",
    operation=_OPERATION,
    audience=Audience.KEY,
)
def selected_is_1_or_absent(probe: Probe) -> None:
    for value in ("0", "true", "2", ""):
        probe.get_refused("/sources", {"selected": value})


@check(
    "docs/decisions/0006",
    "lastUpdatedAt is the newest entry that is not in the future.",
    operation=_OPERATION,
    audience=Audience.READER,
)
def last_update_is_the_newest_entry(probe: Probe) -> None:
    updated: dict[str, str | None] = {}
    response = probe.get("/sources", {"selected": 1, "limit": 100})
    for vendor in dict.fromkeys(slug.split(".")[0] for slug in probe.caller.sources):
        page = probe.get("/sources", {"vendor": vendor, "limit": 100})
        updated |= {item["slug"]: item.get("lastUpdatedAt") for item in page.items}
    listings = [(slug, listing) for slug, listing in probe.entries_of_each() if slug in updated]
    for slug, listing in probe.needs(listings, "no source to compare"):
        entries = listing.items if listing.is_whole else listing.responses[0].items
        newest = max(
            (at for entry in entries if (at := published(entry)) <= probe.now), default=None
        )
        if newest is not None:
            claimed = updated[slug]
            same = claimed is not None and moment_of(claimed) == newest
            probe.expect(same, response, f"has {claimed} for {slug}: {newest.isoformat()}")


@check(
    "specification 2.1",
    "healthMessage: Human-readable message when degraded or problematic.",
    operation=_OPERATION,
    audience=Audience.KEY,
)
def only_troubled_sources_have_a_message(probe: Probe) -> None:
    listing = probe.listing("/sources")
    probe.needs(listing.items, "the catalog is empty")
    for response in listing.responses:
        for item in response.items:
            troubled = item.get("health") in (Health.DEGRADED, Health.PROBLEMATIC)
            message = item.get("healthMessage")
            health = f"{item['slug']}, {item.get('health')}"
            probe.expect(troubled or not message, response, f"says {message!r} of {health}")
