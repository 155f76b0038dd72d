"""What lies between two versions of a part (docs/decisions/0139)."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from conformance.callers import ABSENT
from conformance.checks.probe import Audience, Probe, check
from conformance.checks.samples import compare_pages, identity
from conformance.sampling import Listing
from openapi.contract import resolve

_PATH = "/upgrades"
_OPERATION = "GET /upgrades"
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


@check(
    "docs/decisions/0139",
    "What breaks comes first. Items are of the part and of the sources that are named.",
    operation=_OPERATION,
    audience=Audience.READER,
)
def upgrades_put_what_breaks_first(probe: Probe) -> None:
    part, listing = _upgrades(probe)
    for before, after in listing.neighbours():
        in_order = breaks(before) or not breaks(after)
        probe.expect(in_order, listing.page_of(after), f"has {after['id']}, which breaks, later")
    for page in listing.responses:
        for item in page.items:
            probe.expect(item["part"] == part, page, f"has {item['id']} of {item['part']}")
            named = item["source"] in page.json["sources"]
            probe.expect(named, page, f"does not name {item['source']} of {item['id']}")
        for remark in (*page.json["unknown"], *page.json["gaps"]):
            fault = f"counts {remark['count']} and shows {len(remark['entries'])}"
            probe.expect(remark["count"] >= len(remark["entries"]), page, fault)


@check(
    "docs/decisions/0139",
    "The entries of the versions after from, up to to, in the order of versions.",
    operation=_OPERATION,
    audience=Audience.READER,
)
def upgrades_lie_between_the_versions(probe: Probe) -> None:
    part, listing = _upgrades(probe)
    probe.needs(listing.is_whole, "the part has too many versions to read them all")
    random, tried = probe.random("versions"), 0
    for broken in (True, False):
        group = [item for item in listing.items if breaks(item) is broken]
        known = [at for at, item in enumerate(group) if item.get("version")]
        for _ in range(_RANGES if len(known) > 1 else 0):
            first, last = sorted(random.sample(known, 2))
            tried += 1
            _between(probe, part, group, first, last)
    probe.needs(tried, "the part has too few versions")


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
    probe.expect(not missing, listing.responses[0], f"does not have {missing[:1]}")
    probe.expect(not stray, listing.responses[0], f"has {stray[:1]}, which is not between")


def _plain(item: Item) -> str:
    """Return the version of an entry without what need not tell it from others."""
    return _GENERAL.sub("", str(item.get("version")).lower().removeprefix("v"))


@check(
    "docs/decisions/0139",
    "A page of upgrades is a part of the list.",
    operation=_OPERATION,
    audience=Audience.READER,
)
def pages_of_upgrades_are_parts_of_the_list(probe: Probe) -> None:
    part, listing = _upgrades(probe)
    compare_pages(probe, _PATH, {"purl": part})
    versions = sorted({str(item["version"]) for item in listing.items if item.get("version")})
    for name in ("from", "to") if versions else ():
        compare_pages(probe, _PATH, {"purl": part, name: probe.random(name).choice(versions)})


@check(
    "docs/decisions/0139",
    "A part that nothing is known of is a 200 that says so.",
    operation=_OPERATION,
    audience=Audience.READER,
)
def an_unknown_part_is_told(probe: Probe) -> None:
    probe.needs(_PATH in probe.contract["paths"], "the contract has no upgrades")
    for part, reason in ((NOBODYS_PART, "no_source"), ("pkg:nothing", "not_a_package")):
        response = probe.get(_PATH, {"purl": part})
        reasons = [remark["reason"] for remark in response.json["unknown"]]
        probe.expect(reasons == [reason], response, f"says {reasons} of {part}")
        probe.expect(not response.items, response, f"has {len(response.items)} items of {part}")
