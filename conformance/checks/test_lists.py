"""Random pages of every list, and the same things as different lists show them."""

from collections.abc import Iterator
from datetime import timedelta, timezone

import pytest

from conformance.lists import compare_pages, identity, lists_of, published
from conformance.probe import Probe, expect
from conformance.sampling import Listing

_GROUPS = 4
"""Random groups of sources whose entries are read together."""
_ELSEWHERE = timezone(timedelta(hours=5, minutes=30))
_SHARED = ("source", "vendor", "published_at", "title", "url", "tags")
"""Fields that every list shows of an entry alike."""


@pytest.mark.origin("specification 4.2")
def test_random_pages_are_parts_of_the_list(anybody: Probe) -> None:
    """limit: page size; offset: items to skip (4.1 for /sources). So any page is a part of the
    list, and no item is in it twice."""
    for path, params in lists_of(anybody):
        if isinstance(anybody.get(path, {**params, "limit": 1}).field("total"), int):
            compare_pages(anybody, path, params)


@pytest.mark.origin("specification 4.2")
def test_sources_together_have_the_entries_of_each(reader: Probe) -> None:
    """Returns entries of the selected sources; sources: comma-separated slugs."""
    listings = dict(reader.entries_of_each())
    known = [slug for slug in listings if listings[slug].is_whole]
    reader.needs(len(known) > 1, "fewer than two sources with few enough entries")
    random = reader.random("groups")
    for _ in range(_GROUPS):
        group = random.sample(known, random.randint(2, min(5, len(known))))
        expected = {identity(item): item for slug in group for item in listings[slug].items}
        together = reader.listing("/entries", {"sources": ",".join(group)})
        response = together.responses[0]
        total = sum(listings[slug].total for slug in group)
        expect(together.total == total, response, f"counts {together.total}, not {total}")
        read = {identity(item): item for item in together.items}
        foreign = {item["source"] for item in together.items} - set(group)
        expect(not foreign, response, f"has entries of {', '.join(foreign)}")
        other = sorted(name for name, item in read.items() if expected.get(name) != item)
        expect(not other, response, f"has {other[:1]}, which no source has so alone")
        missing = sorted(expected.keys() - read.keys())
        expect(not missing or not together.is_whole, response, f"does not have {missing[:1]}")


@pytest.mark.origin("specification 4.2")
def test_since_cuts_every_source_anywhere(reader: Probe) -> None:
    """since: Only entries published after this time; ISO 8601 datetime with an offset, however a
    moment is written."""
    whole = [
        (source, listing)
        for source, listing in reader.entries_of_each()
        if listing.is_whole and len(listing.items) > 1
    ]
    for source, listing in reader.needs(whole, "no source has two entries"):
        at = published(reader.random(f"since {source}").choice(listing.items))
        for since in (at, at.astimezone(_ELSEWHERE) - timedelta(seconds=1)):
            params = {"sources": source, "since": since.isoformat()}
            expected = {identity(item) for item in listing.items if published(item) > since}
            later = reader.listing("/entries", params)
            read, response = {identity(item) for item in later.items}, later.responses[0]
            early, missing = sorted(read - expected), sorted(expected - read)
            expect(not early, response, f"has {early[:1]}, which is too early")
            expect(not missing, response, f"does not have {missing[:1]}")
            expect(later.total == len(expected), response, f"has the total {later.total}")
    compare_pages(reader, "/entries", params)


@pytest.mark.origin("specification 4.6")
def test_feeds_show_the_entries_of_the_sources(reader: Probe) -> None:
    """Returns the latest entries: the same that /entries returns of their sources."""
    own = {
        identity(item): item for _, listing in reader.entries_of_each() for item in listing.items
    }
    compared = 0
    for path, params in (("/latest", {}), ("/important", {}), ("/latest", {"future": 1})):
        for response in reader.listing(path, params).responses:
            for item in response.items:
                entry = own.get(identity(item))
                if entry is None:
                    continue
                compared += 1
                other = [name for name in _SHARED if item.get(name, entry[name]) != entry[name]]
                sentence = f"has another {', '.join(other)} of {item.get('id')} than /entries"
                expect(not other, response, sentence)
    reader.needs(compared, "the feeds show no entry of the caller's sources")


@pytest.mark.origin("specification 4.1")
def test_every_filter_cuts_the_catalog(holder: Probe) -> None:
    """vendor: Filter by vendor identifier. kind: Filter by source kind. adapterType: Filter by
    adapter type. A page of the full catalog, with all filters."""
    catalog = holder.listing("/sources")
    holder.needs(catalog.items, "the catalog is empty")
    for filters in _values(holder, catalog):
        filtered = holder.listing("/sources", filters)
        response = filtered.responses[0]
        stray = [item["slug"] for item in filtered.items if not filters.items() <= item.items()]
        expect(not stray, response, f"has {', '.join(stray[:3])}")
        read = {item["slug"] for item in filtered.items}
        expected = {item["slug"] for item in catalog.items if filters.items() <= item.items()}
        missing = sorted(expected - read)
        expect(not missing or not filtered.is_whole, response, f"does not have {missing[:3]}")
        counted = filtered.total == len(expected) or not catalog.is_whole
        expect(counted, response, f"counts {filtered.total} instead of {len(expected)}")


def _values(probe: Probe, catalog: Listing) -> Iterator[dict[str, str]]:
    """Yield every kind and adapter type of the catalog, two filters together, and many vendors.

    Among them is one that nobody is called, and the beginning of another's name.
    """
    for name in ("kind", "adapterType"):
        for value in sorted({str(item.get(name)) for item in catalog.items}):
            yield {name: value}
    for source in (catalog.items[0], catalog.items[-1]):
        yield {"kind": source["kind"], "adapterType": source["adapterType"]}
        yield {"vendor": catalog.items[0]["vendor"], "kind": source["kind"]}
    vendors = sorted({str(item.get("vendor")) for item in catalog.items})
    unusual = [vendor for vendor in vendors if not vendor.isalnum()][:2]
    chosen = probe.random("vendors").sample(vendors, min(6, len(vendors)))
    nobodys = ("nobody-is-called-this", vendors[-1][:-1] or "-")
    for vendor in dict.fromkeys([*unusual, *chosen, *nobodys]):
        yield {"vendor": vendor}


@pytest.mark.origin("specification 4.1")
def test_any_source_is_found_by_its_name(holder: Probe) -> None:
    """q: Search by name or vendor."""
    nothing = holder.get("/sources", {"q": "zqxjkvbw", "limit": 100})
    expect(not nothing.items, nothing, "found sources by a word that nobody is called")
    sources = holder.needs(holder.listing("/sources").items, "the catalog is empty")
    for source in holder.random("names").sample(sources, min(12, len(sources))):
        for field in ("name", "vendor"):
            listing = holder.listing("/sources", {"q": str(source[field])}, most=4)
            listed = source["slug"] in {item["slug"] for item in listing.items}
            right = listed or not listing.is_whole
            expect(right, listing.responses[0], f"does not find {source['slug']} by {field}")
