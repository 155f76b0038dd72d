"""Entries of selected sources (specification 4.2)."""

from datetime import UTC, timedelta, timezone
from typing import Any

import pytest

from conformance.callers import ABSENT, SLOTS
from conformance.http_messages import Response
from conformance.lists import newest_first, not_selected, published
from conformance.probe import Probe, expect

_NOT_A_TIME = (
    "2026-01-01T00:00:00", "2026-01-01", "yesterday", "1767225600", "2026-13-01T00:00:00Z",
    "2026-02-30T00:00:00Z", "2026-01-01T25:00:00Z",
)  # fmt: skip
_NOT_RFC_3339 = (
    "2026-01-01 00:00:00Z", "", "20260101T000000Z", "2026-W01-1T00:00:00Z",
    "2026-01-01T00:00:00%2B25:00", "0000-01-01T00:00:00Z",
)  # fmt: skip
"""Times that ISO 8601 knows, or that somebody may read so."""


@pytest.mark.origin("specification 4.2")
def test_entries_page_says_what_it_is(reader: Probe) -> None:
    """Response 200: plan (string enum free, starter, all), total, limit, offset, items. limit
    default 50."""
    response = reader.get("/entries", {"sources": reader.source()})
    plans = ("free", "starter", "all")
    expect(response.field("plan") in plans, response, f"has the plan {response.field('plan')}")
    total = response.field("total")
    page = (response.field("limit"), response.field("offset"), len(response.items))
    expect(page == (50, 0, min(50, int(total or 0))), response, f"is {page} of {total}")


@pytest.mark.origin("specification 4.2")
def test_entries_need_sources(reader: Probe) -> None:
    """sources: required. Errors: 400 (invalid parameters or missing sources)."""
    for params in ("", "limit=5"):
        reader.get_refused("/entries", params)


@pytest.mark.origin("docs/decisions/0079")
def test_sources_are_slugs(reader: Probe) -> None:
    """sources without a slug is as good as none, and its name is sources."""
    for params in ("sources=", "sources=,", "source=acme.compute", "sources=%20"):
        reader.get_refused("/entries", params)


@pytest.mark.origin("specification 4.2")
def test_entries_are_of_the_sources_asked_for(reader: Probe) -> None:
    """Returns entries of the selected sources."""
    sources = [reader.source(), *reader.caller.sources[1:2]]
    page = reader.get("/entries", {"sources": ",".join(sources), "limit": 100})
    for item in page.items:
        slug = str(item.get("source"))
        expect(slug in sources, page, f"has an entry of {slug}")
        vendor = slug.partition(".")[0]
        expect(bool(item.get("vendor")), page, f"has an entry of {vendor} without vendor")
    parts = [
        reader.get("/entries", {"sources": source, "limit": 1}).field("total") for source in sources
    ]
    expect(page.field("total") == sum(parts), page, f"is not the sum of {parts}")


@pytest.mark.origin("specification 2.3")
def test_entries_inherit_vendor_and_tags(reader: Probe) -> None:
    """tags: Tags inherited from the source. vendor: Vendor identifier."""
    listings = [(slug, listing) for slug, listing in reader.entries_of_each() if listing.items]
    for slug, listing in reader.needs(listings, "no entries"):
        page = reader.get("/sources", {"vendor": str(listing.items[0]["vendor"]), "limit": 100})
        sources = [item for item in page.items if item.get("slug") == slug]
        cut = int(page.field("total") or 0) > len(page.items)
        expect(bool(sources) or cut, page, f"does not have {slug}")
        for source in sources:
            for response in listing.responses:
                _inherit(response, source)


def _inherit(response: Response, source: dict[str, Any]) -> None:
    """Expect every entry of a page to have the vendor and the tags of its source."""
    for entry in response.items:
        tags = sorted(source["tags"]) == sorted(entry["tags"])
        expect(tags, response, f"has the tags {entry['tags']} of {entry['id']}")
        same = source["vendor"] == entry["vendor"]
        expect(same, response, f"has the vendor {entry['vendor']} of {entry['id']}")


