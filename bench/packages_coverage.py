"""How much of the catalog has packages, and how many parts of lockfiles have a source.

    python bench/packages_coverage.py [--repositories FOLDER] [--debian FILE] [--specs FOLDER]
        [LOCKFILE …]

``--repositories``: a folder with git directories ``OWNER+NAME/repo``, to count what those that are
in the catalog publish. ``--debian``: an index of Debian packages; ``--specs``: a git directory of
Azure Linux; both to count what these distributions make of the catalog's repositories. Prints
tables of Markdown: names of files and counts, nothing of what the files name.
"""

import argparse
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from packages.debian import stanzas
from packages.evidence import is_exactly
from packages.published import published_packages, without_place
from packages.repositories import git
from packages.rpm import homepage_of_spec

from components.read import read_components
from ingest.catalog import read_catalog, read_packages, shipped_catalog, shipped_packages
from storage.catalog.rows import SeenPackage
from versions.package_urls import PackageUrl, package_url_of_repository


def main() -> None:
    """Print the coverage of the shipped catalog."""
    reader = argparse.ArgumentParser(description=__doc__)
    for name in ("repositories", "debian", "specs"):
        reader.add_argument(f"--{name}", type=Path)
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
    by_repository = defaultdict(set)
    for row in rows:
        by_repository[repositories.get(row.slug, "")].add(without_place(row.purl))
    if arguments.repositories:
        print_published(arguments.repositories, set(repositories.values()), by_repository)
    if arguments.debian:
        print_packed("deb", of_debian(arguments.debian), repositories, rows)
    if arguments.specs:
        print_packed("rpm", of_specs(arguments.specs), repositories, rows)
    known = {row.purl for row in rows} | set(repositories.values())
    print("\n| lockfile | ecosystem | parts | with a source |\n|---|---|---:|---:|")
    for file in arguments.lockfiles:
        parts = set(parts_of(file))
        found = sum(not known.isdisjoint({part.part, part.repository}) for part in parts)
        type_ = Counter(part.type for part in parts).most_common(1)[0][0]
        print(f"| {file.name} | {type_} | {len(parts):,} | {found:,} |")


def print_published(
    folder: Path, repositories: set[str], mapped: Mapping[str, Collection[str]]
) -> None:
    """Print how many of the packages that repositories publish are mapped, by ecosystem."""
    homes = {
        f"pkg:github/{home.parent.name.replace('+', '/', 1).lower()}": home
        for home in sorted(folder.glob("*+*/repo"))
    }
    published: Counter[str] = Counter()
    known: Counter[str] = Counter()
    for repository in homes.keys() & repositories:
        for purl in published_packages(homes[repository]):
            part = PackageUrl.parse(purl)
            type_ = purl.removeprefix("pkg:").partition("/")[0]
            published[type_] += 1
            by_rule = part is not None and part.repository in repositories
            known[type_] += purl in mapped.get(repository, ()) or by_rule
    print(f"\n{len(homes.keys() & repositories)} repositories of the catalog publish:\n")
    print("| ecosystem | published | with a source |\n|---|---:|---:|")
    for type_, count in published.most_common():
        print(f"| {type_} | {count:,} | {known[type_]:,} |")


def print_packed(
    type_: str,
    homepages: Iterable[tuple[str, str]],
    repositories: Mapping[str, str],
    rows: Iterable[SeenPackage],
) -> None:
    """Print how many packages of a distribution that name a repository are mapped."""
    in_catalog = set(repositories.values())
    packed = {name for name, page in homepages if package_url_of_repository(page) in in_catalog}
    known = {row.purl.rpartition("/")[2] for row in rows if row.purl.startswith(f"pkg:{type_}/")}
    print(f"\n{type_}: {len(packed):,} name a repository, {len(packed & known):,} have a source.")


def of_debian(index: Path) -> Iterator[tuple[str, str]]:
    """Yield the packages of an index and their homepages, where those are repositories."""
    for stanza in stanzas(index):
        if is_exactly(stanza.homepage):
            yield stanza.name, stanza.homepage


def of_specs(home: Path) -> Iterator[tuple[str, str]]:
    """Yield the packages of spec files and their homepages."""
    for path in git(home, "ls-tree", "-r", "--name-only", "HEAD").splitlines():
        if path.startswith("SPECS") and path.endswith(".spec"):
            yield homepage_of_spec(git(home, "show", f"HEAD:{path}"))


def parts_of(file: Path) -> Iterator[PackageUrl]:
    """Yield the parts that a file names, without their versions."""
    for component in read_components(file.read_bytes()).components:
        part = PackageUrl.parse(replace(component, version=None).purl or "")
        if part is not None:
            yield part


if __name__ == "__main__":
    main()
