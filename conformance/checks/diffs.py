"""Structured changes of a source (specification 4.4)."""

from conformance.callers import ABSENT, SLOTS
from conformance.checks.probe import Audience, Probe, check
from conformance.checks.walk import moment_of
from openapi.vocabulary import ChangeOp

_OPERATION = "GET /diffs"
_COUNTED = {"added": "added", "changed": "changed", "removed": "removed", "rolled_off": "rolledOff"}


@check(
    "specification 4.4",
    "The Diff API add-on, which itself requires the All plan. Errors: 402 (add-on required).",
    operation=_OPERATION,
    audience=Audience.KEY,
)
def diffs_need_the_add_on(probe: Probe) -> None:
    if probe.caller.reads_diffs:
        source = probe.caller.sources[0] if probe.caller.sources else ABSENT
        answer = probe.get("/diffs", {"source": source}, status=None)
        smaller = probe.caller.plan in SLOTS
        probe.expect(not smaller, answer, f"gave diffs to the {probe.caller.plan} plan")
        return
    source = probe.caller.sources[0] if probe.caller.sources else ABSENT
    answer = probe.get("/diffs", {"source": source}, status=None)
    allowed = {(402, "addon_required"), (403, "insufficient_scope")}
    found = (answer.status, answer.field("code"))
    probe.expect(found in allowed, answer, f"answered {found[0]} {found[1]}")
    if found[0] == 402:
        hint = str(answer.field("hint")).lower()
        probe.expect("all" in hint and "diff" in hint, answer, "does not name plan and add-on")


@check(
    "specification 4.4",
    "source: string, required.",
    operation=_OPERATION,
    audience=Audience.KEY,
)
def diffs_need_a_source(probe: Probe) -> None:
    for params in ("", "source=", "sources=acme.compute", "source=a&source=b", "source=no%20slug"):
        answer = probe.get("/diffs", params, status=None)
        probe.expect_refusal(answer, 400, "invalid_request")


@check(
    "specification 4.4",
    "403 (source not selected).",
    operation=_OPERATION,
    audience=Audience.DIFF_READER,
)
def an_unknown_source_has_no_diffs(probe: Probe) -> None:
    answer = probe.get("/diffs", {"source": ABSENT}, status=None)
    probe.expect_refusal(answer, 403, "source_not_selected")


@check(
    "specification 4.4",
    "Response 200: a JSON object holding structured before/after changes between snapshots of the "
    "source.",
    operation=_OPERATION,
    audience=Audience.DIFF_READER,
)
def diffs_hold_what_changed(probe: Probe) -> None:
    seen = 0
    for source in probe.caller.sources[:5]:
        answer = probe.get("/diffs", {"source": source})
        probe.expect(answer.field("source") == source, answer, f"is not about {source}")
        probe.expect(len(answer.items) <= 20, answer, f"has {len(answer.items)} changes")
        times = [moment_of(item["after"]["fetchedAt"]) for item in answer.items]
        probe.expect(times == sorted(times, reverse=True), answer, "is not newest first")
        for item in answer.items:
            seen += 1
            began, ended = (moment_of(item[each]["fetchedAt"]) for each in ("before", "after"))
            in_order = began <= ended
            probe.expect(in_order, answer, f"has {item['id']} before its before")
            moved = item["before"]["contentHash"] != item["after"]["contentHash"]
            probe.expect(moved, answer, f"has {item['id']} between equal contents")
    probe.needs(seen, "no source of the key has changed yet")


@check(
    "docs/decisions/0011",
    "stats: {added, changed, removed, rolledOff, unchanged}. A diff without a change is never "
    "stored.",
    operation=_OPERATION,
    audience=Audience.DIFF_READER,
)
def diffs_count_what_they_hold(probe: Probe) -> None:
    found = [probe.get("/diffs", {"source": each}) for each in probe.caller.sources[:5]]
    probe.needs([item for page in found for item in page.items], "no source has changed yet")
    for answer in found:
        for item in answer.items:
            changes, stats = item["changes"], item["stats"]
            probe.expect(bool(changes) or item["truncated"], answer, f"has {item['id']} empty")
            wrong = {each["op"] for each in changes} - set(ChangeOp)
            probe.expect(not wrong, answer, f"has the change {wrong}")
            for operation, name in _COUNTED.items():
                number = sum(each["op"] == operation for each in changes)
                right = number == stats[name] or item["truncated"]
                probe.expect(right, answer, f"counts {stats[name]} {name}, holds {number}")
