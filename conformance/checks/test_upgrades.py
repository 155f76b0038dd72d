"""Entries between two versions of a part (docs/decisions/0139)."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pytest

from conformance.callers import ABSENT
from conformance.http_messages import Response
from conformance.lists import compare_pages, identity
from conformance.probe import Probe, expect
from conformance.sampling import Listing
from openapi.contract import resolve

_PATH = "/upgrades"
NOBODYS_PART = f"pkg:generic/{ABSENT}"
_REPOSITORY = re.compile(r"https://github\.com/([\w.-]+/[\w.-]+)")
_TRIED = 12
"""Repositories of the catalog that are tried as parts."""
_RANGES = 4
_GENERAL = re.compile(r"(\.0+)*(\+.*)?$")
"""The end of a version that need not tell it from another one."""
Item = Mapping[str, Any]


def part_with_upgrades(probe: Probe) -> str:
    """Return a part that there are versions of: the contract's example, or one of the catalog."""
    probe.needs(_PATH in probe.contract["paths"], "the contract has no upgrades")
    for part in _parts(probe):
        response = probe.get(_PATH, {"purl": part, "limit": 1}, status=None)
        if response.status == 200 and response.field("total"):
            return part
    return str(probe.needs("", "no part with versions is known"))


def _parts(probe: Probe) -> Iterator[str]:
    operation = probe.contract["paths"][_PATH]["get"]
    for node in operation.get("parameters", []):
        parameter = resolve(probe.contract, node)
        if parameter.get("name") == "purl" and "example" in parameter:
            yield str(parameter["example"])
    addresses = " ".join(
        f"{item.get('homepage')} {item.get('changelogUrl')}"
        for item in probe.listing("/sources", {"selected": 1}).items
    )
    repositories = sorted({name.lower() for name in _REPOSITORY.findall(addresses)})
    for name in probe.random("parts").sample(repositories, min(_TRIED, len(repositories))):
        yield f"pkg:github/{name}"


def breaks(item: Item) -> bool:
    """Return whether an entry says that something breaks."""
    return "breaking" in item.get("importance", {}).get("categories", ())


def _upgrades(probe: Probe) -> tuple[str, Listing]:
    part = part_with_upgrades(probe)
    return part, probe.listing(_PATH, {"purl": part})


@pytest.mark.origin("docs/decisions/0139")
def test_upgrades_put_what_breaks_first(reader: Probe) -> None:
    """Breaking changes come first. Items are of the part and of the sources that are named."""
    part, listing = _upgrades(reader)
    for before, after in listing.neighbours():
        in_order = breaks(before) or not breaks(after)
        expect(in_order, listing.page_of(after), f"has {after['id']}, which breaks, later")
    for page in listing.responses:
        for item in page.items:
            expect(item["part"] == part, page, f"has {item['id']} of {item['part']}")
            named = item["source"] in page.json["sources"]
            expect(named, page, f"does not name {item['source']} of {item['id']}")
        for remark in (*page.json["unknown"], *page.json["gaps"]):
            fault = f"counts {remark['count']} and shows {len(remark['entries'])}"
            expect(remark["count"] >= len(remark["entries"]), page, fault)


@pytest.mark.origin("docs/decisions/0139")
def test_upgrades_lie_between_the_versions(reader: Probe) -> None:
    """The entries of the versions after from, up to to, in the order of versions."""
    part, listing = _upgrades(reader)
    reader.needs(listing.is_whole, "the part has too many versions to read them all")
    random, tried = reader.random("versions"), 0
    for broken in (True, False):
        group = [item for item in listing.items if breaks(item) is broken]
        known = [at for at, item in enumerate(group) if item.get("version")]
        for _ in range(_RANGES if len(known) > 1 else 0):
            first, last = sorted(random.sample(known, 2))
            tried += 1
            _between(reader, part, group, first, last)
    reader.needs(tried, "the part has too few versions")


def _between(probe: Probe, part: str, group: Sequence[Item], first: int, last: int) -> None:
    """Expect of a group those after the first version up to the last one, however often they are
    there."""
    begin, end = _plain(group[first]), _plain(group[last])
    params = {"purl": part, "from": group[first]["version"], "to": group[last]["version"]}
    listing = probe.listing(_PATH, params)
    read = {identity(item) for item in listing.items}
    right = {
        identity(item): _plain(item) != begin and (first < at <= last or _plain(item) == end)
        for at, item in enumerate(group)
    }
    missing = sorted(name for name, inside in right.items() if inside and name not in read)
    stray = sorted(name for name, inside in right.items() if not inside and name in read)
    expect(not missing, listing.responses[0], f"does not have {missing[:1]}")
    expect(not stray, listing.responses[0], f"has {stray[:1]}, which is not between")


