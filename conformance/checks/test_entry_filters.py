"""One filter of entries, wherever entries are listed or followed (docs/decisions/0114)."""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from datetime import timedelta
from typing import Any, TypeAlias
from urllib.parse import parse_qs, urlsplit

import pytest

from conformance.http_messages import Response
from conformance.lists import compare_pages, identity, links_of, newest_first, published
from conformance.probe import Probe, expect
from conformance.sampling import Listing
from openapi.contract import resolve
from openapi.vocabulary import Category

_WORD = re.compile(r"(?<!\S)[A-Za-z]{6,}(?!\S)")
"""A word with spaces around it: what is beside other signs is cut in many ways."""
_NOWHERE = "qzxjvkwpfh"
"""A word that no entry has."""
_PAGES = 4
_VALUES = 12
"""Vendors, and tags, that a list is filtered by."""
_SPAN = timedelta(days=3)
_PART, _TRIED = 5, 4
"""Letters of a part of a word, and how many words are searched for by a part of them."""
_Filter: TypeAlias = tuple[dict[str, str], Callable[[Mapping[str, Any]], bool]]
"""Parameters, and whether an entry fits them, as far as that can be seen in it."""


def _lists(probe: Probe) -> Iterator[tuple[str, dict[str, str | int], Listing]]:
    """Yield the lists that the caller may read and the contract lets be filtered."""
    lists: list[tuple[str, dict[str, str | int]]] = [("/latest", {}), ("/important", {})]
    if probe.caller.reads_entries:
        lists.append(("/entries", {"sources": ",".join(probe.caller.sources[:3])}))
    filtered = [(path, base) for path, base in lists if _takes(probe, path)]
    for path, base in probe.needs(filtered, "the contract has no filters of entries"):
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
    for vendor in random.sample(vendors, min(most, len(vendors))):
        yield {"vendor": vendor}, _has("vendor", vendor)
    for tag in random.sample(tags, min(most, len(tags))):
        yield {"tag": tag}, _has("tags", tag)
    item = random.choice([one for one in listing.items if "importance" in one] or listing.items)
    if "importance" in item:
        yield from (_of_importance(category) for category in sorted(Category)[:most])
        of_item = item["importance"]["categories"][-1]
        others = [category for category in sorted(Category) if category != of_item]
        yield _of_importance(random.choice(others), of_item)
    vendor, moment, when = item["vendor"], published(item), str(item["published_at"])
    yield {"since": when}, lambda one: published(one) > moment
    yield (
        {"vendor": vendor, "until": when},
        lambda one: one["vendor"] == vendor and published(one) <= moment,
    )


def _has(field: str, value: str) -> Callable[[Mapping[str, Any]], bool]:
    return lambda one: value in one[field] if field == "tags" else value == one[field]


def _of_importance(*categories: str) -> _Filter:
    return (
        {"category": ",".join(categories)},
        lambda one: bool({*categories} & {*one.get("importance", {}).get("categories", ())}),
    )


@pytest.mark.origin("docs/decisions/0114")
def test_entries_are_filtered_by_what_they_show(anybody: Probe) -> None:
    """vendor, tag, category, since and until let through the entries that fit, and all of those."""
    for path, base, listing in _lists(anybody):
        for params, fits in _filters(anybody, path, listing, most=_VALUES):
            filtered = anybody.listing(path, {**base, **params}, most=_PAGES)
            response = filtered.responses[0]
            stray = [item for item in filtered.items if not fits(item)]
            expect(not stray, response, f"has {_named(stray)}")
            expected = [item for item in listing.items if fits(item)]
            if filtered.is_whole:
                missing = [item for item in expected if not _among(item, filtered.items)]
                expect(not missing, response, f"does not have {_named(missing)}")
            if listing.is_whole:
                counted = f"counts {filtered.total} where {len(expected)} fit"
                expect(filtered.total == len(expected), response, counted)


@pytest.mark.origin("docs/decisions/0114")
def test_entries_are_filtered_by_kind(anybody: Probe) -> None:
    """kind is that of the source, in every list."""
    known = anybody.get("/sources", {"limit": 100}).items
    kinds = {source["slug"]: source["kind"] for source in known}
    for path, base, listing in _lists(anybody):
        for kind in sorted(
            {kinds[one["source"]] for one in listing.items if one["source"] in kinds}
        ):
            page = anybody.get(path, {**base, "kind": kind, "limit": 100})
            stray = [item for item in page.items if kinds.get(item["source"], kind) != kind]
            expect(not stray, page, f"has {_named(stray)}")
            expect(bool(page.items), page, "has nothing of a kind that is there")


