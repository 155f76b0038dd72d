"""The contracts of all releases: ``openapi/released/1.2.0.yaml``, digests in ``SHA256SUMS``."""

import re
from collections.abc import Mapping
from datetime import date
from hashlib import sha256
from pathlib import Path
from typing import Any

from contract_diff.change import Severity
from contract_diff.contracts import compare, numbers_of
from contract_diff.parse import parse_contract

RELEASED = "openapi/released"


class UnreadableRelease(Exception):
    """A file of the folder is no released contract. The message says why."""


def last_release(root: Path) -> dict[str, Any] | None:
    """Return the released contract of the highest version; None where nothing is released.

    Raises UnreadableRelease for a file that was edited, is no contract, or has a wrong name.
    """
    releases = {_numbers(file): file for file in sorted((root / RELEASED).glob("*.yaml"))}
    if not releases:
        return None
    file = releases[max(releases)]
    try:
        digests = (root / RELEASED / "SHA256SUMS").read_text().splitlines()
        for each in releases.values():
            if f"{sha256(each.read_bytes()).hexdigest()}  {each.name}" not in digests:
                raise UnreadableRelease(f"{RELEASED}/{each.name}: SHA256SUMS has another digest")
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

    A new major version may break anything; any change needs a higher version.
    """
    if release is None:
        return []
    released, version = (str(document["info"]["version"]) for document in (release, contract))
    before, after = numbers_of(released), numbers_of(version)
    changes = compare(release, contract, today=today)
    if after < before or (after == before and release != contract):
        return [f"info › version: it is {version}; {released} is released, so raise it"]
    if after[:1] > before[:1]:
        return []
    return [
        f"{change.place}: {change.sentence}"
        for change in changes
        if change.severity is Severity.BREAKING
    ]


def _numbers(file: Path) -> tuple[int, ...]:
    if not re.fullmatch(r"\d+\.\d+\.\d+", file.stem, re.ASCII):
        raise UnreadableRelease(f"{RELEASED}/{file.name}: no version such as 1.2.0.yaml")
    return numbers_of(file.stem)
