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
_RULES = "docs/contract.md, Releases"
_REQUIRED = ("added-required", "became-required")


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
        digests = (root / RELEASED / "SHA256SUMS").read_text() + "\n"
        for name, each in ((f"{RELEASED}/{each.name}", each) for each in releases.values()):
            if f"  {each.name}\n" not in digests:
                raise UnreadableRelease(f"{name} is not in SHA256SUMS: add it (docs/releasing.md)")
            if f"{sha256(each.read_bytes()).hexdigest()}  {each.name}\n" not in digests:
                raise UnreadableRelease(f"Released contracts are never edited: git checkout {name}")
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
    """Return what a contract breaks of a release, and whether to raise its version.

    A new major version may break anything; any change needs a higher one.
    """
    if release is None:
        return []
    released, version = (str(document["info"]["version"]) for document in (release, contract))
    before, after = numbers_of(released), numbers_of(version)
    raised, next_major = f"{before[0]}.{before[1] + 1}.0", f"{before[0] + 1}.0.0"
    if after[:1] > before[:1]:
        return []
    todo = [
        f"breaks what {released} promised, {change.place}: {change.sentence} "
        f"{'Make it optional' if change.kind.endswith(_REQUIRED) else 'Undo this'}, "
        f"or start {next_major} ({_RULES})."
        for change in compare(release, contract, today=today)
        if change.severity is Severity.BREAKING
    ]
    if after < before or (after == before and release != contract):
        when = "Once nothing breaks," if todo else "Nothing breaks, so"
        todo.append(f"{released} is released. {when} set info.version to {raised} ({_RULES}).")
    return todo


def _numbers(file: Path) -> tuple[int, ...]:
    if not re.fullmatch(r"\d+\.\d+\.\d+", file.stem, re.ASCII):
        raise UnreadableRelease(f"{RELEASED}/{file.name}: no version such as 1.2.0.yaml")
    return numbers_of(file.stem)
