"""One filter of entries, wherever entries are listed or followed (docs/decisions/0114)."""

import re
from collections.abc import Callable, Iterator, Mapping
from datetime import timedelta
from typing import Any, NamedTuple
from urllib.parse import parse_qs, urlsplit

from conformance.checks.following import links_of
from conformance.checks.paging import newest_first, published
from conformance.checks.probe import Audience, Probe, check
from conformance.http_messages import Response
from conformance.sampling import Listing
from openapi.contract import resolve
from openapi.vocabulary import Category

_OPERATIONS = "GET /entries, GET /latest, GET /important"
_WORD = re.compile(r"(?<!\S)[A-Za-z]{6,}(?!\S)")
"""A word with spaces around it: what stands beside other signs is cut in many ways."""
_NOWHERE = "qzxjvkwpfh"
"""A word that no entry has."""
_PAGES = 4
_VALUES = 12
"""Vendors, and tags, that a list is filtered by."""
_SPAN = timedelta(days=3)
Item = Mapping[str, Any]


class _Filter(NamedTuple):
    """Parameters, and whether an entry fits them, as far as that can be seen in it."""

    params: dict[str, str]
    fits: Callable[[Item], bool]


def _lists(probe: Probe) -> Iterator[tuple[str, dict[str, str | int], Listing]]:
    """Yield the lists that the caller may read and the contract lets be filtered."""
    lists: list[tuple[str, dict[str, str | int]]] = [("/latest", {}), ("/important", {})]
    if probe.caller.reads_entries:
        lists.append(("/entries", {"sources": ",".join(probe.caller.sources[:3])}))
    filtered = [(path, base) for path, base in lists if _takes(probe, path)]
    probe.needs(filtered, "the contract has no filters of entries")
    for path, base in filtered:
        listing = probe.listing(path, base)
        if listing.items:
            yield path, base, listing


def _takes(probe: Probe, path: str) -> bool:
    operation = probe.contract["paths"].get(path, {}).get("get", {})
    names = {resolve(probe.contract, node).get("name") for node in operation.get("parameters", [])}
    return {"vendor", "tag", "kind", "category", "since", "until", "q"} <= names


def _filters(probe: Probe, path: str, listing: Listing, *, most: int = 1) -> Iterator[_Filter]:
    """Yield filters that items of the list fit: by time, and by some vendors, tags, categories."""
    random = probe.random(f"filters {path}")
    vendors = sorted({str(item["vendor"]) for item in listing.items})
    tags = sorted({str(tag) for item in listing.items for tag in item.get("tags") or []})
    yield from map(_of_vendor, random.sample(vendors, min(most, len(vendors))))
    yield from map(_of_tag, random.sample(tags, min(most, len(tags))))
    item = random.choice(listing.items)
    if "importance" in item:
        yield from map(_of_importance, sorted(Category)[:most])
    vendor, moment, when = item["vendor"], published(item), str(item["published_at"])
    yield _Filter({"since": when}, lambda one: published(one) > moment)
    yield _Filter({"until": when}, lambda one: published(one) <= moment)
    yield _Filter(
        {"vendor": vendor, "until": when},
        lambda one: one["vendor"] == vendor and published(one) <= moment,
    )


def _of_vendor(vendor: str) -> _Filter:
    return _Filter({"vendor": vendor}, lambda item: item["vendor"] == vendor)


def _of_tag(tag: str) -> _Filter:
    return _Filter({"tag": tag}, lambda item: tag in item["tags"])


def _of_importance(category: str) -> _Filter:
    return _Filter(
        {"category": category}, lambda item: category in item["importance"]["categories"]
    )


