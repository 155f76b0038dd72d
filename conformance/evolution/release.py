"""The contract of the newest version tag, which is the one that consumers have."""

import re
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from conformance.evolution.change import ContractChange, Severity
from conformance.evolution.contracts import compare
from openapi.contract import parse_contract

CONTRACT = "openapi/openapi.yaml"
LONGEST_SECONDS = 60
_VERSION = re.compile(r"v?(\d+)\.(\d+)\.(\d+)", re.ASCII)


class NoHistory(Exception):
    """The git history cannot be read. The message says why."""


@dataclass(frozen=True, slots=True)
class Release:
    """A tagged contract."""

    tag: str
    contract: Mapping[str, Any]


def last_release(root: Path) -> Release | None:
    """Return the contract of the highest version tag before HEAD; None without such a tag.

    A tag is a version: ``1.2.0`` or ``v1.2.0``; a draft such as ``v1.2.0-rc.1`` promises nothing
    yet. Raises NoHistory if git fails, and if a shallow history has no tag.
    """
    matches = map(_VERSION.fullmatch, _git(root, "tag", "--merged", "HEAD").split())
    versions = {tuple(map(int, match.groups())): match[0] for match in matches if match}
    for _, tag in sorted(versions.items(), reverse=True):
        if _git(root, "ls-tree", "--name-only", tag, "--", CONTRACT):
            return Release(tag, parse_contract(_git(root, "show", f"{tag}:{CONTRACT}")))
    if _git(root, "rev-parse", "--is-shallow-repository").strip() == "true":
        raise NoHistory("the history is cut off and shows no tag; fetch all of it with its tags")
    return None


def broken_promises(
    release: Release, contract: Mapping[str, Any], *, today: date
) -> list[ContractChange]:
    """Return the breaking changes since a release; none are where the major version rose."""
    if _major(contract) > _major(release.contract):
        return []
    changes = compare(release.contract, contract, today=today)
    return [change for change in changes if change.severity is Severity.BREAKING]


def _major(contract: Mapping[str, Any]) -> int:
    return int(str(contract["info"]["version"]).partition(".")[0])


def _git(root: Path, *arguments: str) -> str:
    try:
        completed = subprocess.run(
            ["git", "-C", str(root), *arguments],  # noqa: S607 - git is found as a shell finds it
            capture_output=True,
            text=True,
            timeout=LONGEST_SECONDS,
            check=True,
        )
    except OSError as error:
        raise NoHistory("git is not installed") from error
    except subprocess.CalledProcessError as error:
        raise NoHistory(_first_line(error.stderr)) from error
    except subprocess.TimeoutExpired as error:
        raise NoHistory("git takes too long") from error
    return completed.stdout


def _first_line(output: str) -> str:
    """Return the first line of an error of git; the others are advice."""
    return output.strip().partition("\n")[0].removeprefix("fatal: ") or "git failed"
