"""How much of the catalog has packages, and how many parts of lockfiles have a source.

    python bench/packages_coverage.py [--repositories FOLDER] [LOCKFILE …]

``--repositories``: a folder with git directories ``OWNER+NAME/repo``, to count what those that are
in the catalog publish. Prints tables of Markdown: names of files and counts, nothing of what the
files name.
"""

import argparse
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from packages.repositories import published_packages

from components.read import read_components
from ingest.catalog import read_catalog, read_packages, shipped_catalog, shipped_packages
from versions.package_urls import PackageUrl, package_url_of_repository


def main() -> None:
    """Print the coverage of the shipped catalog."""
    reader = argparse.ArgumentParser(description=__doc__)
    reader.add_argument("--repositories", type=Path)
    reader.add_argument("lockfiles", nargs="*", type=Path)
    arguments = reader.parse_args()
    sources, _ = read_catalog(shipped_catalog())
    rows, _ = read_packages(shipped_packages())
    repositories = {
        row.slug: purl
        for row in sources
        if (purl := package_url_of_repository(row.changelog_url)) is not None
    }
    slugs = defaultdict(set)
    for row in rows:
        slugs[row.purl.removeprefix("pkg:").partition("/")[0]].add(row.slug)
    mapped = set().union(*slugs.values())
    print(f"{len(repositories):,} sources are a repository, {len(mapped):,} have other packages.\n")
    print("| ecosystem | packages | sources |\n|---|---:|---:|")
    packages = Counter(row.purl.removeprefix("pkg:").partition("/")[0] for row in rows)
    for type_, count in packages.most_common():
        print(f"| {type_} | {count:,} | {len(slugs[type_]):,} |")
    if arguments.repositories:
        print_published(
            arguments.repositories, set(repositories.values()), {it.purl for it in rows}
        )
    known = {row.purl for row in rows} | set(repositories.values())
    print("\n| lockfile | ecosystem | parts | with a source |\n|---|---|---:|---:|")
    for file in arguments.lockfiles:
        parts = set(parts_of(file))
        found = sum(not known.isdisjoint({part.part, part.repository}) for part in parts)
        type_ = Counter(part.type for part in parts).most_common(1)[0][0]
        print(f"| {file.name} | {type_} | {len(parts):,} | {found:,} |")


def print_published(folder: Path, repositories: set[str], mapped: set[str]) -> None:
    """Print how many of the packages that repositories publish are mapped, by ecosystem."""
    of_catalog = [
        home
        for home in sorted(folder.glob("*+*/repo"))
        if f"pkg:github/{home.parent.name.replace('+', '/', 1).lower()}" in repositories
    ]
    published = set().union(*map(published_packages, of_catalog))
    print(f"\n{len(of_catalog)} repositories of the catalog publish:\n")
    print("| ecosystem | published | mapped |\n|---|---:|---:|")
    types = Counter(purl.removeprefix("pkg:").partition("/")[0] for purl in published)
    known = Counter(purl.removeprefix("pkg:").partition("/")[0] for purl in published & mapped)
    for type_, count in types.most_common():
        print(f"| {type_} | {count:,} | {known[type_]:,} |")


def parts_of(file: Path) -> Iterator[PackageUrl]:
    """Yield the parts that a file names, without their versions."""
    for component in read_components(file.read_bytes()).components:
        part = PackageUrl.parse(replace(component, version=None).purl or "")
        if part is not None:
            yield part


if __name__ == "__main__":
    main()
