"""The public feeds (specification 4.5 and 4.6)."""

import re
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest

from conformance.http_messages import Response
from conformance.lists import newest_first, published
from conformance.probe import Probe, expect
from openapi.vocabulary import Category

_AHEAD = timedelta(minutes=10)
_TRIED = 6
"""Future entries that are looked for in the lists of their sources."""
_MARKUP = re.compile(
    r"<(\w+)[^<>]*>[^<>]*</\1>|&(amp|lt|gt|quot|nbsp|#\d+|#x[0-9a-f]+);", re.IGNORECASE
)


@pytest.mark.origin("docs/decisions/0006")
def test_important_entries_say_why(anybody: Probe) -> None:
    """importance: the categories (breaking changes, deprecations, security fixes), with
    evidence."""
    for response, item in _important(anybody):
        importance = item.get("importance") or {}
        categories = set(importance.get("categories") or [])
        unknown = categories - set(Category)
        classified = bool(categories) and not unknown
        expect(classified, response, f"has {item['id']} without a known category: {unknown}")
        proven = {passage.get("category") for passage in importance.get("evidence") or []}
        expect(categories <= proven, response, f"has {item['id']} without evidence")


def _important(probe: Probe) -> Iterator[tuple[Response, dict[str, Any]]]:
    """Yield every important entry that is read, with its page."""
    listing = probe.listing("/important")
    probe.needs(listing.items, "no important entries")
    for response in listing.responses:
        for item in response.items:
            yield response, item


@pytest.mark.origin("docs/decisions/0006")
def test_evidence_is_word_for_word(public: Probe) -> None:
    """importance: why it is there, in the vendor's own words."""
    for response, item in _important(public):
        deadlines = item["importance"].get("deadlines") or []
        quoted = [deadline["evidence"] for deadline in deadlines if deadline.get("evidence")]
        for passage in (*item["importance"]["evidence"], *quoted):
            text = str(item.get(passage["field"]) or "")
            start, end = passage["start"], passage["end"]
            same = text[start:end] == passage["text"]
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
    latest = public.now + _AHEAD + timedelta(minutes=5)  # the clocks need not agree
    for path in ("/latest", "/important"):
        for response in public.listing(path).responses:
            for item in response.items:
                words = f"has {item['id']} of {item['published_at']}"
                expect(published(item) <= latest, response, words)
    plain, more = public.get("/latest"), public.get("/latest", {"future": 1})
    held = more.field("total") >= plain.field("total")
    expect(held, more, "has fewer entries than without future")
    ahead = [item for item in more.items if published(item) > latest]
    counted = more.field("total") > plain.field("total") or not ahead
    expect(counted, more, "has future entries that its total does not count")
    for value in ("0", "true", "2", ""):
        public.get_refused("/latest", {"future": value})


@pytest.mark.origin("docs/decisions/0006")
def test_future_entries_are_shown_on_demand(reader: Probe) -> None:
    """future=1 includes them in /latest. /entries always returns them."""
    ahead = reader.now + _AHEAD + timedelta(minutes=5)
    coming: set[tuple[str, str]] = set()
    for _, listing in reader.entries_of_each():
        for item in listing.items:
            if published(item) > ahead:
                coming.add((item["source"], item["id"]))
    reader.needs(coming, "no entry of the caller's sources lies ahead")
    latest = reader.listing("/latest", {"future": 1})
    response = latest.responses[0]
    shown = {(item["source"], item["id"]) for item in latest.items}
    missing = next(iter(sorted(coming - shown)), ())
    cut = not latest.is_whole and published(latest.responses[0].items[-1]) > ahead
    expect(cut or coming <= shown, response, f"does not have {', '.join(map(str, missing))}")
    whole = reader.listing("/latest")
    both = {(item["source"], item["id"]) for item in whole.items}
    early = sorted(
        name
        for item in latest.items
        if published(item) < reader.now and (name := (item["source"], item["id"])) not in both
    )
    alike = not (latest.is_whole and whole.is_whole) or not early
    expect(alike, response, f"has {early[:1]}, which is missing without future")


@pytest.mark.origin("docs/decisions/0006")
def test_entries_have_what_lies_ahead(reader: Probe) -> None:
    """/entries always returns future entries, which /latest shows with future=1."""
    ahead = [
        item
        for item in reader.listing("/latest", {"future": 1}).items
        if published(item) > reader.now + 2 * _AHEAD
        and (reader.caller.plan == "all" or item["source"] in reader.caller.sources)
    ]
    for item in reader.needs(ahead, "no entry of the caller's sources lies ahead")[:_TRIED]:
        params = {"sources": item["source"], "since": f"{reader.now:%Y-%m-%dT%H:%M:%SZ}"}
        page = reader.get("/entries", {**params, "limit": 100})
        shown = item["id"] in {entry["id"] for entry in page.items}
        expect(shown, page, f"does not have {item['id']} of {item['published_at']}")


@pytest.mark.origin("docs/decisions/0017")
def test_texts_are_plain(public: Probe) -> None:
    """Titles are one line of plain text without markup; summary is plain text."""
    for path in ("/latest", "/important"):
        response = public.get(path, {"limit": 100})
        items = response.items
        for item in items:
            lines = len(str(item["title"]).splitlines())
            expect(lines < 2, response, f"has a title of {lines} lines: {item['id']}")
        for name in ("title", "summary"):
            marked = [item["id"] for item in items if _MARKUP.search(str(item.get(name) or ""))]
            # a vendor may write about markup; not in every fourth entry
            seldom = len(marked) * 4 < len(items) or len(marked) < 2
            expect(seldom, response, f"has markup in the {name} of {', '.join(marked[:3])}")
