"""The public feeds (specification 4.5 and 4.6)."""

import re
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

from conformance.checks.paging import newest_first, published
from conformance.checks.probe import Audience, Probe, check
from conformance.http_messages import Response
from openapi.vocabulary import Category

_AHEAD = timedelta(minutes=10)
_MARKUP = re.compile(
    r"<(\w+)[^<>]*>[^<>]*</\1>|&(amp|lt|gt|quot|nbsp|#\d+|#x[0-9a-f]+);", re.IGNORECASE
)


@check(
    "docs/decisions/0006",
    "importance: the categories (breaking changes, deprecations, security fixes), with evidence.",
    operation="GET /important",
    audience=Audience.ANYBODY,
)
def important_entries_say_why(probe: Probe) -> None:
    for response, item in _important(probe):
        importance = item.get("importance") or {}
        categories = set(importance.get("categories") or [])
        unknown = categories - set(Category)
        classified = bool(categories) and not unknown
        probe.expect(classified, response, f"has {item['id']} without a known category: {unknown}")
        proven = {passage.get("category") for passage in importance.get("evidence") or []}
        probe.expect(categories <= proven, response, f"has {item['id']} without evidence")


def _important(probe: Probe) -> Iterator[tuple[Response, dict[str, Any]]]:
    """Yield every important entry that is read, with its page."""
    listing = probe.listing("/important")
    probe.needs(listing.items, "no important entries")
    for response in listing.responses:
        for item in response.items:
            yield response, item


@check(
    "docs/decisions/0006",
    "importance: why it is there, in the vendor's own words.",
    operation="GET /important",
    audience=Audience.PUBLIC,
)
def evidence_is_word_for_word(probe: Probe) -> None:
    for response, item in _important(probe):
        deadlines = item["importance"].get("deadlines") or []
        quoted = [deadline["evidence"] for deadline in deadlines if deadline.get("evidence")]
        for passage in (*item["importance"]["evidence"], *quoted):
            text = str(item.get(passage["field"]) or "")
            start, end = passage["start"], passage["end"]
            same = text[start:end] == passage["text"]
            probe.expect(same, response, f"quotes {passage['text']!r}, which {item['id']} has not")


@check(
    "docs/decisions/0006",
    "/latest and /important: newest first.",
    operation="GET /latest, GET /important",
    audience=Audience.PUBLIC,
)
def feeds_come_newest_first(probe: Probe) -> None:
    for path in ("/latest", "/important"):
        newest_first(probe, probe.listing(path))


@check(
    "docs/decisions/0006",
    "Items of the public feeds: summary cut at 500 characters and without raw. Default limit 50.",
    operation="GET /latest, GET /important",
    audience=Audience.ANYBODY,
)
def feeds_are_cut_for_the_public(probe: Probe) -> None:
    for path in ("/latest", "/important"):
        default = probe.get(path)
        by_default = default.field("limit") == 50
        probe.expect(by_default, default, "does not have the limit 50 by default")
        for response in (default, *probe.listing(path).responses):
            for item in response.items:
                probe.expect("raw" not in item, response, f"shows raw of {item['id']}")
                length = len(str(item.get("summary") or ""))
                probe.expect(length <= 500, response, f"has a summary of {length} characters")


@check(
    "docs/decisions/0006",
    "Entries more than 10 minutes ahead of now are left out of /latest and /important; future=1 "
    "includes them in /latest.",
    operation="GET /latest",
    audience=Audience.PUBLIC,
)
def future_entries_wait(probe: Probe) -> None:
    latest = probe.now + _AHEAD + timedelta(minutes=5)  # the clocks need not agree
    for path in ("/latest", "/important"):
        for response in probe.listing(path).responses:
            for item in response.items:
                words = f"has {item['id']} of {item['published_at']}"
                probe.expect(published(item) <= latest, response, words)
    plain, more = probe.get("/latest"), probe.get("/latest", {"future": 1})
    held = more.field("total") >= plain.field("total")
    probe.expect(held, more, "has fewer entries than without future")
    ahead = [item for item in more.items if published(item) > latest]
    counted = more.field("total") > plain.field("total") or not ahead
    probe.expect(counted, more, "has future entries that its total does not count")
    for value in ("0", "true", "2", ""):
        probe.get_refused("/latest", {"future": value})


@check(
    "docs/decisions/0006",
    "future=1 includes them in /latest. /entries always returns them.",
    operation="GET /latest",
    audience=Audience.READER,
)
def future_entries_are_shown_on_demand(probe: Probe) -> None:
    ahead = probe.now + _AHEAD + timedelta(minutes=5)
    coming: set[tuple[str, str]] = set()
    for _, listing in probe.entries_of_each():
        for item in listing.items:
            if published(item) > ahead:
                coming.add((item["source"], item["id"]))
    probe.needs(coming, "no entry of the caller's sources lies ahead")
    latest = probe.listing("/latest", {"future": 1})
    response = latest.responses[0]
    shown = {(item["source"], item["id"]) for item in latest.items}
    missing = next(iter(sorted(coming - shown)), ())
    cut = not latest.is_whole and published(latest.responses[0].items[-1]) > ahead
    probe.expect(cut or coming <= shown, response, f"does not have {', '.join(map(str, missing))}")
    whole = probe.listing("/latest")
    both = {(item["source"], item["id"]) for item in whole.items}
    early = sorted(
        name
        for item in latest.items
        if published(item) < probe.now and (name := (item["source"], item["id"])) not in both
    )
    alike = not (latest.is_whole and whole.is_whole) or not early
    probe.expect(alike, response, f"has {early[:1]}, which is missing without future")


@check(
    "docs/decisions/0017",
    "Titles are one line of plain text without markup; summary is plain text.",
    operation="GET /latest, GET /important",
    audience=Audience.PUBLIC,
)
def texts_are_plain(probe: Probe) -> None:
    for path in ("/latest", "/important"):
        response = probe.get(path, {"limit": 100})
        items = response.items
        for item in items:
            lines = len(str(item["title"]).splitlines())
            probe.expect(lines < 2, response, f"has a title of {lines} lines: {item['id']}")
        for name in ("title", "summary"):
            marked = [item["id"] for item in items if _MARKUP.search(str(item.get(name) or ""))]
            # a vendor may write about markup; not in every fourth entry
            seldom = len(marked) * 4 < len(items) or len(marked) < 2
            probe.expect(seldom, response, f"has markup in the {name} of {', '.join(marked[:3])}")
