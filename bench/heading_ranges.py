"""500 questions for what lies between two versions, over the changelogs of repositories.

    python bench/heading_ranges.py FOLDER

The folder is that of heading_versions.py. The right answers come from headings alone, by the
plainest rule: three numbers at once behind the words, compared as such. Changelogs with any other
number take no part.
"""

import random
import re
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final, TypeAlias

from heading_versions import headings

from versions.package_urls import PackageUrl
from versions.parsing import version_of_title
from versions.upgrades import KnownRelease, UpgradeRange, plan_upgrade

QUESTIONS: Final = 500
Log: TypeAlias = list[tuple[tuple[int, ...], str]]

_DAY = re.compile(r"\d{4}-\d\d-\d\d|\]\([^)]*\)")
_THREE = re.compile(r"[^\d.]*(\d+)\.(\d+)\.(\d+)(?![\w.+]|-\w)\D*\d{0,4}\D*\d{0,4}\D*")


def main() -> None:
    """Print the share of right ranges."""
    logs = [log for home in sorted(Path(sys.argv[1]).glob("*+*/repo")) if (log := numbered(home))]
    draw = random.Random(23)
    right = sum(is_right(draw.choice(logs), draw) for _ in range(QUESTIONS))
    print(f"{right:,} of {QUESTIONS} ranges over {len(logs)} changelogs are right.")


def numbered(home: Path) -> Log:
    """Return the numbers of a changelog's headings; none where one has other numbers."""
    log = {}
    for heading in headings(home):
        text = _DAY.sub("", heading)
        if not re.search(r"\d\.\d", text):
            continue
        found = _THREE.fullmatch(text)
        if found is None:
            return []
        log.setdefault(tuple(map(int, found.groups())), heading)
    return list(log.items()) if len(log) > 4 else []


def is_right(log: Log, draw: random.Random) -> bool:
    """Ask one question of a changelog, and compare the answer."""
    low, high = sorted(draw.sample([numbers for numbers, _ in log], 2))
    part = PackageUrl.parse("pkg:github/acme/acme")
    assert part is not None  # a constant
    ends = [".".join(map(str, numbers)) for numbers in (low, high)]
    plan = plan_upgrade(
        UpgradeRange(part, *ends), [_known(place, it[1]) for place, it in enumerate(log)]
    )
    expected = {place for place, (numbers, _) in enumerate(log) if low < numbers <= high}
    return {release.key for release in plan.releases} == expected


def _known(place: int, heading: str) -> KnownRelease:
    found = version_of_title(heading)
    return KnownRelease(
        place,
        found.version if found else None,
        (found.package or None) if found else None,
        prerelease=False,
        published_at=datetime(2026, 1, 1, tzinfo=UTC) - timedelta(days=place),
        breaks=False,
    )


if __name__ == "__main__":
    main()
