"""Collects the packages of the catalog's repositories from documents on this machine.

    python bench/collect_packages.py --debian FOLDER --installed FOLDER … --repositories FOLDER

``--debian``: a folder with the files Packages, Sources, Translation-en and Contents-* of a release,
as ``/usr/lib/apt/apt-helper cat-file`` prints them. ``--installed``: folders with packages.
``--repositories``: a folder with git directories ``OWNER+NAME/repo``, whose manifests say what they
publish. What is found is printed as packages.csv.
Nothing is requested from anywhere.
"""

import argparse
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from packages.debian import from_debian
from packages.evidence import Evidence, unambiguous
from packages.installed import from_installed
from packages.repositories import from_repositories

from ingest.catalog import read_catalog, shipped_catalog, write_packages
from versions.package_urls import package_url_of_repository


def main() -> None:
    """Print the packages of shipped sources."""
    arguments = parser().parse_args()
    found = [each for folder in arguments.debian for each in from_debian(folder)]
    found += [each for folder in arguments.installed for each in from_installed(folder)]
    found += [each for folder in arguments.repositories for each in from_repositories(folder)]
    sys.stdout.write(write_packages(sorted(rows_of(unambiguous(found)))))


def parser() -> argparse.ArgumentParser:
    """Return what reads the command line."""
    reader = argparse.ArgumentParser(description=__doc__)
    for name in ("debian", "installed", "repositories"):
        reader.add_argument(f"--{name}", nargs="*", type=Path, default=[])
    return reader


def rows_of(found: list[Evidence]) -> Iterator[tuple[str, str, str]]:
    """Yield the rows of the file: the sources of each repository have its packages."""
    slugs: defaultdict[str, list[str]] = defaultdict(list)
    rows, _ = read_catalog(shipped_catalog())
    for row in rows:
        if (purl := package_url_of_repository(row.changelog_url)) is not None:
            slugs[purl.removeprefix("pkg:github/")].append(row.slug)
    for each in found:
        for slug in slugs.get(each.repository, ()):
            yield slug, each.purl, each.seen_in


if __name__ == "__main__":
    main()
