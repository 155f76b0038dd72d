"""Entries between two versions of a part (docs/decisions/0139)."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pytest

from conformance.lists import identity
from conformance.probe import Probe, expect
from conformance.sampling import Listing
from openapi.contract import examples_in, resolve

_PATH = "/upgrades"
_REPOSITORY = re.compile(r"https://github\.com/([\w.-]+/[\w.-]+)")
_TRIED = 12
"""Repositories of the catalog that are tried as parts."""
_RANGES = 4
_GENERAL = re.compile(r"(\.0+)*(\+.*)?$")
"""The end of a version that need not tell it from another one."""
Item = Mapping[str, Any]


def _upgrades(probe: Probe) -> tuple[str, Listing]:
    """Return a part with versions, the contract's example or one of the catalog, and its list."""
    probe.has(_PATH)
    for part in _parts(probe):
        response = probe.get(_PATH, {"purl": part, "limit": 1}, status=None)
        if response.status == 200 and response.total:
            return part, probe.listing(_PATH, {"purl": part})
    pytest.skip("no part with versions is known")


def _parts(probe: Probe) -> Iterator[str]:
    operation = probe.contract["paths"][_PATH]["get"]
    for node in operation.get("parameters", []):
        parameter = resolve(probe.contract, node)
        if parameter.get("name") == "purl":
            yield from map(str, examples_in(parameter))
    sources = json.dumps(probe.listing("/sources", {"selected": 1}).items)
    repositories = sorted({name.lower() for name in _REPOSITORY.findall(sources)})
    for name in probe.random("parts").sample(repositories, min(_TRIED, len(repositories))):
        yield f"pkg:github/{name}"


def _breaks(item: Item) -> bool:
    """Return whether an entry says that something breaks."""
    return "breaking" in item.get("importance", {}).get("categories", ())


@pytest.mark.origin("docs/decisions/0139")
def test_upgrades_put_what_breaks_first(reader: Probe) -> None:
    """Breaking changes come first. Items are of the part and of the sources that are named."""
    part, listing = _upgrades(reader)
    for before, after in listing.neighbours():
        in_order = _breaks(before) or not _breaks(after)
        expect(in_order, listing.page_of(after), f"has {after['id']}, which breaks, later")
    for page in listing.responses:
        for item in page.items:
            expect(item["part"] == part, page, f"has {item['id']} of {item['part']}")
            named = item["source"] in page.json["sources"]
            expect(named, page, f"does not name {item['source']} of {item['id']}")


@pytest.mark.origin("docs/decisions/0139")
def test_upgrades_lie_between_the_versions(reader: Probe) -> None:
    """The entries of the versions after from, up to to, in the order of versions."""
    part, listing = _upgrades(reader)
    reader.needs(listing.is_whole, "the part has too many versions to read them all")
    random, tried = reader.random("versions"), 0
    for broken in (True, False):
        group = [item for item in listing.items if _breaks(item) is broken]
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
