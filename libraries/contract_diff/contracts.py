"""Compares two contracts."""

import re
from collections.abc import Iterator
from datetime import date

from contract_diff.change import ContractChange, Severity, Side, Spot, ordered
from contract_diff.document import Document, Node, as_mapping
from contract_diff.operations import compare_operations
from contract_diff.schemas import Comparison
from contract_diff.security import compare_schemes
from contract_diff.servers import compare_servers, servers_of, with_one_base


def compare(old: Node, new: Node, *, today: date | None = None) -> list[ContractChange]:
    """Return the changes from the old contract to the new one, breaking changes first.

    Both are parsed OpenAPI 3.0 documents that are valid; references into the document are followed,
    and each leads somewhere. Only what a caller can observe is compared: descriptions, titles,
    examples and components that nothing uses are not. `today` decides whether a sunset has passed
    and leaves enough time; without it no sunset has passed and notice counts from
    `x-deprecated-at`.
    """
    old, new = with_one_base(old, new)
    documents = Document(old), Document(new)
    comparison = Comparison(*documents, today)
    changes = list(compare_operations(comparison, old.get("paths"), new.get("paths")))
    changes += compare_schemes(*documents)
    servers = Spot(Side.REQUEST, "server", "the addresses of the service", "servers")
    changes += compare_servers(servers_of(old), servers_of(new), servers)
    breaks = any(change.severity is Severity.BREAKING for change in changes)
    changes += _versions(old, new, breaks=breaks)
    return ordered(changes)


def _versions(old: Node, new: Node, *, breaks: bool) -> Iterator[ContractChange]:
    """Compare the versions of the contracts: a breaking change needs a new major version."""
    spot = Spot(Side.REQUEST, "version", "the contract", "info › version")
    before, after = (
        str(as_mapping(contract.get("info")).get("version", "")) for contract in (old, new)
    )
    if numbers_of(after) < numbers_of(before):
        phrase = f"went back from version {before} to {after}"
        yield spot.report("decreased", Severity.WARNING, phrase)
    elif before != after:
        yield spot.report("changed", Severity.INFO, f"has version {after} instead of {before}")
    if breaks and numbers_of(after)[:1] <= numbers_of(before)[:1]:
        went = f"went from {before} to {after}" if before != after else f"is {after} as before"
        phrase = f"breaks consumers, but its version {went}"
        yield spot.report("not-raised", Severity.WARNING, phrase)
    formats = [str(contract.get("openapi", "")) for contract in (old, new)]
    if formats[0] != formats[1]:
        written = Spot(Side.REQUEST, "openapi-version", "the contract", "openapi")
        phrase = f"is written in OpenAPI {formats[1]} instead of {formats[0]}"
        yield written.report("changed", Severity.INFO, phrase)


def numbers_of(version: str) -> tuple[int, ...]:
    """Return the numbers of a version, which compare as versions do."""
    return tuple(int(digits) for digits in re.findall(r"\d+", version)[:3])