@pytest.mark.origin("docs/decisions/0114")
def test_filters_of_entries_hold_on_every_page(anybody: Probe) -> None:
    """A filter holds on every page, and the neighbours of a page have it in their addresses."""
    for path, base, listing in _lists(anybody):
        word = _word_of(listing.items[0])
        searched = [{"q": word}] if word else []
        for params in [*(params for params, _ in _filters(anybody, path, listing)), *searched]:
            query = {**base, **params}
            compare_pages(anybody, path, query)
            _keep(anybody.get(path, {**query, "limit": 3, "offset": 2}), params)


def _keep(response: Response, params: Mapping[str, str]) -> None:
    """Expect the links of a page to have its filters; times may be written otherwise."""
    for address in links_of(response).values():
        sent = {name: values[0] for name, values in parse_qs(urlsplit(address).query).items()}
        written = sent | {name: params[name] for name in ("since", "until") if name in params}
        kept = params.keys() <= sent.keys() and written.items() >= params.items()
        expect(kept, response, f"forgets what was asked for in {address}")


@pytest.mark.origin("docs/decisions/0111")
def test_entries_are_found_by_their_words(anybody: Probe) -> None:
    """q finds entries by the words of their titles, and none by a word that is nowhere."""
    for path, base, listing in _lists(anybody):
        nothing = anybody.get(path, {**base, "q": _NOWHERE})
        fault = f"found {nothing.field('total')} entries with a word that is nowhere"
        expect(nothing.field("total") == 0 and not nothing.items, nothing, fault)
        titled = [item for item in listing.items if _word_of(item)]
        if titled:
            item = anybody.random(f"q {path}").choice(titled)
            query = {**base, **_around(item), "q": _word_of(item)}
            by_date = anybody.listing(path, {**query, "order": "date"}, most=_PAGES)
            response = by_date.responses[0]
            shown = _among(item, by_date.items) or not by_date.is_whole
            expect(shown, response, f"does not have {item['id']}")
            early = [one for one in by_date.items if published(one) <= published(item) - _SPAN]
            expect(not early, response, f"has {_named(early)}, from before since")
            newest_first(by_date)


@pytest.mark.origin("docs/decisions/0111")
def test_parts_of_words_find_nothing(anybody: Probe) -> None:
    """q finds words, not parts of them: depre* is needed for every word that begins so."""
    for path, base, listing in _lists(anybody):
        words = {_word_of(item): item for item in listing.items if len(_word_of(item)) > _PART + 1}
        for word, item in sorted(words.items())[:_TRIED]:
            seen, part = json.dumps(item).lower(), word[:_PART].lower()
            if re.search(rf"(?<![a-z]){part}(?![a-z])", seen):
                continue
            response = anybody.get(path, {**base, **_around(item), "q": part, "limit": 100})
            found = _among(item, response.items)
            expect(not found, response, f"found {item['id']}, which has {word}, by {part}")


@pytest.mark.origin("docs/decisions/0114")
def test_changes_are_filtered(reader: Probe) -> None:
    """The changes that a filter lets through are those of entries that fit."""
    reader.needs(_takes(reader, "/changes"), "the contract has no filters of changes")
    sources = ",".join(reader.needs(reader.caller.sources, "no source is selected for the key")[:6])
    listing = reader.listing("/entries", {"sources": sources})
    reader.needs(listing.items, "no entries")
    for params, fits in _filters(reader, "/changes", listing):
        response = reader.get("/changes", {"sources": sources, **params, "limit": 100})
        entries = [item["entry"] for item in response.items if item["change"] != "removed"]
        stray = [entry for entry in entries if not fits(entry)]
        expect(not stray, response, f"has {_named(stray)}")
        begun = entries or response.field("more") or not any(map(fits, listing.items))
        expect(bool(begun), response, "has nothing of what /entries has")
        _keep(response, params)
    nothing = reader.get("/changes", {"sources": sources, "q": _NOWHERE})
    expect(not nothing.items, nothing, "found changes with a word that is nowhere")


def _word_of(item: Mapping[str, Any]) -> str:
    """Return the longest word of a title that is written in plain letters; empty if none is."""
    return max(_WORD.findall(str(item.get("title") or "")), key=len, default="")


def _around(item: Mapping[str, Any]) -> dict[str, str]:
    """Return the parameters of the days until an entry was published."""
    times = {"since": published(item) - _SPAN, "until": published(item)}
    return {name: at.isoformat().replace("+00:00", "Z") for name, at in times.items()}


def _among(item: Mapping[str, Any], items: list[dict[str, Any]]) -> bool:
    return identity(item) in map(identity, items)


def _named(items: list[Any]) -> str:
    return ", ".join(str(item["id"]) for item in items[:3])