@pytest.mark.origin("docs/decisions/0006")
def test_entries_come_newest_first(reader: Probe) -> None:
    """Order: published_at descending, then id descending; total order, so pages do not overlap."""
    together = reader.listing("/entries", {"sources": ",".join(reader.caller.sources[:3])})
    reader.needs(len(together.items) > 1, "fewer than two entries")
    for listing in (together, *(listing for _, listing in reader.entries_of_each())):
        newest_first(listing)


@pytest.mark.origin("specification 4.2")
def test_since_is_strict(reader: Probe) -> None:
    """since: Only entries published after this time."""
    source = reader.source()
    items = reader.get("/entries", {"sources": source, "limit": 100}).items
    times = sorted({published(item) for item in items})
    reader.needs(len(times) > 2, "fewer than three times of publication")
    for since in (times[0], times[len(times) // 2], times[-1]):
        params = {"sources": source, "since": since.isoformat()}
        response = reader.get("/entries", {**params, "limit": 100})
        early = [item["published_at"] for item in response.items if published(item) <= since]
        expect(not early, response, f"has an entry of {', '.join(map(str, early[:1]))}")
        expected = {item["id"] for item in items if published(item) > since}
        ids = {item["id"] for item in response.items}
        whole = len(items) < 100
        missing = whole and not expected <= ids
        expect(not missing, response, f"has not the {len(expected)} later")
        total = response.field("total")
        expect(len(items) > 99 or total == len(expected), response, f"has the total {total}")
        before = since - timedelta(seconds=1)
        earlier = before.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        just = reader.get("/entries", {"sources": source, "since": earlier, "limit": 100})
        more = int(just.field("total") or 0) > 100
        there = more or since in {published(item) for item in just.items}
        expect(there, just, f"does not have the entries of {since}, a second later")


@pytest.mark.origin("specification 4.2")
def test_since_needs_an_offset(reader: Probe) -> None:
    """since: ISO 8601 datetime with an offset."""
    for value in _NOT_A_TIME:
        reader.get_refused("/entries", f"sources={reader.source()}&since={value}")


@pytest.mark.origin("docs/decisions/0079")
def test_since_has_few_forms(reader: Probe) -> None:
    """since: a time in one of the forms of docs/decisions/0002, not in every form of ISO 8601."""
    for value in _NOT_RFC_3339:
        reader.get_refused("/entries", f"sources={reader.source()}&since={value}")


@pytest.mark.origin("specification 4.2")
def test_since_means_a_moment(reader: Probe) -> None:
    """since: ISO 8601 datetime with an offset; one moment is one moment however it is written."""
    items = reader.get("/entries", {"sources": reader.source(), "limit": 100}).items
    entry = reader.needs(items, "no entries")[len(items) // 2]
    zones = (timezone(timedelta(hours=5, minutes=30)), timezone(-timedelta(hours=8)))
    spellings = [
        str(entry["published_at"]),
        *(published(entry).astimezone(zone).isoformat() for zone in zones),
    ]
    responses = [
        reader.get("/entries", {"sources": reader.source(), "since": spelling, "limit": 1})
        for spelling in spellings
    ]
    totals = [response.field("total") for response in responses]
    expect(len(set(totals)) == 1, responses[0], f"has {totals} for one moment in three spellings")


@pytest.mark.origin("specification 4.2")
def test_since_may_be_any_time(reader: Probe) -> None:
    """since: ISO 8601 datetime with an offset; however early or late."""
    for value in ("0001-01-01T00:00:00Z", "1970-01-01T00:00:00Z", "9999-12-31T23:59:59Z"):
        reader.get("/entries", f"sources={reader.source()}&since={value}&limit=1")
    for value in ("0001-01-01T00:00:00%2B23:59", "9999-12-31T23:59:59-23:59"):
        response = reader.get("/entries", f"sources={reader.source()}&since={value}", status=None)
        expect(response.status in (200, 400), response, f"answered {response.status} to {value}")


@pytest.mark.origin("docs/decisions/0006")
def test_a_lost_plus_is_explained(reader: Probe) -> None:
    """A + that arrived as a space gets a 400 whose hint says to send %2B."""
    params = f"sources={reader.source()}&since=2026-01-01T00:00:00+02:00"
    response = reader.get_refused("/entries", params)
    expect("%2B" in str(response.field("hint")), response, "does not hint at %2B")


@pytest.mark.origin("specification 4.2")
def test_an_unselected_source_is_refused(reader: Probe) -> None:
    """403 (plan limit exceeded or source not among the key's selected sources)."""
    for other in not_selected(reader):
        response = reader.get("/entries", {"sources": other}, status=None)
        expect(response.status == 403, response, f"answered {response.status}, not 403")


@pytest.mark.origin("docs/decisions/0004")
def test_an_unselected_source_is_refused_by_name(reader: Probe) -> None:
    """403 source_not_selected, for a source that nobody has too; the message names it."""
    others = (
        [ABSENT] if reader.caller.other_source is None else [ABSENT, reader.caller.other_source]
    )
    for other in others:
        for sources in (other, f"{reader.source()},{other}"):
            if reader.caller.plan in SLOTS and sources.count(",") >= SLOTS[str(reader.caller.plan)]:
                continue
            response = reader.get_refused(
                "/entries", {"sources": sources}, 403, "source_not_selected"
            )
            expect(other in str(response.field("message")), response, f"does not name {other}")


@pytest.mark.origin("specification 8")
def test_more_sources_than_slots_are_refused(limited: Probe) -> None:
    """Source slots: Free 3, Starter 10. /entries and /diffs answer 403 beyond the plan."""
    sources = _one_too_many(limited)
    response = limited.get("/entries", {"sources": ",".join(sources)}, status=None)
    expect(response.status == 403, response, f"answered {response.status}, not 403")


@pytest.mark.origin("docs/decisions/0004")
def test_the_limit_of_the_plan_has_its_code(limited: Probe) -> None:
    """403 plan_limit_exceeded for more sources than the plan has slots, and only for them."""
    sources = _one_too_many(limited)
    limited.get_refused("/entries", {"sources": ",".join(sources)}, 403, "plan_limit_exceeded")
    within = limited.get("/entries", {"sources": ",".join(sources[:-1])}, status=None)
    beyond = within.field("code") == "plan_limit_exceeded"
    words = f"refused {len(sources) - 1} sources, which the plan has slots for"
    expect(not beyond, within, words)


def _one_too_many(probe: Probe) -> list[str]:
    """Return one source more than the plan has slots, those of the key first."""
    slots = SLOTS[str(probe.caller.plan)]
    catalog = [str(item["slug"]) for item in probe.get("/sources", {"limit": 100}).items]
    probe.needs(len(catalog) > slots, "the catalog is smaller than the plan")
    return [*dict.fromkeys([*probe.caller.sources, *catalog])][: slots + 1]


@pytest.mark.origin("docs/decisions/0006")
def test_a_source_named_twice_counts_once(reader: Probe) -> None:
    """sources: comma-separated, duplicates collapse."""
    once = reader.get("/entries", {"sources": reader.source()})
    twice = reader.get("/entries", {"sources": ",".join([reader.source()] * 12)})
    expect(once.body == twice.body, twice, "gave another answer than for one")


@pytest.mark.origin("docs/decisions/0006")
def test_a_hundred_sources_are_enough(reader: Probe) -> None:
    """At most 100 slugs in one request."""
    sources = ",".join(f"nobody.nothing-{number}" for number in range(101))
    reader.get_refused("/entries", {"sources": sources})


@pytest.mark.origin("specification 5.4")
def test_entries_need_their_scope(holder: Probe) -> None:
    """Scopes named for operations: read:entries for /entries."""
    holder.needs(not holder.caller.reads_entries, "the key may read entries")
    response = holder.get("/entries", {"sources": holder.caller.any_source}, status=None)
    expect(response.status == 403, response, f"answered {response.status} without the scope")
