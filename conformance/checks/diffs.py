"""Structured changes of a source (specification 4.4)."""

from collections.abc import Iterator

from conformance.callers import ABSENT, SLOTS
from conformance.checks.paging import moment_of
from conformance.checks.probe import Audience, Probe, check
from conformance.http_messages import Response
from openapi.vocabulary import ChangeOp

_OPERATION = "GET /diffs"
_ENOUGH = 6
"""Sources with diffs that are compared."""
_TRIED = 30
"""Sources that are asked for diffs, chosen at random, besides those with most entries."""
_COUNTED = {"added": "added", "changed": "changed", "removed": "removed", "rolled_off": "rolledOff"}


@check(
    "specification 4.4",
    "The Diff API add-on, which itself requires the All plan. Errors: 402 (add-on required).",
    operation=_OPERATION,
    audience=Audience.KEY,
)
def diffs_need_the_add_on(probe: Probe) -> None:
    response = probe.get("/diffs", {"source": probe.caller.any_source}, status=None)
    if probe.caller.reads_diffs:
        smaller = probe.caller.plan in SLOTS
        probe.expect(not smaller, response, f"gave diffs to the {probe.caller.plan} plan")
    else:
        probe.expect(response.status in (402, 403), response, f"answered {response.status}")


@check(
    "docs/decisions/0004",
    "402 addon_required, whose hint names plan and add-on; 403 insufficient_scope.",
    operation=_OPERATION,
    audience=Audience.KEY,
)
def the_missing_add_on_is_named(probe: Probe) -> None:
    probe.needs(not probe.caller.reads_diffs, "the key may read diffs")
    response = probe.get("/diffs", {"source": probe.caller.any_source}, status=None)
    allowed = {(402, "addon_required"), (403, "insufficient_scope")}
    refusal = (response.status, response.field("code"))
    probe.expect(refusal in allowed, response, f"answered {refusal[0]} {refusal[1]}")
    if refusal[0] == 402:
        hint = str(response.field("hint")).lower()
        probe.expect("all" in hint and "diff" in hint, response, "does not name plan and add-on")


@check(
    "specification 4.4",
    "source: string, required.",
    operation=_OPERATION,
    audience=Audience.KEY,
)
def diffs_need_a_source(probe: Probe) -> None:
    response = probe.get("/diffs", status=None)
    # whoever lacks the add-on may be told of that first
    allowed = (400,) if probe.caller.reads_diffs else (400, 402, 403)
    probe.expect(response.status in allowed, response, f"answered {response.status}")


@check(
    "docs/decisions/0079",
    "source is one slug, and its name is source; told before the add-on is asked for.",
    operation=_OPERATION,
    audience=Audience.KEY,
)
def diffs_are_of_one_slug(probe: Probe) -> None:
    for params in ("", "source=", "sources=acme.compute", "source=a&source=b", "source=no%20slug"):
        probe.get_refused("/diffs", params)


@check(
    "docs/decisions/0004",
    "403 source_not_selected, for a source that nobody has too.",
    operation=_OPERATION,
    audience=Audience.DIFF_READER,
)
def an_unknown_source_has_no_diffs(probe: Probe) -> None:
    probe.get_refused("/diffs", {"source": ABSENT}, 403, "source_not_selected")


@check(
    "specification 4.4",
    "Response 200: a JSON object holding structured before/after changes between snapshots of the "
    "source.",
    operation=_OPERATION,
    audience=Audience.DIFF_READER,
)
def diffs_are_an_object(probe: Probe) -> None:
    for source in probe.needs(probe.caller.sources, "no source is selected for the key")[:5]:
        response = probe.get("/diffs", {"source": source})
        probe.expect(isinstance(response.json, dict), response, "is no object")


@check(
    "docs/decisions/0011",
    "A page of diffs, newest first: before and after name the snapshots.",
    operation=_OPERATION,
    audience=Audience.DIFF_READER,
)
def diffs_hold_what_changed(probe: Probe) -> None:
    compared = 0
    for source, response in _with_diffs(probe):
        probe.expect(response.field("source") == source, response, f"is not about {source}")
        probe.expect(len(response.items) <= 20, response, f"has {len(response.items)} changes")
        times = [moment_of(item["after"]["fetchedAt"]) for item in response.items]
        probe.expect(times == sorted(times, reverse=True), response, "is not newest first")
        for item in response.items:
            compared += 1
            began, ended = (moment_of(item[side]["fetchedAt"]) for side in ("before", "after"))
            in_order = began <= ended
            probe.expect(in_order, response, f"has {item['id']} before its before")
            moved = item["before"]["contentHash"] != item["after"]["contentHash"]
            probe.expect(moved, response, f"has {item['id']} between equal contents")
    probe.needs(compared, "no source of the key has changed yet")


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


@check(
    "docs/decisions/0011",
    "stats: {added, changed, removed, rolledOff, unchanged}. A diff without a change is never "
    "stored.",
    operation=_OPERATION,
    audience=Audience.DIFF_READER,
)
def diffs_count_what_they_hold(probe: Probe) -> None:
    pages = [response for _, response in _with_diffs(probe)]
    probe.needs([item for page in pages for item in page.items], "no source has changed yet")
    for response in pages:
        for item in response.items:
            changes, stats = item["changes"], item["stats"]
            probe.expect(bool(changes) or item["truncated"], response, f"has {item['id']} empty")
            wrong = {change["op"] for change in changes} - set(ChangeOp)
            probe.expect(not wrong, response, f"has the change {wrong}")
            for operation, name in _COUNTED.items():
                number = sum(change["op"] == operation for change in changes)
                right = number == stats[name] or item["truncated"]
                probe.expect(right, response, f"counts {stats[name]} {name}, holds {number}")
