"""The coverage that docs/catalog.md tells of is that of the shipped files."""

import re
from collections import Counter, defaultdict
from pathlib import Path

from ingest.catalog import read_catalog, read_packages, shipped_catalog, shipped_packages
from package_versions.package_urls import package_url_of_repository

PAGE = (Path(__file__).parents[3] / "docs/catalog.md").read_text(encoding="utf-8")


def test_the_figures_by_ecosystem_are_those_of_the_shipped_packages():
    packages, _ = read_packages(shipped_packages())
    counts, sources = Counter(), defaultdict(set)
    for row in packages:
        ecosystem = row.purl.removeprefix("pkg:").partition("/")[0]
        counts[ecosystem] += 1
        sources[ecosystem].add(row.slug)

    _, _, table = PAGE.partition("| ecosystem | packages | sources |")
    rows = table.partition("\n\n")[0]
    told = re.findall(r"^\| (\w+)(?: \([^|]+\))? \| (\d+) \| (\d+) \|$", rows, re.MULTILINE)
    assert {(name, int(count), int(of)) for name, count, of in told} == {
        (name, count, len(sources[name])) for name, count in counts.items()
    }


def test_the_number_of_repositories_is_that_of_the_shipped_catalog():
    rows, _ = read_catalog(shipped_catalog())
    packages, _ = read_packages(shipped_packages())
    repositories = [row for row in rows if package_url_of_repository(row.changelog_url)]
    with_more = {row.slug for row in packages}

    told = re.search(r"([\d,]+) sources are a repository; ([\d,]+) of these have other", PAGE)
    assert told is not None
    assert [int(number.replace(",", "")) for number in told.groups()] == [
        len(repositories),
        len(with_more),
    ]