@check(
    "docs/decisions/0114",
    "vendor, tag, category, since and until let through the entries that fit, and all of those.",
    operation=_OPERATIONS,
    audience=Audience.ANYBODY,
)
def entries_are_filtered_by_what_they_show(probe: Probe) -> None:
    for path, base, listing in _lists(probe):
        for params, fits in _filters(probe, path, listing, most=_VALUES):
            filtered = probe.listing(path, {**base, **params}, most=_PAGES)
            response = filtered.responses[0]
            stray = [item for item in filtered.items if not fits(item)]
            probe.expect(not stray, response, f"has {_named(stray)}")
            expected = [item for item in listing.items if fits(item)]
            if filtered.is_whole:
                missing = [item for item in expected if _key(item) not in _keys(filtered.items)]
                probe.expect(not missing, response, f"does not have {_named(missing)}")
            if listing.is_whole:
                counted = f"counts {filtered.total} where {len(expected)} fit"
                probe.expect(filtered.total == len(expected), response, counted)


@check(
    "docs/decisions/0114",
    "kind is that of the source, category what /important says of an entry, in every list.",
    operation=_OPERATIONS,
    audience=Audience.ANYBODY,
)
def entries_are_filtered_by_kind_and_category(probe: Probe) -> None:
    known = probe.get("/sources", {"limit": 100}).items
    kinds = {source["slug"]: source["kind"] for source in known}
    important = probe.listing("/important").items
    for path, base, listing in _lists(probe):
        for kind in sorted({kinds[item["source"]] for item in listing.items[:200]
                            if item["source"] in kinds}):  # fmt: skip
            page = probe.get(path, {**base, "kind": kind, "limit": 100})
            stray = [item for item in page.items if kinds.get(item["source"], kind) != kind]
            probe.expect(not stray, page, f"has {_named(stray)}")
            probe.expect(bool(page.items), page, "has nothing of a kind that is there")
        for item in _some_of(probe, path, important, listing):
            _of_category(probe, path, base, item)


def _some_of(
    probe: Probe, path: str, important: list[dict[str, Any]], listing: Listing
) -> list[dict[str, Any]]:
    """Return an important entry that a list has, if any."""
    both = [item for item in important if _key(item) in _keys(listing.items)]
    return [probe.random(f"category {path}").choice(both)] if both else []


def _of_category(
    probe: Probe, path: str, base: Mapping[str, str | int], item: dict[str, Any]
) -> None:
    """Expect the same important entries of a few days in a list as in /important."""
    category, moment = item["importance"]["categories"][0], published(item)
    span: dict[str, str | int] = {
        "since": _written(moment - _SPAN), "until": _written(moment), "limit": 100,
    }  # fmt: skip
    response = probe.get(path, {**base, **span, "category": category})
    everything = probe.get("/latest", span)
    of_category = probe.get("/important", {**span, "category": category})
    shown = _keys(response.items)
    probe.expect(_key(item) in shown, response, f"does not have {item['id']}")
    if all(_is_whole(page) for page in (response, everything, of_category)):
        stray = (shown & _keys(everything.items)) - _keys(of_category.items)
        named = ", ".join(sorted(entry for _, entry in stray)[:3])
        probe.expect(not stray, response, f"has {named}, of no such category in /important")