def _plain(item: Item) -> str:
    """Return the version of an entry without what need not tell it from others."""
    return _GENERAL.sub("", str(item.get("version")).lower().removeprefix("v"))


@pytest.mark.origin("docs/decisions/0139")
def test_pages_of_upgrades_are_parts_of_the_list(reader: Probe) -> None:
    """A page of upgrades is a part of the list."""
    part, listing = _upgrades(reader)
    compare_pages(reader, _PATH, {"purl": part})
    versions = sorted({str(item["version"]) for item in listing.items if item.get("version")})
    for name in ("from", "to") if versions else ():
        compare_pages(reader, _PATH, {"purl": part, name: reader.random(name).choice(versions)})


@pytest.mark.origin("docs/decisions/0139")
def test_an_unknown_part_is_told(reader: Probe) -> None:
    """A part that nothing is known of is a 200 that says so."""
    reader.needs(_PATH in reader.contract["paths"], "the contract has no upgrades")
    for part, reason in ((NOBODYS_PART, "no_source"), ("pkg:nothing", "not_a_package")):
        response = reader.get(_PATH, {"purl": part})
        reasons = [remark["reason"] for remark in response.json["unknown"]]
        expect(reasons == [reason], response, f"says {reasons} of {part}")
        expect(not response.items, response, f"has {len(response.items)} items of {part}")


_STACKS = "/stacks"
_MOST = 400
"""Versions of a part that are compared; the report lists no more than the first 500."""


def _checked(
    probe: Probe, components: Sequence[str], wanted: Sequence[str] | None = None
) -> Response:
    body = {"components": components} | ({} if wanted is None else {"wanted": wanted})
    return probe.ask(
        "POST", _STACKS, status=200, headers={"Content-Type": "application/json"},
        body=json.dumps(body).encode(),
    )  # fmt: skip


def _part(probe: Probe) -> str:
    probe.needs(_STACKS in probe.contract["paths"], "the contract checks no stacks")
    return part_with_upgrades(probe)


def _with_versions(probe: Probe, part: str) -> list[dict[str, Any]]:
    every = probe.listing("/upgrades", {"purl": part}).items
    return [item for item in every if item.get("version")]


@pytest.mark.origin("docs/decisions/0141")
def test_a_stack_has_the_upgrades_of_its_parts(reader: Probe) -> None:
    """Of each part with a version the entries are those of /upgrades, what breaks first, and all
    are counted."""
    part = _part(reader)
    every = reader.needs(_with_versions(reader, part), "the part has no versions")
    version = reader.random("stack").choice(every)["version"]
    later = reader.listing("/upgrades", {"purl": part, "from": version})
    reader.needs(later.is_whole and later.total < _MOST, "too many versions came later")
    response = _checked(reader, [f"{part}@{version}"])
    items = response.items
    read, expected = set(map(identity, items)), set(map(identity, later.items))
    expect(read == expected, response, f"has not the entries of /upgrades after {version}")
    claimed = (response.field("total"), response.json["counts"]["breaking"])
    counted = (later.total, sum(map(breaks, later.items)))
    expect(claimed == counted, response, f"counts {claimed} where {counted} lie between")
    order = [breaks(item) for item in items]
    expect(order == sorted(order, reverse=True), response, "has what breaks later")


@pytest.mark.origin("docs/decisions/0141")
def test_a_stack_says_what_covers_each_part(reader: Probe) -> None:
    """Every part is covered by sources that may be read, by others, or by none."""
    part = _part(reader)
    response = _checked(reader, [part, NOBODYS_PART])
    report = response.json
    selected = {covered["part"]: covered["sources"] for covered in report["selected"]}
    proposed = {covered["part"] for covered in report["proposed"]}
    uncovered = set(report["uncovered"])
    expect([*selected] == [part], response, f"reads {[*selected]}, not {part} alone")
    expect(uncovered == {NOBODYS_PART}, response, f"has no source of {sorted(uncovered)}")
    expect(proposed <= {part}, response, f"proposes {sorted(proposed)}")
    named = reader.get("/upgrades", {"purl": part, "limit": 1}).json["sources"]
    known = set(named) <= set(selected.get(part, ()))
    expect(known, response, f"does not name {named} of {part}")


@pytest.mark.origin("docs/decisions/0141")
def test_a_stack_that_stays_has_nothing_between(reader: Probe) -> None:
    """With wanted, parts are compared with the version there; one that stays has nothing
    between."""
    part = _part(reader)
    every = reader.needs(_with_versions(reader, part), "the part has no versions")
    running = f"{part}@{every[0]['version']}"
    response = _checked(reader, [running], [running])
    expect(not response.items, response, f"has {len(response.items)} entries")
    expect(response.field("total") == 0, response, f"counts {response.field('total')}")
