"""Random pages of every list, and the same things as different lists show them."""

from collections.abc import Iterator, Mapping
from typing import Any

from conformance.checks.paging import moment_of, published
from conformance.checks.probe import Audience, Probe, check
from conformance.http_messages import Response
from conformance.sampling import PAGE, Listing, random_pages

_PAGES = 14
"""Random pages of each list."""
_GROUPS = 4
"""Random groups of sources whose entries are read together."""
_TRIES = 3
_SHARED = ("source", "vendor", "published_at", "title", "url", "tags")
"""Fields that every list shows of an entry alike."""

Params = Mapping[str, str | int]


def lists_of(probe: Probe) -> Iterator[tuple[str, dict[str, str | int]]]:
    """Yield the lists that the caller may read."""
    yield "/latest", {}
    yield "/important", {}
    yield "/latest", {"future": 1}
    if probe.caller.key is not None:
        yield "/sources", {}
        yield "/sources", {"selected": 1}
    if probe.caller.reads_entries and probe.caller.sources:
        slots = probe.caller.sources[:3]
        yield "/entries", {"sources": ",".join(slots)}
        yield "/entries", {"sources": slots[-1]}


def identity(item: Mapping[str, Any]) -> tuple[str, str]:
    """Return what tells an item of any list from others: an entry may have several deadlines."""
    if "entry" in item:
        source, entry = identity(item["entry"])
        return source, f"{entry} {item.get('kind')} {item.get('to')} {item.get('text')}"
    return str(item.get("source", "")), str(item.get("id") or item.get("slug"))


@check(
    "specification 4.2",
    "limit: page size; offset: items to skip (4.1 for /sources). So any page is a part of the "
    "list, and no item is in it twice.",
    operation="GET *",
    audience=Audience.ANYBODY,
)
def random_pages_are_parts_of_the_list(probe: Probe) -> None:
    for path, params in lists_of(probe):
        if isinstance(probe.get(path, {**params, "limit": 1}).field("total"), int):
            compare_pages(probe, path, params)


def compare_pages(probe: Probe, path: str, params: Params) -> None:
    """Expect random pages to be parts of the list; read it anew where it has changed meanwhile."""
    for attempt in range(_TRIES):
        listing = probe.listing(path, params)
        wrong = [*_wrong_whole(listing), *_wrong_parts(probe, path, params, listing)]
        if not wrong:
            return
        now = probe.get(path, {**params, "limit": 1}).field("total")
        if now == listing.total or attempt == _TRIES - 1:
            break
        probe.listings.clear()
    for response, sentence in wrong:
        probe.expect(False, response, sentence)


def _wrong_whole(listing: Listing) -> Iterator[tuple[Response, str]]:
    """Yield what is wrong with the pages of 100 together."""
    seen: set[tuple[str, str]] = set()
    for response in listing.responses:
        names = [identity(item) for item in response.items]
        again = sorted(seen & set(names)) + sorted(n for n in set(names) if names.count(n) > 1)
        if again:
            yield response, f"has {' '.join(again[0]).strip()} again"
        seen.update(names)
        if response.field("total") != listing.total:
            yield response, f"has the total {response.field('total')}, not {listing.total}"
    for position, response in enumerate(listing.responses[:-1]):
        if len(response.items) != PAGE:
            yield response, f"has {len(response.items)} items on page {position + 1} of several"


def _wrong_parts(
    probe: Probe, path: str, params: Params, listing: Listing
) -> Iterator[tuple[Response, str]]:
    random = probe.random(f"pages of {path} {sorted(params.items())}")
    read = [position for position in listing.by_position if position % PAGE == 0] or [0]
    for limit, offset in random_pages(random, read, listing.total, count=_PAGES):
        response = probe.get(path, {**params, "limit": limit, "offset": offset})
        count = max(0, min(limit, listing.total - offset))
        if len(response.items) != count:
            yield response, f"has {len(response.items)} items instead of {count}"
        expected = listing.part(limit, offset)
        if expected is not None and response.items != expected:
            yield response, "has other items than the same part of a larger page"
        page = tuple(response.field(name) for name in ("limit", "offset", "total"))
        if page != (limit, offset, listing.total):
            yield response, f"says it is {page}"


@check(
    "specification 4.2",
    "Returns entries of the selected sources; sources: comma-separated slugs.",
    operation="GET /entries",
    audience=Audience.READER,
)
def sources_together_have_the_entries_of_each(probe: Probe) -> None:
    listings = dict(probe.entries_of_each())
    known = [slug for slug in listings if listings[slug].is_whole]
    probe.needs(len(known) > 1, "fewer than two sources with few enough entries")
    random = probe.random("groups")
    for number in range(_GROUPS):
        # one group begins with the last source, so that no place in the list is left out
        group = random.sample(known, random.randint(2, min(5, len(known))))
        group = group if number else list(reversed(known[-3:]))
        expected = {identity(item): item for slug in group for item in listings[slug].items}
        together = probe.listing("/entries", {"sources": ",".join(group)})
        response = together.responses[0]
        total = sum(listings[slug].total for slug in group)
        probe.expect(together.total == total, response, f"counts {together.total}, not {total}")
        read = {identity(item): item for item in together.items}
        stray = sorted(read.keys() - expected.keys())
        probe.expect(not stray, response, f"has {stray[:1]}, which no source has alone")
        missing = sorted(expected.keys() - read.keys())
        probe.expect(not missing or not together.is_whole, response, f"does not have {missing[:1]}")
        other = [name for name in read.keys() & expected.keys() if read[name] != expected[name]]
        probe.expect(not other, response, f"has another {sorted(other)[:1]} than the source alone")


