"""Lists of entries and sources: their pages, their order, and the links between them."""

import re
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from conformance.callers import SLOTS
from conformance.http_messages import Response
from conformance.probe import Probe, expect
from conformance.sampling import PAGE, Listing, random_pages
from openapi.parsing import normal_time

_LINK = re.compile(r'<([^<>]*)>; rel="([a-z]+)"')
Params = Mapping[str, str | int]


def moment_of(written: object) -> datetime:
    """Return the moment of a time in RFC 3339, which has many spellings."""
    return datetime.fromisoformat(normal_time(str(written)))


def published(item: Mapping[str, Any]) -> datetime:
    """Return when an entry was published."""
    return moment_of(item["published_at"])


def newest_first(listing: Listing) -> None:
    """Expect entries by time of publication, then by id, both descending, across pages too."""
    for before, after in listing.neighbours():
        response = listing.page_of(after)
        times = before["published_at"], after["published_at"]
        first, second = published(before), published(after)
        expect(first >= second, response, f"has {times[0]} before {times[1]}")
        tied = first == second and before["source"] == after["source"]
        in_order = not tied or str(before["id"]) > str(after["id"])
        expect(in_order, response, f"has the id {before['id']} before {after['id']}")


def links_of(response: Response) -> dict[str, str]:
    """Return the URLs of a Link header by their relation (RFC 8288 §3)."""
    links = _LINK.findall(response.headers.get("link", ""))
    return {relation: address for address, relation in links}


def not_selected(reader: Probe) -> list[str]:
    """Return sources that are not selected for a key: of the catalog, and of the other keys."""
    own = reader.caller
    reader.needs(own.other_source and own.plan in SLOTS, "every source is selected for the key")
    others = [slug for one in reader.callers if one.plan in SLOTS for slug in one.sources]
    catalog = [str(own.other_source)]
    return [slug for slug in dict.fromkeys(catalog + others) if slug not in own.sources]


def lists_of(probe: Probe) -> Iterator[tuple[str, dict[str, str | int]]]:
    """Yield the lists that the caller may read."""
    yield "/latest", {}
    yield "/important", {}
    yield "/latest", {"future": 1}
    if "/deadlines" in probe.contract["paths"]:
        yield "/deadlines", {}
    if probe.caller.key is not None:
        yield "/sources", {}
        yield "/sources", {"selected": 1}
    if probe.caller.reads_entries and probe.caller.sources:
        slots = probe.caller.sources[:3]
        yield "/entries", {"sources": ",".join(slots)}
        yield "/entries", {"sources": slots[-1]}


def identity(item: Mapping[str, Any]) -> tuple[str, str]:
    """Return what identifies an item of any list: an entry may have several deadlines."""
    if "entry" in item:
        source, entry = identity(item["entry"])
        return source, f"{entry} {item.get('kind')} {item.get('to')} {item.get('text')}"
    return str(item.get("source", "")), str(item.get("id") or item.get("slug"))


def compare_pages(probe: Probe, path: str, params: Params) -> None:
    """Expect random pages to be parts of the list."""
    listing = probe.listing(path, params)
    parts = _wrong_parts(probe, path, params, listing)
    for response, sentence in (*_wrong_whole(listing), *parts):
        expect(False, response, sentence)


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


def _wrong_parts(
    probe: Probe, path: str, params: Params, listing: Listing
) -> Iterator[tuple[Response, str]]:
    random = probe.random(f"pages of {path} {sorted(params.items())}")
    read = [position for position in listing.by_position if position % PAGE == 0] or [0]
    for limit, offset in random_pages(random, read, listing.total):
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
