"""The contracts of all releases, stored under ``openapi/released``."""

import re
from collections.abc import Mapping
from datetime import date
from pathlib import Path
from typing import Any

from contract_diff.change import Severity
from contract_diff.contracts import compare, numbers_of
from contract_diff.parse import parse_contract

RELEASED = "openapi/released"
"""The folder of released contracts; each file is named for its version: ``1.2.0.yaml``."""
_VERSION = re.compile(r"(\d+)\.(\d+)\.(\d+)", re.ASCII)


class UnreadableRelease(Exception):
    """A file of the folder is no released contract. The message says why."""


def last_release(root: Path) -> dict[str, Any] | None:
    """Return the released contract of the highest version; None where nothing is released.

    Raises UnreadableRelease for a file that is named for no version or for another one than it
    has, and for one that is no contract.
    """
    releases = {_numbers(file): file for file in sorted((root / RELEASED).glob("*.yaml"))}
    if not releases:
        return None
    file = releases[max(releases)]
    try:
        contract = parse_contract(file.read_bytes())
    except (OSError, ValueError) as error:
        raise UnreadableRelease(f"{RELEASED}/{file.name}: {error}") from error
    version = str(contract.get("info", {}).get("version"))
    if version != file.stem:
        raise UnreadableRelease(f"{RELEASED}/{file.name}: it has the version {version}")
    return contract


def broken_promises(
    release: Mapping[str, Any] | None, contract: Mapping[str, Any], *, today: date
) -> list[str]:
    """Return the breaking changes of a contract since a release, each with its location.

    Nothing breaks, unless the major version rose; and a contract that changed has a higher
    version, since consumers have the released one under its own. Before the first release nothing
    is promised.
    """
    if release is None:
        return []
    released, version = (str(document["info"]["version"]) for document in (release, contract))
    before, after = numbers_of(released), numbers_of(version)
    changes = compare(release, contract, today=today)
    if after < before or (after == before and changes):
        return [f"info › version: it is {version}; {released} is released, so raise it"]
    if after[:1] > before[:1]:
        return []
    return [
        f"{change.place}: {change.sentence}"
        for change in changes
        if change.severity is Severity.BREAKING
    ]


def _numbers(file: Path) -> tuple[int, ...]:
    if not _VERSION.fullmatch(file.stem):
        raise UnreadableRelease(f"{RELEASED}/{file.name}: no version such as 1.2.0.yaml")
    return numbers_of(file.stem)
