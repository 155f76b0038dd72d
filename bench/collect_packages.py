"""Collects the packages of the catalog's repositories from documents on this machine.

    python bench/collect_packages.py --debian FOLDER --installed FOLDER … --repositories FOLDER
        --specs FOLDER --official FOLDER --renovate FILE

``--debian``: a folder with the files Packages, Sources, Translation-en and Contents-* of a release,
as ``/usr/lib/apt/apt-helper cat-file`` prints them. ``--installed``: folders with packages.
``--repositories``: a folder with git directories ``OWNER+NAME/repo``, whose manifests say what they
publish, Helm charts and images among it. ``--specs``: a git directory of Azure Linux.
``--official``: a git directory of Docker's list of official images, whose own repositories are
among those of ``--repositories``. ``--renovate``: Renovate's lib/data/source-urls.json. What is
found is printed as packages.csv.
Nothing is requested from anywhere.
"""

import argparse
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from packages.charts import from_charts
from packages.debian import from_debian
from packages.evidence import Evidence, unambiguous
from packages.images import from_images, from_official, from_renovate
from packages.installed import from_installed
from packages.repositories import from_repositories
from packages.rpm import from_specs

from ingest.catalog import read_catalog, shipped_catalog, write_packages
from versions.package_urls import package_url_of_repository


def main() -> None:
    """Print the packages of shipped sources."""
    arguments = parser().parse_args()
    found = [
        each for name, read in _READERS for path in getattr(arguments, name) for each in read(path)
    ]
    for home in arguments.official:
        for folder in arguments.repositories:
            found += from_official(home, folder)
    sys.stdout.write(write_packages(sorted(rows_of(unambiguous(found)))))


def parser() -> argparse.ArgumentParser:
    """Return what reads the command line."""
    reader = argparse.ArgumentParser(description=__doc__)
    for name in ("debian", "installed", "repositories", "specs", "official", "renovate"):
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


_READERS: Final = (
    ("debian", from_debian),
    ("installed", from_installed),
    ("repositories", from_repositories),
    ("repositories", from_charts),
    ("repositories", from_images),
    ("specs", from_specs),
    ("renovate", from_renovate),
)

if __name__ == "__main__":
    main()
