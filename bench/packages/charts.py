"""Evidence in repositories of Helm charts: which charts they release, and where those are.

What is asked for: the repository's own README names the address of its charts (``helm repo add``),
and the version of each chart is in the releases' names (``NAME-1.2.3``, as chart-releaser writes
them) or is the version of what it installs.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import yaml

from packages.evidence import Evidence, evidence
from packages.repositories import git

_CHART: Final = re.compile(r"(?:[\w.-]+/){0,4}Chart\.yaml")
_ADDRESS: Final = re.compile(r"helm repo add (?:--[\w-]+ )*[\w.-]+ (https?://[\w./~-]+)")
_FOR_TESTS: Final = re.compile(r"(?:^|/)(?:tests?|testdata|examples?|e2e|ci|hack|tools|library)/")
_RELEASER: Final = re.compile(r"helm/chart-releaser-action@")


def from_charts(folder: Path) -> Iterator[Evidence]:
    """Yield the evidence of the repositories in a folder that have charts."""
    for home in sorted(folder.glob("*+*/repo")):
        paths = git(home, "ls-tree", "-r", "--name-only", "HEAD").splitlines()
        charts = _not_inside([it for it in paths if _CHART.fullmatch(it)])
        place = _place(home, paths) if charts else None
        if place is not None:
            yield from _of_repository(home, paths, charts, place)


def _of_repository(
    home: Path, paths: list[str], charts: list[str], place: str
) -> Iterator[Evidence]:
    slug = home.parent.name.replace("+", "/", 1)
    released = any(
        _RELEASER.search(git(home, "show", f"HEAD:{path}"))
        for path in paths
        if path.startswith(".github/workflows/")
    )
    for path in charts:
        chart = _chart(git(home, "show", f"HEAD:{path}"))
        name, version = str(chart.get("name") or ""), str(chart.get("version") or "")
        installs = str(chart.get("appVersion") or "")
        is_release = released or (version and version.lstrip("v") == installs.lstrip("v"))
        usable = re.fullmatch(r"[\w.-]+", name) and chart.get("type") != "library"
        if usable and is_release and not chart.get("deprecated"):
            seen_in = f"{slug}: {path}, helm repo add in README.md"
            address = f"https://github.com/{slug}"
            yield from evidence("helm", name, address, seen_in, must_resemble=False, place=place)


def _not_inside(charts: list[str]) -> list[str]:
    """Leave out charts that are parts of others, templates, and those for tests."""
    folders = {f"{path.removesuffix('Chart.yaml')}charts/" for path in charts}
    return [
        path
        for path in charts
        if not _FOR_TESTS.search(path) and not any(map(path.startswith, folders - {"charts/"}))
    ]


def _place(home: Path, paths: list[str]) -> str | None:
    """Return the one address that the README gives for the charts of the repository."""
    readme = next((path for path in ("README.md", "charts/README.md") if path in paths), None)
    found = _ADDRESS.findall(git(home, "show", f"HEAD:{readme}")) if readme else []
    addresses = {address.rstrip("/.") for address in found}
    return addresses.pop() if len(addresses) == 1 else None


def _chart(text: str) -> dict[str, Any]:
    try:
        document = yaml.safe_load(text)
    except yaml.YAMLError:
        return {}
    return document if isinstance(document, dict) else {}
