"""The fields of sources and entries (specification 2), whatever the served contract says."""

import re
from collections.abc import Iterable, Mapping
from typing import Any

import pytest
from jsonschema_rs import Draft202012Validator

from conformance.http_messages import Response
from conformance.probe import Probe, expect
from openapi.vocabulary import AdapterType, Health

Schema = dict[str, Any]
_PREFIX = re.compile(r"[A-Za-z0-9]+_\S+")
_TEXT: Schema = {"type": "string"}
_ABSENT: Schema = {"not": {}}
_NAMED: Schema = {"type": "string", "pattern": r"\S"}
_URI: Schema = {"type": "string", "pattern": r"^[A-Za-z][A-Za-z0-9+.-]*:\S+$"}
_DAY, _TIME = r"\d{4}-\d\d-\d\d", r"\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)"
_MOMENT: Schema = {"type": "string", "pattern": f"^{_DAY}[Tt]{_TIME}$"}
_TAGS: Schema = {"type": "array", "items": _NAMED}


def _or_null(schema: Schema) -> Schema:
    return {"anyOf": [schema, {"type": "null"}]}


def _enum(values: Iterable[str]) -> Schema:
    return {"enum": [str(value) for value in values]}


def _fields(needs: Mapping[str, Schema], may_have: Mapping[str, Schema]) -> Draft202012Validator:
    return Draft202012Validator({"required": [*needs], "properties": {**needs, **may_have}})


_SLUG: Schema = {"type": "string", "pattern": r"^[^.\s]+\.\S+$"}
_OF_SAMPLE = {"slug": _SLUG, **dict.fromkeys(("vendor", "name", "kind"), _NAMED)}
_MAY_HAVE = {
    "homepage": _or_null(_URI), "lastUpdatedAt": _or_null(_MOMENT), "health": _enum(Health),
}  # fmt: skip
_OF_THE_CATALOG = ("changelogUrl", "adapterType", "tags", "lastFetchedAt", "healthMessage")
_SAMPLE = _fields(_OF_SAMPLE, {**_MAY_HAVE, **dict.fromkeys(_OF_THE_CATALOG, _ABSENT)})
_SOURCE = _fields(
    {**_OF_SAMPLE, "changelogUrl": _URI, "adapterType": _enum(AdapterType), "tags": _TAGS},
    {**_MAY_HAVE, "lastFetchedAt": _or_null(_MOMENT), "healthMessage": _or_null(_TEXT)},
)
_ENTRY = _fields(
    {"id": _NAMED, "source": _NAMED, "vendor": _NAMED, "published_at": _MOMENT, "title": _TEXT,
     "tags": _TAGS},
    {"url": _or_null(_URI), "summary": _or_null(_TEXT), "raw": {"type": "object"}},
)  # fmt: skip


def _have(response: Response, fields: Draft202012Validator) -> None:
    """Expect every item to have what it needs, and all it has in the form it should have."""
    for item in response.items:
        for error in fields.iter_errors(item):
            place = "/".join(map(str, error.instance_path))
            name = item.get("slug") or item.get("id")
            expect(False, response, f"has {name} with {place}: {error.message}")


@pytest.mark.origin("specification 2.1")
def test_sources_have_their_fields(holder: Probe) -> None:
    """The fields of a source: slug (form <vendor>.<product-or-changelog>), vendor, name, kind
    (changelog, whats_new, release_notes, updates, blog), homepage, changelogUrl, adapterType, tags,
    lastUpdatedAt, lastFetchedAt, health, healthMessage."""
    listing = holder.listing("/sources")
    holder.needs(listing.items, "the catalog is empty")
    for response in listing.responses:
        _have(response, _SOURCE)


@pytest.mark.origin("specification 2.2")
def test_sample_sources_have_their_fields(public: Probe) -> None:
    """The fields of a sample source: slug, vendor, name, kind, homepage, lastUpdatedAt, health. The
    sample item carries no changelogUrl, no feed address, no adapterType and no tags."""
    response = public.get("/sources")
    public.needs(response.items, "the catalog is empty")
    _have(response, _SAMPLE)


@pytest.mark.origin("specification 2.3")
def test_entries_have_their_fields(reader: Probe) -> None:
    """The fields of an entry: id, source, vendor, published_at, title, url, summary, raw, tags."""
    listings = [listing for _, listing in reader.entries_of_each() if listing.items]
    for listing in reader.needs(listings, "no entries"):
        for response in listing.responses:
            _have(response, _ENTRY)


@pytest.mark.origin("specification 2.3")
def test_entries_keep_their_id(reader: Probe) -> None:
    """id: Stable external id (the vendor's id, or a hash of url and date)."""
    params = f"sources={','.join(reader.caller.sources[:3]) or reader.source()}&limit=100"
    before, again = (reader.get("/entries", params) for _ in range(2))
    ids = {item.get("id") for item in before.items}
    known = {_without_id(item) for item in before.items}
    for item in again.items:
        same = item.get("id") in ids or _without_id(item) not in known
        expect(same, again, f"has an entry as {item.get('id')} that had another id a moment ago")


def _without_id(item: Mapping[str, Any]) -> str:
    """Return what distinguishes an entry from others of its source, besides its id."""
    return repr([item.get(name) for name in ("source", "url", "published_at", "title")])


@pytest.mark.origin("specification 5.2")
def test_keys_carry_one_prefix(holder: Probe) -> None:
    """Keys carry a fixed vendor prefix followed by an underscore."""
    response = holder.get("/sources", {"limit": 1})
    keys = [str(caller.key) for caller in holder.callers if caller.key]
    bare = [key for key in keys if not _PREFIX.fullmatch(key)]
    expect(not bare, response, "was asked with a key without a prefix and an underscore")
    prefixes = {key.partition("_")[0] for key in keys}
    expect(len(prefixes) == 1, response, f"was asked with keys of {len(prefixes)} prefixes")
