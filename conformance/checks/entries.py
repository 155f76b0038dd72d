"""Entries of selected sources (specification 4.2)."""

from datetime import UTC, timedelta, timezone
from typing import Any

from conformance.callers import ABSENT, SLOTS
from conformance.checks.paging import newest_first, published
from conformance.checks.probe import Audience, Probe, check
from conformance.http_messages import Response

_OPERATION = "GET /entries"
_NOT_A_TIME = (
    "2026-01-01T00:00:00", "2026-01-01", "yesterday", "1767225600", "2026-13-01T00:00:00Z",
    "2026-02-30T00:00:00Z", "2026-01-01T25:00:00Z",
)  # fmt: skip
_NOT_RFC_3339 = (
    "2026-01-01 00:00:00Z", "", "20260101T000000Z", "2026-W01-1T00:00:00Z",
    "2026-01-01T00:00:00%2B25:00", "0000-01-01T00:00:00Z",
)  # fmt: skip
"""Times that ISO 8601 knows, or that somebody may read so."""


@check(
    "specification 4.2",
    "Response 200: plan (string enum free, starter, all), total, limit, offset, items. limit "
    "default 50.",
    operation=_OPERATION,
    audience=Audience.READER,
)
def entries_page_says_what_it_is(probe: Probe) -> None:
    response = probe.get("/entries", {"sources": probe.source()})
    plans = ("free", "starter", "all")
    probe.expect(
        response.field("plan") in plans, response, f"has the plan {response.field('plan')}"
    )
    total = response.field("total")
    page = (response.field("limit"), response.field("offset"), len(response.items))
    probe.expect(page == (50, 0, min(50, int(total or 0))), response, f"is {page} of {total}")


@check(
    "specification 4.2",
    "sources: required. Errors: 400 (invalid parameters or missing sources).",
    operation=_OPERATION,
    audience=Audience.READER,
)
def entries_need_sources(probe: Probe) -> None:
    for params in ("", "limit=5"):
        probe.get_refused("/entries", params)


@check(
    "docs/decisions/0079",
    "sources without a slug is as good as none, and its name is sources.",
    operation=_OPERATION,
    audience=Audience.READER,
)
def sources_are_slugs(probe: Probe) -> None:
    for params in ("sources=", "sources=,", "source=acme.compute", "sources=%20"):
        probe.get_refused("/entries", params)


@check(
    "specification 4.2",
    "Returns entries of the selected sources.",
    operation=_OPERATION,
    audience=Audience.READER,
)
def entries_are_of_the_sources_asked_for(probe: Probe) -> None:
    sources = [probe.source(), *probe.caller.sources[1:2]]
    page = probe.get("/entries", {"sources": ",".join(sources), "limit": 100})
    for item in page.items:
        slug = str(item.get("source"))
        probe.expect(slug in sources, page, f"has an entry of {slug}")
        vendor = slug.partition(".")[0]
        probe.expect(bool(item.get("vendor")), page, f"has an entry of {vendor} without vendor")
    parts = [
        probe.get("/entries", {"sources": source, "limit": 1}).field("total") for source in sources
    ]
    probe.expect(page.field("total") == sum(parts), page, f"is not the sum of {parts}")


@check(
    "specification 2.3",
    "tags: Tags inherited from the source. vendor: Vendor identifier.",
    operation=_OPERATION,
    audience=Audience.READER,
)
def entries_inherit_vendor_and_tags(probe: Probe) -> None:
    listings = [(slug, listing) for slug, listing in probe.entries_of_each() if listing.items]
    for slug, listing in probe.needs(listings, "no entries"):
        page = probe.get("/sources", {"vendor": str(listing.items[0]["vendor"]), "limit": 100})
        sources = [item for item in page.items if item.get("slug") == slug]
        cut = int(page.field("total") or 0) > len(page.items)
        probe.expect(bool(sources) or cut, page, f"does not have {slug}")
        for source in sources:
            for response in listing.responses:
                _inherit(probe, response, source)


def _inherit(probe: Probe, response: Response, source: dict[str, Any]) -> None:
    """Expect every entry of a page to have the vendor and the tags of its source."""
    for entry in response.items:
        tags = sorted(source["tags"]) == sorted(entry["tags"])
        probe.expect(tags, response, f"has the tags {entry['tags']} of {entry['id']}")
        same = source["vendor"] == entry["vendor"]
        probe.expect(same, response, f"has the vendor {entry['vendor']} of {entry['id']}")


