"""Structured changes of a source (specification 4.4)."""

from collections.abc import Iterator

import pytest

from conformance.callers import ABSENT, SLOTS
from conformance.http_messages import Response
from conformance.lists import moment_of
from conformance.probe import Probe, expect
from openapi.vocabulary import ChangeOp

_ENOUGH = 6
"""Sources with diffs that are compared."""
_TRIED = 30
"""Sources that are asked for diffs, chosen at random, besides those with most entries."""
_COUNTED = {"added": "added", "changed": "changed", "removed": "removed", "rolled_off": "rolledOff"}


@pytest.mark.origin("specification 4.4")
def test_diffs_need_the_add_on(holder: Probe) -> None:
    """The Diff API add-on, which itself requires the All plan. Errors: 402 (add-on required)."""
    response = holder.get("/diffs", {"source": holder.caller.any_source}, status=None)
    if holder.caller.reads_diffs:
        smaller = holder.caller.plan in SLOTS
        expect(not smaller, response, f"gave diffs to the {holder.caller.plan} plan")
    else:
        expect(response.status in (402, 403), response, f"answered {response.status}")


@pytest.mark.origin("docs/decisions/0004")
def test_the_missing_add_on_is_named(holder: Probe) -> None:
    """402 addon_required, whose hint names plan and add-on; 403 insufficient_scope."""
    holder.needs(not holder.caller.reads_diffs, "the key may read diffs")
    response = holder.get("/diffs", {"source": holder.caller.any_source}, status=None)
    allowed = {(402, "addon_required"), (403, "insufficient_scope")}
    refusal = (response.status, response.field("code"))
    expect(refusal in allowed, response, f"answered {refusal[0]} {refusal[1]}")
    if refusal[0] == 402:
        hint = str(response.field("hint")).lower()
        expect("all" in hint and "diff" in hint, response, "does not name plan and add-on")


@pytest.mark.origin("specification 4.4")
def test_diffs_need_a_source(holder: Probe) -> None:
    """source: string, required."""
    response = holder.get("/diffs", status=None)
    # whoever lacks the add-on may be told of that first
    allowed = (400,) if holder.caller.reads_diffs else (400, 402, 403)
    expect(response.status in allowed, response, f"answered {response.status}")


@pytest.mark.origin("docs/decisions/0079")
def test_diffs_are_of_one_slug(holder: Probe) -> None:
    """source is one slug, and its name is source; told before the add-on is asked for."""
    for params in ("", "source=", "sources=acme.compute", "source=a&source=b", "source=no%20slug"):
        holder.get_refused("/diffs", params)


@pytest.mark.origin("docs/decisions/0004")
def test_an_unknown_source_has_no_diffs(diff_reader: Probe) -> None:
    """403 source_not_selected, for a source that nobody has too."""
    diff_reader.get_refused("/diffs", {"source": ABSENT}, 403, "source_not_selected")


@pytest.mark.origin("specification 4.4")
def test_diffs_are_an_object(diff_reader: Probe) -> None:
    """Response 200: a JSON object holding structured before/after changes between snapshots of the
    source."""
    for source in diff_reader.needs(
        diff_reader.caller.sources, "no source is selected for the key"
    )[:5]:
        response = diff_reader.get("/diffs", {"source": source})
        expect(isinstance(response.json, dict), response, "is no object")


@pytest.mark.origin("docs/decisions/0011")
def test_diffs_hold_what_changed(diff_reader: Probe) -> None:
    """A page of diffs, newest first: before and after name the snapshots."""
    compared = 0
    for source, response in _with_diffs(diff_reader):
        expect(response.field("source") == source, response, f"is not about {source}")
        expect(len(response.items) <= 20, response, f"has {len(response.items)} changes")
        times = [moment_of(item["after"]["fetchedAt"]) for item in response.items]
        expect(times == sorted(times, reverse=True), response, "is not newest first")
        for item in response.items:
            compared += 1
            began, ended = (moment_of(item[side]["fetchedAt"]) for side in ("before", "after"))
            in_order = began <= ended
            expect(in_order, response, f"has {item['id']} before its before")
            moved = item["before"]["contentHash"] != item["after"]["contentHash"]
            expect(moved, response, f"has {item['id']} between equal contents")
    diff_reader.needs(compared, "no source of the key has changed yet")


def _with_diffs(probe: Probe) -> Iterator[tuple[str, Response]]:
    """Yield responses of sources with diffs, looked for among all sources of the caller."""
    selected = [str(item["slug"]) for item in probe.listing("/sources", {"selected": 1}).items]
    probe.random("diffs").shuffle(selected)
    count = 0
    for source in dict.fromkeys([*probe.caller.sources, *selected[:_TRIED]]):
        response = probe.get("/diffs", {"source": source})
        count += bool(response.items)
        yield source, response
        if count >= _ENOUGH:
            return


@pytest.mark.origin("docs/decisions/0011")
def test_diffs_count_what_they_hold(diff_reader: Probe) -> None:
    """stats: {added, changed, removed, rolledOff, unchanged}. A diff without a change is never
    stored."""
    pages = [response for _, response in _with_diffs(diff_reader)]
    diff_reader.needs([item for page in pages for item in page.items], "no source has changed yet")
    for response in pages:
        for item in response.items:
            changes, stats = item["changes"], item["stats"]
            expect(bool(changes) or item["truncated"], response, f"has {item['id']} empty")
            wrong = {change["op"] for change in changes} - set(ChangeOp)
            expect(not wrong, response, f"has the change {wrong}")
            for operation, name in _COUNTED.items():
                number = sum(change["op"] == operation for change in changes)
                right = number == stats[name] or item["truncated"]
                expect(right, response, f"counts {stats[name]} {name}, holds {number}")
