"""What breaks between what runs and what came out (docs/decisions/0141)."""

import json
from collections.abc import Sequence
from typing import Any

from conformance.checks.probe import Audience, Probe, check
from conformance.checks.samples import identity
from conformance.checks.upgrades import NOBODYS_PART, breaks, part_with_upgrades
from conformance.http_messages import Response

_PATH = "/stacks"
_OPERATION = "POST /stacks"
_MOST = 400
"""Versions of a part that are compared; the report lists no more than the first 500."""


def _checked(
    probe: Probe, components: Sequence[str], wanted: Sequence[str] | None = None
) -> Response:
    body = {"components": components} | ({} if wanted is None else {"wanted": wanted})
    return probe.ask(
        "POST", _PATH, status=200, headers={"Content-Type": "application/json"},
        body=json.dumps(body).encode(),
    )  # fmt: skip


def _part(probe: Probe) -> str:
    probe.needs(_PATH in probe.contract["paths"], "the contract checks no stacks")
    return part_with_upgrades(probe)


def _with_versions(probe: Probe, part: str) -> list[dict[str, Any]]:
    every = probe.listing("/upgrades", {"purl": part}).items
    return [item for item in every if item.get("version")]


@check(
    "docs/decisions/0141",
    "Of each part with a version the entries are those of /upgrades, what breaks first, and all "
    "are counted.",
    operation=_OPERATION,
    audience=Audience.READER,
)
def a_stack_has_the_upgrades_of_its_parts(probe: Probe) -> None:
    part = _part(probe)
    every = probe.needs(_with_versions(probe, part), "the part has no versions")
    version = probe.random("stack").choice(every)["version"]
    later = probe.listing("/upgrades", {"purl": part, "from": version})
    probe.needs(later.is_whole and later.total < _MOST, "too many versions came later")
    response = _checked(probe, [f"{part}@{version}"])
    items = response.items
    read, expected = set(map(identity, items)), set(map(identity, later.items))
    probe.expect(read == expected, response, f"has not the entries of /upgrades after {version}")
    claimed = (response.field("total"), response.json["counts"]["breaking"])
    counted = (later.total, sum(map(breaks, later.items)))
    probe.expect(claimed == counted, response, f"counts {claimed} where {counted} lie between")
    order = [breaks(item) for item in items]
    probe.expect(order == sorted(order, reverse=True), response, "has what breaks later")


@check(
    "docs/decisions/0141",
    "Every part is covered by sources that may be read, by others, or by none.",
    operation=_OPERATION,
    audience=Audience.READER,
)
def a_stack_says_what_covers_each_part(probe: Probe) -> None:
    part = _part(probe)
    response = _checked(probe, [part, NOBODYS_PART])
    report = response.json
    selected = {covered["part"]: covered["sources"] for covered in report["selected"]}
    proposed = {covered["part"] for covered in report["proposed"]}
    uncovered = set(report["uncovered"])
    probe.expect([*selected] == [part], response, f"reads {[*selected]}, not {part} alone")
    probe.expect(uncovered == {NOBODYS_PART}, response, f"has no source of {sorted(uncovered)}")
    probe.expect(proposed <= {part}, response, f"proposes {sorted(proposed)}")
    named = probe.get("/upgrades", {"purl": part, "limit": 1}).json["sources"]
    known = set(named) <= set(selected.get(part, ()))
    probe.expect(known, response, f"does not name {named} of {part}")


@check(
    "docs/decisions/0141",
    "With wanted, parts are compared with the version there; one that stays has nothing between.",
    operation=_OPERATION,
    audience=Audience.READER,
)
def a_stack_that_stays_has_nothing_between(probe: Probe) -> None:
    part = _part(probe)
    every = probe.needs(_with_versions(probe, part), "the part has no versions")
    running = f"{part}@{every[0]['version']}"
    response = _checked(probe, [running], [running])
    probe.expect(not response.items, response, f"has {len(response.items)} entries")
    probe.expect(response.field("total") == 0, response, f"counts {response.field('total')}")
