"""The public feeds (specification 4.5 and 4.6)."""

from datetime import timedelta

import pytest

from conformance.lists import identity, newest_first, published
from conformance.probe import Probe, expect
from openapi.vocabulary import Category

_AHEAD = timedelta(minutes=15)  # ten, and clocks need not agree
_TRIED = 6
"""Future entries that are looked for in the lists of their sources."""


@pytest.mark.origin("docs/decisions/0006")
def test_important_entries_say_why(anybody: Probe) -> None:
    """importance: the categories (breaking changes, deprecations, security fixes), with evidence
    word for word as the vendor wrote it."""
    listing = anybody.listing("/important")
    for response in anybody.needs(listing.items and listing.responses, "no important entries"):
        for item in response.items:
            importance = item.get("importance") or {}
            categories = set(importance.get("categories") or [])
            classified = bool(categories) and categories <= set(Category)
            expect(classified, response, f"has {item['id']} with the categories {categories}")
            passages = importance.get("evidence") or []
            proven = categories <= {passage.get("category") for passage in passages}
            expect(proven, response, f"has {item['id']} without evidence")
            for passage in passages:
                text = str(item.get(passage["field"]) or "")
                same = text[passage["start"] : passage["end"]] == passage["text"]
                expect(same, response, f"quotes {passage['text']!r}, which {item['id']} has not")


@pytest.mark.origin("docs/decisions/0006")
def test_feeds_come_newest_first(public: Probe) -> None:
    """/latest and /important: newest first."""
    for path in ("/latest", "/important"):
        newest_first(public.listing(path))


@pytest.mark.origin("docs/decisions/0006")
def test_feeds_are_cut_for_the_public(anybody: Probe) -> None:
    """Items of the public feeds: summary cut at 500 characters and without raw. Default limit
    50."""
    for path in ("/latest", "/important"):
        default = anybody.get(path)
        by_default = default.field("limit") == 50
        expect(by_default, default, "does not have the limit 50 by default")
        for response in (default, *anybody.listing(path).responses):
            for item in response.items:
                expect("raw" not in item, response, f"shows raw of {item['id']}")
                length = len(str(item.get("summary") or ""))
                expect(length <= 500, response, f"has a summary of {length} characters")


@pytest.mark.origin("docs/decisions/0006")
def test_future_entries_wait(public: Probe) -> None:
    """Entries more than 10 minutes ahead of now are left out of /latest and /important; future=1
    includes them in /latest."""
    for path in ("/latest", "/important"):
        for response in public.listing(path).responses:
            early = [one["id"] for one in response.items if published(one) > public.now + _AHEAD]
            expect(not early, response, f"has {early[:1]}, which lies ahead")
    plain, more = public.get("/latest"), public.get("/latest", {"future": 1})
    ahead = [item for item in more.items if published(item) > public.now + _AHEAD]
    counted = more.total > plain.total or (more.total == plain.total and not ahead)
    expect(counted, more, f"counts {more.total} with future, and {plain.total} without")
    for value in ("0", "true", "2"):
        public.get_refused("/latest", {"future": value})


@pytest.mark.origin("docs/decisions/0006")
def test_future_entries_are_shown_on_demand(reader: Probe) -> None:
    """future=1 includes them in /latest. /entries always returns them."""
    coming = {
        identity(item)
        for _, listing in reader.entries_of_each()
        for item in listing.items
        if published(item) > reader.now + _AHEAD
    }
    reader.needs(coming, "the caller's sources have no future entries")
    latest = reader.listing("/latest", {"future": 1})
    first = latest.responses[0]
    missing = sorted(coming - set(map(identity, latest.items)))
    cut = not latest.is_whole and published(first.items[-1]) > reader.now + _AHEAD
    expect(cut or not missing, first, f"does not have {missing[:1]}")


@pytest.mark.origin("docs/decisions/0006")
def test_entries_have_what_lies_ahead(reader: Probe) -> None:
    """/entries always returns future entries, which /latest shows with future=1."""
    ahead = [
        item
        for item in reader.listing("/latest", {"future": 1}).items
        if published(item) > reader.now + 2 * _AHEAD
        and (reader.caller.plan == "all" or item["source"] in reader.caller.sources)
    ]
    for item in reader.needs(ahead, "the caller's sources have no future entries")[:_TRIED]:
        params = {"sources": item["source"], "since": f"{reader.now:%Y-%m-%dT%H:%M:%SZ}"}
        page = reader.get("/entries", {**params, "limit": 100})
        shown = item["id"] in {entry["id"] for entry in page.items}
        expect(shown, page, f"does not have {item['id']} of {item['published_at']}")
