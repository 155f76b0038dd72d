"""One filter of entries, wherever entries are listed or followed (docs/decisions/0114)."""

import re
from collections.abc import Callable, Iterator, Mapping
from datetime import timedelta
from typing import Any, NamedTuple
from urllib.parse import parse_qs, urlsplit

import pytest

from conformance.http_messages import Response
from conformance.lists import links_of, newest_first, published
from conformance.probe import Probe, expect
from conformance.sampling import Listing
from openapi.contract import resolve
from openapi.vocabulary import Category

_WORD = re.compile(r"(?<!\S)[A-Za-z]{6,}(?!\S)")
"""A word with spaces around it: what stands beside other signs is cut in many ways."""
_NOWHERE = "qzxjvkwpfh"
"""A word that no entry has."""
_PAGES = 4
_VALUES = 12
"""Vendors, and tags, that a list is filtered by."""
_SPAN = timedelta(days=3)
_PART, _TRIED = 5, 4
"""Letters of a part of a word, and how many words are searched for by a part of them."""
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
        of_item = item["importance"]["categories"][-1]
        others = [category for category in sorted(Category) if category != of_item]
        yield _of_importance(random.choice(others), of_item)
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


def _of_importance(*categories: str) -> _Filter:
    return _Filter(
        {"category": ",".join(categories)},
        lambda item: bool({*categories} & {*item["importance"]["categories"]}),
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
                missing = [item for item in expected if _key(item) not in _keys(filtered.items)]
                expect(not missing, response, f"does not have {_named(missing)}")
            if listing.is_whole:
                counted = f"counts {filtered.total} where {len(expected)} fit"
                expect(filtered.total == len(expected), response, counted)


@pytest.mark.origin("docs/decisions/0114")
def test_entries_are_filtered_by_kind_and_category(anybody: Probe) -> None:
    """kind is that of the source, category what /important says of an entry, in every list."""
    known = anybody.get("/sources", {"limit": 100}).items
    kinds = {source["slug"]: source["kind"] for source in known}
    important = anybody.listing("/important").items
    for path, base, listing in _lists(anybody):
        for kind in sorted({kinds[item["source"]] for item in listing.items[:200]
                            if item["source"] in kinds}):  # fmt: skip
            page = anybody.get(path, {**base, "kind": kind, "limit": 100})
            stray = [item for item in page.items if kinds.get(item["source"], kind) != kind]
            expect(not stray, page, f"has {_named(stray)}")
            expect(bool(page.items), page, "has nothing of a kind that is there")
        for item in _some_of(anybody, path, important, listing):
            _of_category(anybody, path, base, item)


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
    expect(_key(item) in shown, response, f"does not have {item['id']}")
    if all(_is_whole(page) for page in (response, everything, of_category)):
        stray = (shown & _keys(everything.items)) - _keys(of_category.items)
        named = ", ".join(sorted(entry for _, entry in stray)[:3])
        expect(not stray, response, f"has {named}, of no such category in /important")


@pytest.mark.origin("docs/decisions/0114")
def test_filters_of_entries_hold_on_every_page(anybody: Probe) -> None:
    """A filter holds on every page, and the neighbours of a page have it in their addresses."""
    for path, base, listing in _lists(anybody):
        word = _word_of(listing.items[0])
        searched = [{"q": word}] if word else []
        for params in [*(one.params for one in _filters(anybody, path, listing)), *searched]:
            query = {**base, **params}
            large = anybody.get(path, {**query, "limit": 100})
            total = int(large.field("total") or 0)
            for offset in sorted({0, 2, min(total, 100) // 2, max(0, min(total, 100) - 3)}):
                page = anybody.get(path, {**query, "limit": 3, "offset": offset})
                same = _ids(page.items) == _ids(large.items[offset : offset + 3])
                expect(same, page, "has other entries than the same part of a larger page")
                counted = page.field("total")
                expect(counted == total, page, f"has the total {counted}, not {total}")
                _keep(page, params)


def _keep(response: Response, params: Mapping[str, str]) -> None:
    for address in links_of(response).values():
        sent = {name: values[0] for name, values in parse_qs(urlsplit(address).query).items()}
        lost = sorted(params.keys() - sent.keys())
        expect(not lost, response, f"forgets {', '.join(lost)} in {address}")
        other = sorted(name for name in params if name in sent and not _same(params, sent, name))
        expect(not other, response, f"changes {', '.join(other)} in {address}")


def _same(params: Mapping[str, str], sent: Mapping[str, str], name: str) -> bool:
    """Return whether a value is the same; times may be written otherwise."""
    return params[name] == sent[name] or name in ("since", "until")


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
            moment = published(item)
            span = {"since": _written(moment - _SPAN), "until": _written(moment)}
            query = {**base, **span, "q": _word_of(item)}
            by_date = anybody.listing(path, {**query, "order": "date"}, most=_PAGES)
            response = by_date.responses[0]
            if by_date.is_whole:
                shown = _key(item) in _keys(by_date.items)
                expect(shown, response, f"does not have {item['id']}")
            early = [one for one in by_date.items if published(one) <= moment - _SPAN]
            expect(not early, response, f"has {_named(early)}, from before since")
            newest_first(by_date)
            by_relevance = anybody.get(path, {**query, "order": "relevance"})
            counted = by_relevance.field("total") == by_date.total
            expect(counted, by_relevance, f"does not count {by_date.total}, as by date")


@pytest.mark.origin("docs/decisions/0111")
def test_parts_of_words_find_nothing(public: Probe) -> None:
    """q finds words, not parts of them: depre* is needed for every word that begins so."""
    for path, base, listing in _lists(public):
        words = {_word_of(item): item for item in listing.items if len(_word_of(item)) > _PART + 1}
        for word, item in sorted(words.items())[:_TRIED]:
            seen = f"{item['title']} {item.get('summary')} {item['source']}".lower()
            moment, part = published(item), word[:_PART].lower()
            if re.search(rf"(?<![a-z]){part}(?![a-z])", seen):
                continue
            span = {"since": _written(moment - _SPAN), "until": _written(moment)}
            response = public.get(path, {**base, **span, "q": part, "limit": 100})
            found = _key(item) in _keys(response.items)
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