@check(
    "specification 4.2",
    "since: Only entries published after this time; for every source and any time.",
    operation="GET /entries",
    audience=Audience.READER,
)
def since_cuts_every_source_anywhere(probe: Probe) -> None:
    cut = 0
    for source, listing in probe.entries_of_each():
        if not listing.is_whole or len(listing.items) < 2:
            continue
        cut += 1
        random = probe.random(f"since {source}")
        since = str(random.choice(listing.items)["published_at"])
        expected = {identity(i) for i in listing.items if published(i) > moment_of(since)}
        later = probe.listing("/entries", {"sources": source, "since": since})
        read = {identity(item) for item in later.items}
        response = later.responses[0]
        probe.expect(read == expected, response, _difference(read, expected))
        probe.expect(later.total == len(expected), response, f"has the total {later.total}")
        if len(expected) > 1:
            compare_pages(probe, "/entries", {"sources": source, "since": since})
    probe.needs(cut, "no source has two entries")


def _difference(read: set[tuple[str, str]], expected: set[tuple[str, str]]) -> str:
    more, fewer = sorted(read - expected), sorted(expected - read)
    return f"has {more[:1]}, which is too early" if more else f"does not have {fewer[:1]}"


@check(
    "specification 4.6",
    "Returns the latest entries: the same that /entries returns of their sources.",
    operation="GET /latest, GET /important, GET /entries",
    audience=Audience.READER,
)
def feeds_show_the_entries_of_the_sources(probe: Probe) -> None:
    own = {identity(item): item for _, listing in probe.entries_of_each() for item in listing.items}
    compared = 0
    for path, params in (("/latest", {}), ("/important", {}), ("/latest", {"future": 1})):
        for response in probe.listing(path, params).responses:
            for item in response.items:
                entry = own.get(identity(item))
                if entry is None:
                    continue
                compared += 1
                other = [name for name in _SHARED if not _alike(name, item, entry)]
                sentence = f"has another {', '.join(other)} of {item.get('id')} than /entries"
                probe.expect(not other, response, sentence)
    probe.needs(compared, "the feeds show no entry of the caller's sources")


def _alike(name: str, item: Mapping[str, Any], entry: Mapping[str, Any]) -> bool:
    """Return whether a feed shows a field as /entries does; it need not show all."""
    if name not in item:
        return True
    if name == "published_at":
        return published(item) == published(entry)
    return bool(item[name] == entry.get(name))


@check(
    "specification 4.1",
    "vendor: Filter by vendor identifier. kind: Filter by source kind. adapterType: Filter by "
    "adapter type. A page of the full catalog, with all filters.",
    operation="GET /sources",
    audience=Audience.KEY,
)
def every_filter_cuts_the_catalog(probe: Probe) -> None:
    catalog = probe.listing("/sources")
    probe.needs(catalog.items, "the catalog is empty")
    for name, value in _values(probe, catalog):
        filtered = probe.listing("/sources", {name: value})
        response = filtered.responses[0]
        stray = [item["slug"] for item in filtered.items if item.get(name) != value]
        probe.expect(not stray, response, f"has {', '.join(stray[:3])} of another {name}")
        read = {item["slug"]: item for item in filtered.items}
        expected = {item["slug"]: item for item in catalog.items if item.get(name) == value}
        missing = sorted(expected.keys() - read.keys())
        probe.expect(not missing or not filtered.is_whole, response, f"does not have {missing[:3]}")
        counted = filtered.total == len(expected) or not catalog.is_whole
        probe.expect(counted, response, f"counts {filtered.total} instead of {len(expected)}")
        compare_pages(probe, "/sources", {name: value})


def _values(probe: Probe, catalog: Listing) -> Iterator[tuple[str, str]]:
    """Yield every kind and adapter type of the catalog, and vendors of all sorts.

    Among them is one that nobody is called, and the beginning of another's name.
    """
    for name in ("kind", "adapterType"):
        for value in sorted({str(item.get(name)) for item in catalog.items}):
            yield name, value
    vendors = sorted({str(item.get("vendor")) for item in catalog.items})
    unusual = [vendor for vendor in vendors if not vendor.isalnum()][:2]
    chosen = probe.random("vendors").sample(vendors, min(6, len(vendors)))
    nobodys = ("nobody-is-called-this", vendors[-1][:-1] or "-")
    for vendor in dict.fromkeys([*unusual, *chosen, *nobodys]):
        yield "vendor", vendor


@check(
    "specification 4.1",
    "q: Search by name or vendor.",
    operation="GET /sources",
    audience=Audience.KEY,
)
def any_source_is_found_by_its_name(probe: Probe) -> None:
    sources = probe.needs(probe.listing("/sources").items, "the catalog is empty")
    for source in probe.random("names").sample(sources, min(12, len(sources))):
        for field in ("name", "vendor"):
            listing = probe.listing("/sources", {"q": str(source[field])}, most=4)
            listed = source["slug"] in {item["slug"] for item in listing.items}
            right = listed or not listing.is_whole
            probe.expect(right, listing.responses[0], f"does not find {source['slug']} by {field}")
