"""The fields of sources and entries (specification 2), whatever the served contract says."""

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeAlias

import pytest

from conformance.http_messages import Response
from conformance.probe import Probe, expect
from openapi.vocabulary import AdapterType, Health

Rule: TypeAlias = Callable[[Any], bool]

_MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)", re.IGNORECASE)
_URI = re.compile(r"[a-z][a-z0-9+.-]*:\S+", re.IGNORECASE)
_PREFIX = re.compile(r"[A-Za-z0-9]+_\S+")


def _text(value: Any) -> bool:
    return isinstance(value, str)


def _named(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _uri(value: Any) -> bool:
    return isinstance(value, str) and _URI.fullmatch(value) is not None


def _moment(value: Any) -> bool:
    return isinstance(value, str) and _MOMENT.fullmatch(value) is not None


def _tags(value: Any) -> bool:
    return isinstance(value, list) and all(map(_named, value))


def _object(value: Any) -> bool:
    return isinstance(value, dict)


def _or_null(rule: Rule) -> Rule:
    return lambda value: value is None or rule(value)


def _among(values: Iterable[str]) -> Rule:
    allowed = frozenset(values)
    return lambda value: isinstance(value, str) and value in allowed


_SAMPLE_NEEDS: Mapping[str, Rule] = {
    "slug": _named, "vendor": _named, "name": _named, "kind": _named,
}  # fmt: skip
_SAMPLE_MAY_HAVE: Mapping[str, Rule] = {
    "homepage": _or_null(_uri), "lastUpdatedAt": _or_null(_moment), "health": _among(Health),
}  # fmt: skip
_SOURCE_NEEDS = {
    **_SAMPLE_NEEDS, "changelogUrl": _uri, "adapterType": _among(AdapterType), "tags": _tags,
}  # fmt: skip
_SOURCE_MAY_HAVE = {
    **_SAMPLE_MAY_HAVE, "lastFetchedAt": _or_null(_moment), "healthMessage": _or_null(_text),
}  # fmt: skip
_ENTRY_NEEDS: Mapping[str, Rule] = {
    "id": _named, "source": _named, "vendor": _named, "published_at": _moment, "title": _text,
    "tags": _tags,
}  # fmt: skip
_ENTRY_MAY_HAVE: Mapping[str, Rule] = {
    "url": _or_null(_uri), "summary": _or_null(_text), "raw": _object,
}  # fmt: skip


def _have(response: Response, needs: Mapping[str, Rule], may_have: Mapping[str, Rule]) -> None:
    """Expect every item to have what it needs, and all it has in the form it should have."""
    wrong: dict[str, str] = {}
    for item in response.items:
        name = item.get("slug") or item.get("id")
        for field in needs.keys() - item.keys():
            wrong.setdefault(field, f"has no {field} of {name}")
        for field, rule in (*needs.items(), *may_have.items()):
            if field in item and not rule(item[field]):
                wrong.setdefault(field, f"has the {field} {item[field]!r} of {name}")
    for _, sentence in sorted(wrong.items()):
        expect(False, response, sentence)


@pytest.mark.origin("specification 2.1")
def test_sources_have_their_fields(holder: Probe) -> None:
    """The fields of a source: slug, vendor, name, kind (changelog, whats_new, release_notes,
    updates, blog), homepage, changelogUrl, adapterType, tags, lastUpdatedAt, lastFetchedAt,
    health, healthMessage."""
    listing = holder.listing("/sources")
    holder.needs(listing.items, "the catalog is empty")
    for response in listing.responses:
        _have(response, _SOURCE_NEEDS, _SOURCE_MAY_HAVE)


@pytest.mark.origin("specification 2.2")
def test_sample_sources_have_their_fields(public: Probe) -> None:
    """The fields of a sample source: slug, vendor, name, kind, homepage, lastUpdatedAt, health."""
    response = public.get("/sources")
    public.needs(response.items, "the catalog is empty")
    _have(response, _SAMPLE_NEEDS, _SAMPLE_MAY_HAVE)


@pytest.mark.origin("specification 2.3")
def test_entries_have_their_fields(reader: Probe) -> None:
    """The fields of an entry: id, source, vendor, published_at, title, url, summary, raw, tags."""
    listings = [listing for _, listing in reader.entries_of_each()]
    reader.needs([item for listing in listings for item in listing.items], "no entries")
    for listing in listings:
        for response in listing.responses:
            _have(response, _ENTRY_NEEDS, _ENTRY_MAY_HAVE)


@pytest.mark.origin("specification 2.3")
def test_entries_keep_their_id(reader: Probe) -> None:
    """id: Stable external id (the vendor's id, or a hash of url and date)."""
    sources = reader.needs(reader.caller.sources, "no source is selected for the key")
    for source in dict.fromkeys((sources[0], reader.random("ids").choice(sources))):
        _ids_stay(reader, source)


def _ids_stay(probe: Probe, source: str) -> None:
    """Expect the entries of a source to have the same ids twice."""
    params: dict[str, str | int] = {"sources": source, "limit": 100}
    before, again = probe.get("/entries", params), probe.get("/entries", params)
    ids: dict[tuple[str, str, str], set[object]] = {}
    for item in before.items:
        ids.setdefault(_identity(item), set()).add(item.get("id"))
    for item in again.items:
        entry_id = item.get("id")
        same = entry_id in ids.get(_identity(item), {entry_id})
        expect(same, again, f"has an entry as {entry_id} that had another id a moment ago")


def _identity(item: Mapping[str, Any]) -> tuple[str, str, str]:
    """Return what distinguishes an entry from others of its source, besides its id."""
    return str(item.get("url")), str(item.get("published_at")), str(item.get("title"))


@pytest.mark.origin("specification 5.2")
def test_keys_carry_one_prefix(holder: Probe) -> None:
    """Keys carry a fixed vendor prefix followed by an underscore."""
    response = holder.get("/sources", {"limit": 1})
    keys = [str(caller.key) for caller in holder.callers if caller.key]
    bare = [key for key in keys if not _PREFIX.fullmatch(key)]
    expect(not bare, response, "was asked with a key without a prefix and an underscore")
    prefixes = {key.partition("_")[0] for key in keys}
    expect(len(prefixes) == 1, response, f"was asked with keys of {len(prefixes)} prefixes")