@check(
    "docs/decisions/0006",
    "Order: published_at descending, then id descending; total order, so pages do not overlap.",
    operation=_OPERATION,
    audience=Audience.READER,
)
def entries_come_newest_first(probe: Probe) -> None:
    together = probe.listing("/entries", {"sources": ",".join(probe.caller.sources[:3])})
    probe.needs(len(together.items) > 1, "fewer than two entries")
    for listing in (together, *(listing for _, listing in probe.entries_of_each())):
        newest_first(probe, listing)


@check(
    "specification 4.2",
    "since: Only entries published after this time.",
    operation=_OPERATION,
    audience=Audience.READER,
)
def since_is_strict(probe: Probe) -> None:
    source = probe.source()
    items = probe.get("/entries", {"sources": source, "limit": 100}).items
    times = sorted({published(item) for item in items})
    probe.needs(len(times) > 2, "fewer than three times of publication")
    for since in (times[0], times[len(times) // 2], times[-1]):
        params = {"sources": source, "since": since.isoformat()}
        response = probe.get("/entries", {**params, "limit": 100})
        early = [item["published_at"] for item in response.items if published(item) <= since]
        probe.expect(not early, response, f"has an entry of {', '.join(map(str, early[:1]))}")
        expected = {item["id"] for item in items if published(item) > since}
        ids = {item["id"] for item in response.items}
        whole = len(items) < 100
        missing = whole and not expected <= ids
        probe.expect(not missing, response, f"has not the {len(expected)} later")
        total = response.field("total")
        probe.expect(len(items) > 99 or total == len(expected), response, f"has the total {total}")
        before = since - timedelta(seconds=1)
        earlier = before.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        just = probe.get("/entries", {"sources": source, "since": earlier, "limit": 100})
        more = int(just.field("total") or 0) > 100
        there = more or since in {published(item) for item in just.items}
        probe.expect(there, just, f"does not have the entries of {since}, a second later")


@check(
    "specification 4.2",
    "since: ISO 8601 datetime with an offset.",
    operation=_OPERATION,
    audience=Audience.READER,
)
def since_needs_an_offset(probe: Probe) -> None:
    for value in _NOT_A_TIME:
        probe.get_refused("/entries", f"sources={probe.source()}&since={value}")


@check(
    "docs/decisions/0079",
    "since: a time in one of the forms of docs/decisions/0002, not in every form of ISO 8601.",
    operation=_OPERATION,
    audience=Audience.READER,
)
def since_has_few_forms(probe: Probe) -> None:
    for value in _NOT_RFC_3339:
        probe.get_refused("/entries", f"sources={probe.source()}&since={value}")


@check(
    "specification 4.2",
    "since: ISO 8601 datetime with an offset; one moment is one moment however it is written.",
    operation=_OPERATION,
    audience=Audience.READER,
)
def since_means_a_moment(probe: Probe) -> None:
    items = probe.get("/entries", {"sources": probe.source(), "limit": 100}).items
    entry = probe.needs(items, "no entries")[len(items) // 2]
    zones = (timezone(timedelta(hours=5, minutes=30)), timezone(-timedelta(hours=8)))
    spellings = [
        str(entry["published_at"]),
        *(published(entry).astimezone(zone).isoformat() for zone in zones),
    ]
    responses = [
        probe.get("/entries", {"sources": probe.source(), "since": spelling, "limit": 1})
        for spelling in spellings
    ]
    totals = [response.field("total") for response in responses]
    probe.expect(
        len(set(totals)) == 1, responses[0], f"has {totals} for one moment in three spellings"
    )


@check(
    "specification 4.2",
    "since: ISO 8601 datetime with an offset; however early or late.",
    operation=_OPERATION,
    audience=Audience.READER,
)
def since_may_be_any_time(probe: Probe) -> None:
    for value in ("0001-01-01T00:00:00Z", "1970-01-01T00:00:00Z", "9999-12-31T23:59:59Z"):
        probe.get("/entries", f"sources={probe.source()}&since={value}&limit=1")
    for value in ("0001-01-01T00:00:00%2B23:59", "9999-12-31T23:59:59-23:59"):
        response = probe.get("/entries", f"sources={probe.source()}&since={value}", status=None)
        probe.expect(
            response.status in (200, 400), response, f"answered {response.status} to {value}"
        )


@check(
    "docs/decisions/0006",
    "A + that arrived as a space gets a 400 whose hint says to send %2B.",
    operation=_OPERATION,
    audience=Audience.READER,
)
def a_lost_plus_is_explained(probe: Probe) -> None:
    params = f"sources={probe.source()}&since=2026-01-01T00:00:00+02:00"
    response = probe.get_refused("/entries", params)
    probe.expect("%2B" in str(response.field("hint")), response, "does not hint at %2B")


@check(
    "specification 4.2",
    "403 (plan limit exceeded or source not among the key's selected sources).",
    operation=_OPERATION,
    audience=Audience.READER,
)
def an_unselected_source_is_refused(probe: Probe) -> None:
    other = probe.needs(probe.caller.other_source, "every source is selected for the key")
    response = probe.get("/entries", {"sources": other}, status=None)
    probe.expect(response.status == 403, response, f"answered {response.status}, not 403")


@check(
    "docs/decisions/0004",
    "403 source_not_selected, for a source that nobody has too; the message names it.",
    operation=_OPERATION,
    audience=Audience.READER,
)
def an_unselected_source_is_refused_by_name(probe: Probe) -> None:
    others = [ABSENT] if probe.caller.other_source is None else [ABSENT, probe.caller.other_source]
    for other in others:
        for sources in (other, f"{probe.source()},{other}"):
            if probe.caller.plan in SLOTS and sources.count(",") >= SLOTS[str(probe.caller.plan)]:
                continue
            response = probe.get_refused(
                "/entries", {"sources": sources}, 403, "source_not_selected"
            )
            probe.expect(
                other in str(response.field("message")), response, f"does not name {other}"
            )


@check(
    "specification 8",
    "Source slots: Free 3, Starter 10. /entries and /diffs answer 403 beyond the plan.",
    operation=_OPERATION,
    audience=Audience.LIMITED,
)
def more_sources_than_slots_are_refused(probe: Probe) -> None:
    sources = _one_too_many(probe)
    response = probe.get("/entries", {"sources": ",".join(sources)}, status=None)
    probe.expect(response.status == 403, response, f"answered {response.status}, not 403")


@check(
    "docs/decisions/0004",
    "403 plan_limit_exceeded for more sources than the plan has slots, and only for them.",
    operation=_OPERATION,
    audience=Audience.LIMITED,
)
def the_limit_of_the_plan_has_its_code(probe: Probe) -> None:
    sources = _one_too_many(probe)
    probe.get_refused("/entries", {"sources": ",".join(sources)}, 403, "plan_limit_exceeded")
    within = probe.get("/entries", {"sources": ",".join(sources[:-1])}, status=None)
    beyond = within.field("code") == "plan_limit_exceeded"
    words = f"refused {len(sources) - 1} sources, which the plan has slots for"
    probe.expect(not beyond, within, words)


def _one_too_many(probe: Probe) -> list[str]:
    """Return one source more than the plan has slots, those of the key first."""
    slots = SLOTS[str(probe.caller.plan)]
    catalog = [str(item["slug"]) for item in probe.get("/sources", {"limit": 100}).items]
    probe.needs(len(catalog) > slots, "the catalog is smaller than the plan")
    return [*dict.fromkeys([*probe.caller.sources, *catalog])][: slots + 1]


@check(
    "docs/decisions/0006",
    "sources: comma-separated, duplicates collapse.",
    operation=_OPERATION,
    audience=Audience.READER,
)
def a_source_named_twice_counts_once(probe: Probe) -> None:
    once = probe.get("/entries", {"sources": probe.source()})
    twice = probe.get("/entries", {"sources": ",".join([probe.source()] * 12)})
    probe.expect(once.body == twice.body, twice, "gave another answer than for one")


@check(
    "docs/decisions/0006",
    "At most 100 slugs in one request.",
    operation=_OPERATION,
    audience=Audience.READER,
)
def a_hundred_sources_are_enough(probe: Probe) -> None:
    sources = ",".join(f"nobody.nothing-{number}" for number in range(101))
    probe.get_refused("/entries", {"sources": sources})


@check(
    "specification 5.4",
    "Scopes named for operations: read:entries for /entries.",
    operation=_OPERATION,
    audience=Audience.KEY,
)
def entries_need_their_scope(probe: Probe) -> None:
    probe.needs(not probe.caller.reads_entries, "the key may read entries")
    response = probe.get("/entries", {"sources": probe.caller.any_source}, status=None)
    probe.expect(response.status == 403, response, f"answered {response.status} without the scope")
