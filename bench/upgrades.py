"""Versions of recorded releases, and 500 questions for what lies between two of them.

CHANGEWIRE_CORPUS names the folder of recorded documents; ``github/*.json`` in it are releases as
GitHub gives them. The right answers are made from tags by the plainest rule: three numbers,
compared as such; only repositories whose tags all are so take part.
"""

import json
import os
import random
import re
import sys
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

from versions.package_urls import PackageUrl
from versions.parsing import version_of_release
from versions.upgrades import KnownRelease, UpgradeRange, plan_upgrade

QUESTIONS = 500
_NUMBERS = re.compile(r"(?:.*?[^\d.])??(\d+)\.(\d+)\.(\d+)(?:\.\d+)?")
_NUMBER = re.compile(r"\d")


def main() -> None:
    """Print both shares."""
    folder = os.environ.get("CHANGEWIRE_CORPUS")
    if not folder:
        sys.exit("Set CHANGEWIRE_CORPUS to the folder of recorded documents.")
    payloads = [*_payloads(Path(folder) / "github")]
    tagged = [
        release for payload in payloads for release in payload if _NUMBER.search(_tag(release))
    ]
    read = [it for it in tagged if version_of_release(str(it.get("name") or ""), _tag(it))]
    print(f"{len(read):,} of {len(tagged):,} releases with a number in their tag have a version.")
    usable = [payload for payload in payloads if len(_numbered(payload)) > 2]
    draw = random.Random(23)
    right = sum(_is_right(draw.choice(usable), draw) for _ in range(QUESTIONS))
    print(f"{right:,} of {QUESTIONS} ranges over {len(usable)} repositories are right.")


def _payloads(folder: Path) -> Iterator[list[dict[str, Any]]]:
    for file in sorted(folder.glob("*.json")):
        payload = json.loads(file.read_text(encoding="utf-8"))
        if isinstance(payload, list) and payload and "tag_name" in payload[0]:
            yield payload


def _tag(release: dict[str, Any]) -> str:
    return str(release.get("tag_name") or "")


def _numbered(payload: list[dict[str, Any]]) -> list[tuple[tuple[int, ...], bool]]:
    """Return the numbers of a repository's tags, and whether GitHub calls each a prerelease."""
    found = [(_NUMBERS.fullmatch(_tag(it)), it.get("prerelease") is True) for it in payload]
    if not all(match for match, _ in found):
        return []
    return [(tuple(map(int, match.groups())), before) for match, before in found if match]


def _is_right(payload: list[dict[str, Any]], draw: random.Random) -> bool:
    numbered = _numbered(payload)
    low, high = sorted(draw.sample([numbers for numbers, _ in numbered], 2))
    expected = {
        place for place, (it, before) in enumerate(numbered) if low < it <= high and not before
    }
    known = [_known(place, release) for place, release in enumerate(payload)]
    part = PackageUrl.parse("pkg:github/acme/acme")
    assert part is not None  # a constant
    ends = [".".join(map(str, numbers)) for numbers in (low, high)]
    plan = plan_upgrade(UpgradeRange(part, *ends), known)
    return {release.key for release in plan.releases} == expected


def _known(place: int, release: dict[str, Any]) -> KnownRelease:
    found = version_of_release(str(release.get("name") or ""), _tag(release))
    at = str(release.get("published_at") or release.get("created_at") or "2026-01-01T00:00:00Z")
    return KnownRelease(
        place,
        found.version if found else None,
        (found.package or None) if found else None,
        release.get("prerelease") is True,
        datetime.fromisoformat(at),
        breaks=False,
    )


if __name__ == "__main__":
    main()