@check(
    "docs/decisions/0114",
    "A filter holds on every page, and the neighbours of a page have it in their addresses.",
    operation=_OPERATIONS,
    audience=Audience.ANYBODY,
)
def filters_of_entries_hold_on_every_page(probe: Probe) -> None:
    for path, base, listing in _lists(probe):
        word = _word_of(listing.items[0])
        searched = [{"q": word}] if word else []
        for params in [*(one.params for one in _filters(probe, path, listing)), *searched]:
            query = {**base, **params}
            large = probe.get(path, {**query, "limit": 100})
            total = int(large.field("total") or 0)
            for offset in sorted({0, 2, min(total, 100) // 2, max(0, min(total, 100) - 3)}):
                page = probe.get(path, {**query, "limit": 3, "offset": offset})
                same = _ids(page.items) == _ids(large.items[offset : offset + 3])
                probe.expect(same, page, "has other entries than the same part of a larger page")
                counted = page.field("total")
                probe.expect(counted == total, page, f"has the total {counted}, not {total}")
                _keep(probe, page, params)


def _keep(probe: Probe, response: Response, params: Mapping[str, str]) -> None:
    for address in links_of(response).values():
        sent = {name: values[0] for name, values in parse_qs(urlsplit(address).query).items()}
        lost = sorted(params.keys() - sent.keys())
        probe.expect(not lost, response, f"forgets {', '.join(lost)} in {address}")
        other = sorted(name for name in params if name in sent and not _same(params, sent, name))
        probe.expect(not other, response, f"changes {', '.join(other)} in {address}")


def _same(params: Mapping[str, str], sent: Mapping[str, str], name: str) -> bool:
    """Return whether a value is the same; times may be written otherwise."""
    return params[name] == sent[name] or name in ("since", "until")


@check(
    "docs/decisions/0111",
    "q finds entries by the words of their titles, and none by a word that is nowhere.",
    operation=_OPERATIONS,
    audience=Audience.ANYBODY,
)
def entries_are_found_by_their_words(probe: Probe) -> None:
    for path, base, listing in _lists(probe):
        nothing = probe.get(path, {**base, "q": _NOWHERE})
        fault = f"found {nothing.field('total')} entries with a word that is nowhere"
        probe.expect(nothing.field("total") == 0 and not nothing.items, nothing, fault)
        titled = [item for item in listing.items if _word_of(item)]
        if titled:
            item = probe.random(f"q {path}").choice(titled)
            moment = published(item)
            span = {"since": _written(moment - _SPAN), "until": _written(moment)}
            query = {**base, **span, "q": _word_of(item)}
            by_date = probe.listing(path, {**query, "order": "date"}, most=_PAGES)
            response = by_date.responses[0]
            if by_date.is_whole:
                shown = _key(item) in _keys(by_date.items)
                probe.expect(shown, response, f"does not have {item['id']}")
            early = [one for one in by_date.items if published(one) <= moment - _SPAN]
            probe.expect(not early, response, f"has {_named(early)}, from before since")
            newest_first(probe, by_date)
            by_relevance = probe.get(path, {**query, "order": "relevance"})
            counted = by_relevance.field("total") == by_date.total
            probe.expect(counted, by_relevance, f"does not count {by_date.total}, as by date")


@check(
    "docs/decisions/0114",
    "The changes that a filter lets through are those of entries that fit.",
    operation="GET /changes",
    audience=Audience.READER,
)
def changes_are_filtered(probe: Probe) -> None:
    probe.needs(_takes(probe, "/changes"), "the contract has no filters of changes")
    sources = ",".join(probe.needs(probe.caller.sources, "no source is selected for the key")[:6])
    listing = probe.listing("/entries", {"sources": sources})
    probe.needs(listing.items, "no entries")
    for params, fits in _filters(probe, "/changes", listing):
        response = probe.get("/changes", {"sources": sources, **params, "limit": 100})
        entries = [item["entry"] for item in response.items if item["change"] != "removed"]
        stray = [entry for entry in entries if not fits(entry)]
        probe.expect(not stray, response, f"has {_named(stray)}")
        begun = entries or response.field("more") or not any(map(fits, listing.items))
        probe.expect(bool(begun), response, "has nothing of what /entries has")
        _keep(probe, response, params)
    nothing = probe.get("/changes", {"sources": sources, "q": _NOWHERE})
    probe.expect(not nothing.items, nothing, "found changes with a word that is nowhere")


def _word_of(item: Item) -> str:
    """Return the longest word of a title that is written in plain letters; empty if none is."""
    return max(_WORD.findall(str(item.get("title") or "")), key=len, default="")


def _written(moment: Any) -> str:
    return str(moment.isoformat()).replace("+00:00", "Z")


def _key(item: Item) -> tuple[str, str]:
    return str(item["source"]), str(item["id"])


def _keys(items: list[dict[str, Any]]) -> set[tuple[str, str]]:
    return {_key(item) for item in items}


def _ids(items: list[dict[str, Any]]) -> list[tuple[str, str]]:
    return [_key(item) for item in items]


def _named(items: list[Any]) -> str:
    return ", ".join(str(item["id"]) for item in items[:3])


def _is_whole(page: Response) -> bool:
    return bool(page.field("total") == len(page.items))
